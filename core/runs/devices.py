"""The devices of this machine, and which settings mean which of them."""

from core.config import RunConfig


def available() -> tuple[str, ...]:
    """Every device that a run can be given here, the processor first."""
    import torch

    return ("cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count())))


def resolve(config: RunConfig) -> str:
    """The device that a config means here; ConfigError where there is none such."""
    from core.training.devices import choose_device

    name = str(choose_device(config.device))
    return "cuda:0" if name == "cuda" else name


def settings(device: str) -> frozenset[str]:
    """The values of the option `device` that mean this one: what its worker may claim."""
    names = {device} | ({"cuda"} if device == "cuda:0" else set())
    return frozenset(names | ({"auto"} if resolve(RunConfig(device="auto")) == device else set()))
