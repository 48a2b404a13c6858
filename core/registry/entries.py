"""What is registered: of each kind what an entry declares, and what is wrong with one.

Each entry's `faults` are sentences that say what would be right.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class NoOptions:
    """The options of something that has none."""


@dataclass(frozen=True)
class Entry:
    """One registered thing: what it is called, what it is, the options that it declares."""

    name: str  # in configurations and on the command line
    label: str  # for people, shown as it is given
    value: Any
    options: type = NoOptions  # a frozen dataclass whose fields are made with options.option
    rank: float = 100  # a lower one is listed earlier

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring, on one line."""
        return " ".join((self.value.__doc__ or "").strip().split("\n\n")[0].split())

    def faults(self) -> Iterator[str]:
        """What is wrong with it, each in words that say what would be right."""
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", self.name):
            yield "expected small letters, digits, _ and - as its name"
        if not self.label.strip():
            yield "expected a label for people"
        if not self.summary:
            yield "it has no docstring; expected one, whose first paragraph people read in forms"
        if not getattr(getattr(self.options, "__dataclass_params__", None), "frozen", False):
            yield f"its options are {self.options.__name__}; expected a frozen dataclass"
        elif bare := [item.name for item in fields(self.options) if "help" not in item.metadata]:
            yield f"its field {bare[0]} is no option; expected option(default, help) as its value"


@dataclass(frozen=True)
class MethodEntry(Entry):
    """A method: a class that inherits from core.methods.base.Method."""

    memory: bool = False  # whether it keeps rows of past tasks
    sampler: str = ""  # which chooses them in the method's own paper
    past: str = ""  # what it needs of past tasks beside a memory, in words
    fisher: bool | str = False  # whether it needs Fisher information; in words: under which option
    internals: str = ""  # what of the parser's inside it reaches into, in words

    def faults(self) -> Iterator[str]:
        yield from super().faults()
        if not _inherits(self.value, "core.methods.base"):
            yield "expected a class that inherits from core.methods.base.Method"
        if self.memory != bool(self.sampler):
            yield "expected memory=True and, as sampler=…, the one of its own paper, or neither"


@dataclass(frozen=True)
class SamplerEntry(Entry):
    """A sampler: a function `(examples, size, options, rng, parser) -> Selection`."""

    parser: bool = False  # whether it reads the parser that has just learned the task

    @property
    def stoppable(self) -> bool:
        """Whether it can be stopped while it chooses: it takes `should_stop`."""
        return "should_stop" in inspect.signature(self.value).parameters

    def faults(self) -> Iterator[str]:
        yield from super().faults()
        if not _takes(self.value, 5):
            yield (
                "expected def … (examples, size, options, rng, parser) -> Selection, and any "
                "further argument with a default: should_stop: ShouldStop = never"
            )


@dataclass(frozen=True)
class DatasetEntry(Entry):
    """A data set: a function `(options) -> tuple[Task, ...]`."""

    folder: str = ""  # of its published files below the data folder
    citation: str = ""
    licence: str = ""

    def faults(self) -> Iterator[str]:
        yield from super().faults()
        if not _takes(self.value, 1):
            yield "expected def … (options) -> tuple[Task, …], also where it has no options"


@dataclass(frozen=True)
class NotationEntry(Entry):
    """A notation: a class that inherits from core.language.notations.base.Notation."""

    def faults(self) -> Iterator[str]:
        yield from super().faults()
        if not _inherits(self.value, "core.language.notations.base"):
            yield "expected a class that inherits from core.language.notations.base.Notation"


def _inherits(value: Any, module: str) -> bool:
    """Whether it is a class with a base that this module defines."""
    return any(base.__module__ == module for base in getattr(value, "__mro__", ()))


def _takes(function: Any, count: int) -> bool:
    """Whether it can be called with so many arguments, by position."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return not inspect.isclass(function)
