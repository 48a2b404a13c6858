"""Experiments: arms × pairs of task order and seed, each cell a configuration with its run."""
