"""A parser in another mode for a while: one that reads rather than learns, or the reverse."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from core.parser.model import Parser


@contextmanager
def evaluating(parser: Parser) -> Iterator[None]:
    """The parser in evaluation mode; whether gradients are taken is the caller's to say."""
    was = parser.training
    parser.eval()
    try:
        yield
    finally:
        parser.train(was)


@contextmanager
def training(parser: Parser) -> Iterator[None]:
    """The parser in training mode, with its dropout and with gradients."""
    was = parser.training
    parser.train()
    try:
        with torch.enable_grad():
            yield
    finally:
        parser.train(was)


@contextmanager
def without_dropout(parser: Parser) -> Iterator[None]:
    """The parser without its dropout, and with gradients."""
    with evaluating(parser), torch.enable_grad():
        for module in parser.modules():
            if isinstance(module, nn.LSTM):  # cuDNN goes back through one in training mode only
                module.train()
        yield
