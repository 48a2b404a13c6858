"""Continual semantic parsing with Total Recall: everything but the pages."""

__version__ = "0.1.0"
