"""Which device a run's setting means on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from core.options import ConfigError


def choose_device(name: str) -> torch.device:
    """The device of a config; ConfigError names it where this machine has none such."""
    if name == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"device = '{name}': expected auto, cpu or cuda:N.") from None
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"device = '{name}': expected auto, cpu or cuda:N.")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ConfigError(f"device = '{name}': this machine has {count} CUDA devices.")
    return device


@contextmanager
def own_stream(device: torch.device) -> Iterator[None]:
    """What a GPU does for a run within it waits for nothing that other threads' runs do there.

    At the end it is done, and what memory PyTorch has kept for the stream is the card's again.
    """
    if device.type != "cuda":
        yield
        return
    stream = torch.cuda.Stream(device)
    with torch.cuda.stream(stream):
        yield
        stream.synchronize()
    torch.cuda.empty_cache()
