"""How precise the products of training are: float32, TF32 on a GPU, or bfloat16 by autocast.

float32 means float32: left to itself PyTorch rounds what a GPU's LSTMs multiply to TF32. A process
has one such switch, so that the runs in it must agree.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from core.options import ConfigError

AMPERE = (8, 0)  # the first compute capability with TF32 and bfloat16

_lock = threading.Lock()
_held: list[str] = []  # what each run on a GPU has asked for


def check(precision: str, device: torch.device) -> None:
    """ConfigError where the device has no such products."""
    if precision == "float32":
        return
    if device.type == "cpu":
        if precision == "bfloat16" and torch.ops.mkldnn._is_mkldnn_bf16_supported():
            return
        what = "this CPU has no such products"
    elif torch.cuda.get_device_capability(device) >= AMPERE:
        return
    else:
        what = (
            f"{torch.cuda.get_device_name(device)} is older than the GPUs that have such products"
        )
    raise ConfigError(f"precision = '{precision}': {what}; expected float32.")


@contextmanager
def products(precision: str, device: torch.device) -> Iterator[None]:
    """Within it a GPU's products of float32 numbers are as the run asks for.

    ConfigError where the device has no such products, or another run of this process computes with
    others on a GPU.
    """
    check(precision, device)
    if device.type != "cuda":
        yield
        return
    wanted = "tf32" if precision == "tf32" else "ieee"
    with _lock:
        if any(other != wanted for other in _held):
            raise ConfigError(
                f"precision = '{precision}': another run of this process computes "
                f"{'in float32' if wanted == 'tf32' else 'with TF32'} on a GPU, and PyTorch has "
                "one setting for both; resume this one in a process of its own: python -m core "
                "worker."
            )
        _held.append(wanted)
        _set(wanted)
    try:
        yield
    finally:
        with _lock:
            _held.remove(wanted)


def _set(wanted: str) -> None:
    torch.backends.cuda.matmul.fp32_precision = wanted
    torch.backends.cudnn.rnn.fp32_precision = wanted  # type: ignore[attr-defined]
    torch.backends.cudnn.conv.fp32_precision = wanted  # type: ignore[attr-defined]
