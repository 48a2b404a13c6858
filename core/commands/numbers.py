"""Kinds of numbers that commands take, as argparse types: refused in a sentence, not later."""

import argparse
import math

from core.text import clean


def count(text: str) -> int:
    """A whole number from 1."""
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {clean(text, 40)!r}")
    return int(text[:4000])


def seconds(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {clean(text, 40)!r}")
    return number
