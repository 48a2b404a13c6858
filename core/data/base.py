"""Examples and tasks: what a data set gives."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from core.config import RunConfig
from core.language.derivation import Rule, logical_form_to_derivation
from core.language.tree import LogicalFormError, Node, read
from core.options import ConfigError
from core.registry import datasets
from core.text import clean


class DataError(ValueError):
    """Data that can't be read: the message names file, line, column and what was expected."""

    line = 0  # of the file, from 1, where the fault is in one


class DataMissing(DataError):  # noqa: N818 - it is a state that pages show, not a fault
    """Data that are not on this machine: the message says how to get them."""


def normalise(text: str) -> str:
    """The text in Unicode's composed form (NFC), in which all rows are read."""
    return unicodedata.normalize("NFC", text)


@dataclass(frozen=True)
class Example:
    """An utterance, its logical form as text, the derivation of that form, and its tree."""

    utterance: str
    logical_form: str
    derivation: tuple[Rule, ...]
    tree: Node = field(repr=False, compare=False)

    @property
    def words(self) -> list[str]:
        """The utterance in lower case, split on blanks."""
        return self.utterance.lower().split()


@dataclass(frozen=True)
class Task:
    """A name and its rows; `valid` is empty where the data set has no dev set."""

    name: str
    train: tuple[Example, ...]
    valid: tuple[Example, ...]
    test: tuple[Example, ...]

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The distinct logical forms of the training rows, in order of first appearance."""
        return tuple(dict.fromkeys(example.logical_form for example in self.train))


class FormReader:
    """Reads logical forms in one notation, each distinct text once; equal steps are one object.

    The examples carry each form as its tree prints it, single blanks between tokens, so that equal
    trees are equal texts, which is what exact match compares; as it stands where not `canonical`.
    """

    def __init__(self, notation: str = "s_expression", *, canonical: bool = True) -> None:
        self.notation = notation
        self._canonical = canonical
        self._read: dict[str, tuple[str, tuple[Rule, ...], Node]] = {}

    def example(self, utterance: str, logical_form: str) -> Example:
        """The row, its Unicode normalised; LogicalFormError where the form is none."""
        return Example(normalise(utterance), *self._form(logical_form))

    def reads(self, logical_form: str) -> bool:
        """Whether the text is a form in this notation."""
        try:
            self._form(logical_form)
        except LogicalFormError:
            return False
        return True

    def _form(self, logical_form: str) -> tuple[str, tuple[Rule, ...], Node]:
        known = self._read.get(logical_form)
        if known is None:
            form = normalise(logical_form)
            try:
                tree = read(form, self.notation)
            except LogicalFormError as error:
                error.form = form
                raise
            steps = logical_form_to_derivation(tree)
            text = str(tree) if self._canonical else form
            known = self._read[logical_form] = (text, steps, tree)
        return known


HELDOUT_SHARE = 0.2
_HELDOUT_SEED = 20210907  # one split for all runs, so that tuned settings compare


def hold_out(task: Task) -> Task:
    """The task with held-out rows as its test set: its dev set, or a fifth of its training rows.

    Used for tuning; the real test rows are gone from the result. ConfigError where nothing would
    be left to learn from.
    """
    if task.valid:
        return replace(task, test=task.valid, valid=())
    if len(task.train) < 2:
        raise ConfigError(
            f"evaluation = 'heldout': task '{task.name}' has {len(task.train)} training row and no "
            "dev set; expected a dev set or at least 2 training rows."
        )
    order = np.random.default_rng(_HELDOUT_SEED).permutation(len(task.train))
    cut = max(1, round(len(order) * HELDOUT_SHARE))
    test, train = sorted(order[:cut].tolist()), sorted(order[cut:].tolist())
    return replace(
        task,
        train=tuple(task.train[i] for i in train),
        test=tuple(task.train[i] for i in test),
    )


def order_tasks(
    tasks: Sequence[Task], names: Iterable[str], order_seed: int, permutation: str = "numpy"
) -> tuple[Task, ...]:
    """The tasks named (all, where none is), in that order, then permuted by the seed (0: not).

    ConfigError names a task that is not there or is named twice.
    """
    by_name = {task.name: task for task in tasks}
    chosen = list(names) or list(by_name)
    for name in chosen:
        if name not in by_name or chosen.count(name) > 1:
            wrong = "is named twice" if name in by_name else "is not a task of this data set"
            raise ConfigError(f"task_order: '{name}' {wrong}; there are: {', '.join(by_name)}.")
    ordered = tuple(by_name[name] for name in chosen)
    if not order_seed:
        return ordered
    return _PERMUTATIONS[permutation](ordered, order_seed)


def _by_numpy(tasks: Sequence[Task], seed: int) -> tuple[Task, ...]:
    return tuple(tasks[i] for i in np.random.default_rng(seed).permutation(len(tasks)))


def _as_released(tasks: Sequence[Task], seed: int) -> tuple[Task, ...]:
    """Tasks by falling number of training rows, then as after torch.manual_seed(seed)."""
    import torch  # here: what only looks at data does without

    by_size = sorted(tasks, key=lambda task: -len(task.train))
    order = torch.randperm(len(by_size), generator=torch.Generator().manual_seed(seed))
    return tuple(by_size[i] for i in order.tolist())


_PERMUTATIONS = {"numpy": _by_numpy, "release": _as_released}


def source_tasks(config: RunConfig) -> tuple[Task, ...]:
    """The tasks of a run's data set, whole; the same object while its data do not change.

    DataError or ConfigError say what is wrong with the data or the settings.
    """
    options = config.options("dataset")
    try:
        tasks: tuple[Task, ...] = datasets[config.dataset].value(options)
    except LogicalFormError as error:
        form = clean(error.form)
        raise DataError(
            f"Data set '{config.dataset}', form {form!r}, column {error.column}: {error}."
        ) from error
    return tasks


def load_tasks(config: RunConfig) -> tuple[Task, ...]:
    """The tasks of a run, in its order, with the rows that it evaluates on as `test`.

    DataError or ConfigError say what is wrong with the data or the settings.
    """
    tasks: Sequence[Task] = source_tasks(config)
    if config.evaluation == "heldout":
        tasks = [hold_out(task) for task in tasks]
    return order_tasks(tasks, config.task_order, config.order_seed, config.permutation)
