"""Whether a checkpoint is one of this run: checked before anything is taken from it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch

from core.parser.earlier_names import with_current_names

if TYPE_CHECKING:
    from core.training.assembly import Learner

_PARTS: Mapping[str, type | tuple[type, ...]] = {
    "position": list,
    "optimizer": (dict, type(None)),
    "parser": dict,
    "method": dict,
    "memory": dict,
    "generators": dict,
}
_FAULTS = (AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError)


class CheckpointMismatch(ValueError):  # noqa: N818 - says what it is
    """The checkpoint is not one of this run: what in it does not fit."""


def check_state(learner: "Learner", state: dict[str, Any]) -> None:
    """CheckpointMismatch where the state is not one that this run can have saved."""
    for name, kind in _PARTS.items():
        if not isinstance(state.get(name), kind) or (name not in state):
            raise CheckpointMismatch(f"its {name} is missing or of another kind")
    _check_seconds(state.get("seconds", [0.0, 0.0]))
    _check_position(learner, state["position"], state["optimizer"])
    if learner.transformer and state.get("transformer") != learner.transformer.digest:
        raise CheckpointMismatch("the pretrained transformer is another one now")
    saved_parser = with_current_names(state["parser"])
    _check_tensors("parser", learner.parser.state_dict(), saved_parser)
    _check_memory(learner, state["memory"], state["position"][0])
    _check_generators(learner.generators.state(), state["generators"])


def restore(learner: "Learner", state: dict[str, Any]) -> None:
    """Go back to the state; CheckpointMismatch where it is not one of this run."""
    check_state(learner, state)
    _fitting("method or generators", lambda: learner.restore(state))


def restore_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Go on with an optimizer; CheckpointMismatch where it moved other parameters."""
    sizes = [p.shape for group in optimizer.param_groups for p in group["params"]]

    def check() -> None:
        if set(state["state"]) - set(range(len(sizes))):
            raise ValueError
        for number, values in state["state"].items():
            shapes = (values["exp_avg"].shape, values["exp_avg_sq"].shape)
            if shapes != (sizes[number], sizes[number]) or values["step"].numel() != 1:
                raise ValueError
        optimizer.load_state_dict(state)

    _fitting("optimizer", check)


def _fitting(name: str, action: Callable[[], None]) -> None:
    try:
        action()
    except _FAULTS as error:
        raise CheckpointMismatch(f"its {name} is not that of this run") from error


def _check_seconds(seconds: object) -> None:
    numbers = seconds if isinstance(seconds, (list, tuple)) else ()
    if len(numbers) != 2 or not all(isinstance(value, (int, float)) for value in numbers):
        raise CheckpointMismatch("its seconds are not two numbers")


def _check_position(learner: "Learner", position: list[Any], optimizer: object) -> None:
    """Within the tasks, their stages and epochs; with the optimizer that goes on from there."""
    whole = len(position) == 3 and all(type(value) is int and value >= 0 for value in position)
    if whole:
        task, stage, epoch = position
        stages = learner.method.stages(task) if task < len(learner.tasks) else ()
        inside = task <= len(learner.tasks) and stage <= len(stages)
        epochs = stages[stage].epochs if inside and stage < len(stages) else 1
        kept = learner.config.optimizer == "kept"
        whole = inside and epoch < max(epochs, 1)
        whole = whole and (optimizer is None) == (epoch == 0 and not kept)
    if not whole:
        raise CheckpointMismatch(f"its position {position!r:.60} is not one of this run")


def _check_tensors(name: str, wanted: dict[str, Any], state: dict[str, Any]) -> None:
    """The same names, shapes and kinds of number."""
    if wanted.keys() != state.keys():
        raise CheckpointMismatch(f"its {name} has other parts")
    for key, tensor in wanted.items():
        saved = state[key]
        if not isinstance(saved, torch.Tensor) or saved.shape != tensor.shape:
            raise CheckpointMismatch(f"its {name} has another size ({key})")
        if saved.dtype != tensor.dtype:
            raise CheckpointMismatch(f"its {name} has other numbers ({key})")


def _check_memory(learner: "Learner", memory: dict[Any, Any], n_learned: int) -> None:
    """Indices of training examples of the tasks that are learned."""
    for task, indices in memory.items():
        known = type(task) is int and 0 <= task < min(n_learned, len(learner.tasks))
        count = len(learner.tasks[task].train) if known else 0
        if not isinstance(indices, (list, tuple)) or not all(
            type(index) is int and 0 <= index < count for index in indices
        ):
            raise CheckpointMismatch("its memory holds examples that are not in the data")


def _check_generators(wanted: dict[str, Any], state: dict[str, Any]) -> None:
    """All those that the run begins with; more are made while it learns."""
    for kind, streams in wanted.items():
        saved = state.get(kind)
        if not isinstance(saved, dict) or not streams.keys() <= saved.keys():
            raise CheckpointMismatch("its random generators are not those of this run")
