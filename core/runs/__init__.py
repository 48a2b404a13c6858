"""Runs: the store that keeps them, their checkpoints, and the threads that carry them out."""
