"""Learners on the toy tasks, whole trainings, and what tests compare of them."""

import pickle
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import torch

from core.config import RunConfig
from core.events import Epoch
from core.options import OptionSpec, specs
from core.parser.batch import Batch
from core.parser.model import Parser
from core.registry import methods
from core.training.assembly import Learner
from core.training.sequence import train

SETTINGS = [{}, {"task_masking": True}, {"input_feeding": True}]


def make(config: RunConfig, k: int = 2, **changes) -> Learner:
    learner = Learner(config.with_(**changes))
    with torch.no_grad():  # large enough that probabilities differ
        learner.parser.action_embedding.mul_(20)
    learner.parser.set_known_tasks(k)
    learner.parser.eval()
    return learner


def gold_log_probs(parser: Parser, batch: Batch) -> torch.Tensor:
    """log P of the gold actions, by example and step (n, T), 0 at padding."""
    flat = torch.zeros(batch.actions.numel())
    flat[batch.real] = parser.gold_log_probs(batch)
    return flat.view(batch.actions.shape)


def plain(event: object) -> dict:
    """An event without what differs from run to run: the time."""
    values = asdict(event)
    return {"kind": type(event).__name__} | {k: v for k, v in values.items() if k != "seconds"}


def run(config: RunConfig, **more) -> tuple[list[dict], list[torch.Tensor]]:
    events: list = []
    learner = train(config, events.append, **more)
    return [plain(e) for e in events], [p.detach() for p in learner.parser.parameters()]


def equal(first: list[torch.Tensor], second: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def copied(state: dict) -> dict:
    return pickle.loads(pickle.dumps(state))


class Stages:
    """Records the parameters at every stage's start and end of a run."""

    def __init__(self, config: RunConfig) -> None:
        self.before: dict[tuple[int, str], dict] = {}
        self.after: dict[tuple[int, str], dict] = {}
        self._last: dict | None = None
        self._at: tuple[int, str] | None = None
        self.learner = train(config, self.record, save=self.save)

    def record(self, event: object) -> None:
        if isinstance(event, Epoch):
            self._at = (event.task, event.stage)
            self.before.setdefault(self._at, self._last)

    def save(self, state: dict) -> None:
        self._last = {name: value.clone() for name, value in state["parser"].items()}
        if self._at is not None:
            self.after[self._at] = self._last
            self._at = None


def moved_rows(before: dict, after: dict) -> np.ndarray:
    return (before["action_embedding"] != after["action_embedding"]).any(dim=1).numpy()


def finished_first_task(config: RunConfig) -> Learner:
    """A learner whose tasks 0 and 1 have their memories, about to learn task 2."""
    learner = Learner(config)
    learner.memory.indices = {0: (0, 3, 4), 1: (1, 2)}
    learner.parser.set_known_tasks(2)
    return learner


def fill_gradients(learner: Learner) -> None:
    for parameter in learner.parser.parameters():
        parameter.grad = torch.zeros_like(parameter)


NUMBERS = {  # values of options without a list of choices that change how a run learns
    "emr": ({"fast_epochs": 1},),
    "oracle": ({"fast_epochs": 1},),
    "total_recall": ({"fast_epochs": 0},),
}
TOGETHER = (  # values of options that move other parameters beside one another
    ("total_recall", {"adapters": "full", "penalty": "ewc"}),
    ("total_recall", {"fast": "task_specific", "adapters": "full"}),
    ("total_recall", {"fast": "all", "replay": "sweep"}),
)
RUN_NUMBERS = ({"label_smoothing": 0.1}, {"clip_norm": 0.0}, {"word_dropout": 0.2}, {"idioms": 2})


def choices() -> Iterator[tuple[str, dict]]:
    """Each method with each value of its options that have a list of them, but the default."""
    for name, entry in methods.items():
        for spec in specs(entry.options):
            for value in spec.choices or ():
                if value != spec.default:
                    yield name, _with_effect(spec, value)
        yield from ((name, options) for options in NUMBERS.get(name, ()))


def option_names(method: str) -> set[str]:
    """What the method's options are called."""
    return {spec.name for spec in specs(methods[method].options)}


def _with_effect(spec: OptionSpec, value: str) -> dict:
    """The option, with the other one that it depends on."""
    return {spec.name: value, **({spec.when[0]: spec.when[1]} if spec.when else {})}


EVERY_CHOICE = [*((name, {}) for name in methods), *choices()]


_FOR_THEMSELVES = ("method", "sampler", "dataset")


def run_choices() -> Iterator[dict]:
    """Each setting of a run that says how it learns, with each value but the default."""
    for spec in specs(RunConfig):
        if (
            spec.group in ("Tasks", "Method", "Training", "Parser")
            and spec.name not in _FOR_THEMSELVES
        ):
            values = (True, False) if spec.type is bool else spec.offered
            yield from ({spec.name: value} for value in values if value != spec.default)
    yield from RUN_NUMBERS
