"""By a GPU's code, on a made-up card: no method mixes devices, and no step waits for the card."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.config import RunConfig
from core.events import Event
from core.methods.base import Method, TrainingStep
from core.parser.transformer import Transformer
from core.registry import methods
from core.training import losses
from core.training.sequence import TrainingFailed, train
from tests.devices.card import DEVICE, Card, MixedDevicesError, card
from tests.devices.runs import VARIANTS, numbers
from tests.parser.tiny_bert import write_tiny_bert

_READ, _COPY = "aten._local_scalar_dense.default", "aten._to_copy.default"
WAITS = {  # what a step with memories may wait for: a quadratic programme is solved on the CPU
    "gem": ([_READ], [_READ, _COPY, _COPY])
}


class Watched:
    """Counts waits from a method's first step of an epoch to the end of its last, step by step."""

    def __init__(self, mode: Card) -> None:
        self.mode = mode
        self.in_step: list[tuple[int, list[str]]] = []  # a step's task, and what it waited for

    @property
    def steps(self) -> int:
        return len(self.in_step)

    def over(self, steps: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        def watched(method: Method, k: int, stage: Any) -> Iterator[Any]:
            for step in steps(method, k, stage):
                self.mode.counting, before = True, len(self.mode.waits)
                yield step
                self.in_step.append((k, self.mode.waits[before:]))
            self.mode.counting = False

        return watched


def on_card(config: RunConfig) -> tuple[list[Event], Watched]:
    """A run's events, and what its steps waited for."""
    events: list[Event] = []
    with card() as mode, pytest.MonkeyPatch.context() as patch:
        watched, kind = Watched(mode), methods[config.method].value
        patch.setattr(kind, "steps", watched.over(kind.steps))
        learner = train(config, events.append)
        assert all(parameter.device == DEVICE for parameter in learner.parser.parameters())
    return events, watched


@pytest.mark.parametrize(("name", "options", "settings"), VARIANTS, ids=str)
def test_a_run_on_the_card_is_the_run_on_the_cpu_and_its_steps_do_not_wait(
    toy_config: RunConfig, name: str, options: dict, settings: dict
) -> None:
    config = toy_config.with_(
        method=name, method_options=options, epochs=1, task_order=("zoo", "port"), **settings
    )
    on_cpu: list[Event] = []
    train(config, on_cpu.append)
    events, watched = on_card(config)
    assert watched.steps >= 5
    for k, waits in watched.in_step:
        assert waits in (WAITS.get(name, ([],)) if k else ([],))
    in_steps = sum(len(waits) for _, waits in watched.in_step)
    assert len(watched.mode.waits) == in_steps  # none between two steps
    assert numbers(events) == pytest.approx(numbers(on_cpu), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "trained"),
    [("emr", "no"), ("emr", "yes"), ("hat", "yes"), ("total_recall", "last layers")],
)
def test_so_it_is_with_a_transformer(
    toy_config: RunConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    trained: str,
) -> None:
    model = str(write_tiny_bert(tmp_path / "bert"))
    config = toy_config.with_(
        method=name,
        epochs=1,
        task_order=("zoo", "port"),
        encoder="transformer",
        encoder_model=model,
        encoder_trained=trained,
        dropout=0.2,
    )
    on_cpu: list[Event] = []
    train(config, on_cpu.append)  # keeps a fixed one's states: they are not computed in a step
    calls: list[object] = []
    read = Transformer._read
    monkeypatch.setattr(
        Transformer, "_read", lambda self, *args: (calls.append(args), read(self, *args))[1]
    )
    events, watched = on_card(config)
    assert watched.steps >= 5
    assert bool(calls) == (trained != "no")
    # transformers' masks ask whether there is padding: a wait at the beginning of a call
    assert set(watched.mode.waits) <= {_READ}
    assert len(watched.mode.waits) <= len(calls)
    assert numbers(events) == pytest.approx(numbers(on_cpu), rel=1e-3, abs=1e-4)


def test_losses_are_read_every_so_many_steps(
    toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "READ_EVERY", 2)
    _, watched = on_card(toy_config.with_(method="finetune", epochs=1, batch_size=2))
    assert watched.steps == 15  # five of each task: read after the second and the fourth
    assert len(watched.mode.waits) == 6


def test_a_loss_that_is_not_finite_is_found_though_it_is_read_late(
    toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = methods["finetune"].value

    def loss(self: Method, k: int, stage: Any, step: TrainingStep) -> dict[str, torch.Tensor]:
        losses = Method.loss(self, k, stage, step)
        return losses if k == 0 else {"current": losses["current"] * float("nan")}

    monkeypatch.setattr(kind, "loss", loss)
    with card(), pytest.raises(TrainingFailed, match="not finite in task 2"):
        train(toy_config.with_(method="finetune", epochs=1), lambda event: None)


def test_the_card_refuses_what_a_gpu_refuses_and_notes_what_waits() -> None:
    with card() as mode:
        mode.counting = True
        cpu_tensor, card_tensor = torch.arange(4.0), torch.arange(4.0).to(DEVICE, non_blocking=True)
        assert card_tensor.device == DEVICE
        assert ((card_tensor + 1) * torch.tensor(2.0)).sum().device == DEVICE
        assert mode.waits == []
        for mixed in (
            lambda: cpu_tensor + card_tensor,
            lambda: torch.stack([cpu_tensor, card_tensor]),
        ):
            with pytest.raises(MixedDevicesError):
                mixed()
        with pytest.raises(MixedDevicesError):
            card_tensor + torch.tensor([1.0, 2.0, 3.0, 4.0], device=DEVICE)
        waiting: list[Callable[[], object]] = [
            lambda: float(card_tensor.sum()),
            lambda: cpu_tensor.to(DEVICE),
            lambda: card_tensor.cpu(),
            lambda: card_tensor.tolist(),
            lambda: card_tensor.nonzero(),
            lambda: card_tensor[card_tensor > 1],
            lambda: card_tensor[torch.tensor([0, 1])],
            lambda: card_tensor.clone().copy_(cpu_tensor),
        ]
        for number, wait in enumerate(waiting, start=1):
            wait()
            assert len(mode.waits) == number, mode.waits
        assert float(card_tensor.sum()) == 6.0
