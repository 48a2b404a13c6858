"""The devices of this machine, and which settings mean which of them."""

import sys
from functools import cache
from pathlib import Path

from core.config import RunConfig

_DRIVERS = ("nvidia*", "nvhost*", "dxg", "kfd")  # in /dev: NVIDIA's, Tegra's, WSL's, AMD's


def available() -> tuple[str, ...]:
    """Every device that a run can be given here, the processor first."""
    if not has_driver():
        return ("cpu",)
    import torch

    return ("cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count())))


@cache
def has_driver() -> bool:
    """Whether there may be a GPU: without one, PyTorch, which loads for seconds, isn't asked."""
    return sys.platform != "linux" or any(any(Path("/dev").glob(name)) for name in _DRIVERS)


def resolve(config: RunConfig) -> str:
    """The device that a config means here; ConfigError where there is none such."""
    if config.device in ("auto", "cpu") and not has_driver():
        return "cpu"
    from core.training.devices import choose_device

    name = str(choose_device(config.device))
    return "cuda:0" if name == "cuda" else name


def settings(device: str) -> frozenset[str]:
    """The values of the option `device` that mean this one: what its worker may claim."""
    names = {device} | ({"cuda"} if device == "cuda:0" else set())
    return frozenset(names | ({"auto"} if resolve(RunConfig(device="auto")) == device else set()))
