"""What a run records of its parser beside accuracy: errors, predictions, action probabilities.

Everything is read with dropout off, without gradients and without a draw from the run's streams,
so a run ends with the same bits whether it records or not.
"""
