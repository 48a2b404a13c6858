"""Training of a run: the sequence of tasks, a stage's optimizer, devices, assembly, progress."""
