"""Which device a run's setting means on this machine."""

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
