"""Copies to the device that computes, without waiting for it."""

import torch
from torch import Tensor


def moved(tensor: Tensor, device: torch.device) -> Tensor:
    """A tensor of the CPU on another device; by pinned memory to a GPU, which copies on its own."""
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)
