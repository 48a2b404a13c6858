"""A made-up card: tensors that say they are elsewhere, with their numbers on the CPU.

Torch's device `meta` stands for it. What mixes the devices fails, as it does on a GPU, and whatever
would make the CPU wait for a GPU is noted; all else computes. So whole runs go by a GPU's code
where there is none.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from core.generators import Generators

DEVICE = torch.device("meta")
aten = torch.ops.aten

_READS = {  # the CPU waits for a number, or for how large the result is
    aten._local_scalar_dense.default,
    aten.nonzero.default,
    aten._unique2.default,
    aten.unique_consecutive.default,
    aten.unique_dim.default,
    aten.masked_select.default,
    aten.bincount.default,
    aten.repeat_interleave.Tensor,
}
_INDEXING = {
    aten.index.Tensor,
    aten.index_put_.default,
    aten.index_put.default,
    aten._index_put_impl_.default,
}
_LENGTHS_ON_CPU = {aten._pack_padded_sequence.default, aten._pad_packed_sequence.default}
_TAKE_BOTH = {*_LENGTHS_ON_CPU, aten._pack_padded_sequence_backward.default}


class MixedDevicesError(RuntimeError):
    """An operation on tensors of both devices."""


class OnCard(Tensor):
    """A tensor of the card."""

    held: Tensor  # its numbers

    @staticmethod
    def __new__(cls, held: Tensor) -> "OnCard":
        tensor = Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )
        tensor.held = held
        return tensor

    def tolist(self) -> Any:
        return self.cpu().tolist()

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError(f"{func}: there is no card any more")


class Card(TorchDispatchMode):
    """Within it there is a card; `waits` are what the CPU waited for while `counting`."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[str] = []
        self.counting = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        on_cpu = [tensor for tensor in tensors if not isinstance(tensor, OnCard)]
        on_card = [tensor for tensor in tensors if isinstance(tensor, OnCard)]
        self._look(func, args, kwargs, on_cpu, on_card)
        out = func(*tree_map(_held, args), **tree_map(_held, kwargs))
        if func in _LENGTHS_ON_CPU:
            return (OnCard(out[0]) if on_card else out[0]), out[1]
        if not (bool(on_card) if kwargs.get("device") is None else _is_card(kwargs["device"])):
            return out
        changed = {id(tensor.held): tensor for tensor in on_card}  # in place
        changed |= {id(tensor): tensor for tensor in on_cpu}

        def wrapped(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            return changed[id(value)] if id(value) in changed else OnCard(value)

        return tree_map(wrapped, out)

    def _look(self, func, args, kwargs, on_cpu: list[Tensor], on_card: list[Tensor]) -> None:
        """Note what the CPU waits for; fail where devices are mixed."""
        if any(_is_card(tensor.device) for tensor in on_cpu):
            raise MixedDevicesError(f"{func}: a number that was copied to the card by itself")
        if func is aten._to_copy.default:
            moves = "device" in kwargs and _is_card(kwargs["device"]) != bool(on_card)
            if moves and (on_card or not kwargs.get("non_blocking")):
                self._wait(func)
        elif func is aten.copy_.default:
            if on_cpu and on_card and (_is_card(args[1].device) or args[2:3] != (True,)):
                self._wait(func)
        elif on_card and func in _READS:
            if "output_size" not in kwargs:
                self._wait(func)
        elif on_card and func in _INDEXING:
            indices = [index for index in args[1] if index is not None]
            if any(index.dtype == torch.bool or not _is_card(index.device) for index in indices):
                self._wait(func)
        elif on_card and func not in _TAKE_BOTH and any(tensor.dim() for tensor in on_cpu):
            raise MixedDevicesError(
                f"{func}: {[str(tensor.device) for tensor in on_cpu + on_card]}"
            )

    def _wait(self, func) -> None:
        if self.counting:
            self.waits.append(str(func))


def _is_card(device: torch.device | str) -> bool:
    return torch.device(device).type == DEVICE.type


def _held(value: Any) -> Any:
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value.held if isinstance(value, OnCard) else value


@contextmanager
def card() -> Iterator[Card]:
    """A card that runs choose, with random numbers of its own and a fused Adam."""
    optimizer = importlib.import_module("torch.optim.optimizer")
    fused = "_get_fused_kernels_supported_devices"
    supported = getattr(optimizer, fused)()
    stream = Generators.for_tensors
    with pytest.MonkeyPatch.context() as patch, Card() as card:
        patch.setattr("core.training.assembly.choose_device", lambda name: DEVICE)
        patch.setattr(optimizer, fused, lambda: [*supported, DEVICE.type])
        patch.setattr(Generators, "for_tensors", lambda self, name, _=None: stream(self, name))
        yield card
