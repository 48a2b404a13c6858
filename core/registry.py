"""Registries: what a package offers by name, found by the files that are there.

A registry belongs to one package. A module of that package registers what it defines with a
decorator; the first look-up imports every module of the package, so adding a file is all that it
takes to add a method, a sampler or a data set. What is registered is checked at once.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import threading
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.options import ConfigError


class RegistrationError(TypeError):
    """Something is registered wrongly: the message names file and function and what is right."""


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
            yield "expected def … (examples, size, options, rng, parser) -> Selection"


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


E = TypeVar("E", bound=Entry)


class Registry(Mapping[str, E], Generic[E]):
    """Name → Entry for one package, in the order of (rank, name)."""

    def __init__(self, kind: str, package: str, entry: type[E]) -> None:
        self.kind = kind
        self.package = package
        self._entry = entry
        self._entries: dict[str, E] = {}
        self._loaded = False
        self._lock = threading.RLock()

    def register(self, name: str, *, label: str, **traits: Any) -> Callable[[Any], Any]:
        """Decorator: offer the function or class under `name`.

        `traits` are fields of the registry's entry: options, rank and what else it declares. A
        class's options may stand in it as `Options`. RegistrationError says what is wrong.
        """

        def add(value: Any) -> Any:
            where = f"{_file(value)}: {self.kind} '{name}' ({value.__qualname__})"
            self._check_traits(where, {"label": label, **traits})
            options = getattr(value, "Options", traits.get("options", NoOptions))
            entry = self._entry(name, label, value, **{**traits, "options": options})
            for fault in entry.faults():
                raise RegistrationError(f"{where}: {fault}.")
            earlier = self._entries.get(name)
            if earlier and _file(earlier.value) != _file(value):
                raise RegistrationError(f"{where}: {_file(earlier.value)} has this name already.")
            self._entries[name] = entry
            return value

        return add

    def _check_traits(self, where: str, traits: Mapping[str, Any]) -> None:
        """Every trait is a field of the entry and has its type."""
        hints = typing.get_type_hints(self._entry)
        declared = [item.name for item in fields(self._entry) if item.name not in ("name", "value")]
        for trait, given in traits.items():
            if trait not in declared:
                raise RegistrationError(
                    f"{where}: it has no trait {trait}; there are: {', '.join(declared)}."
                )
            kind = (int, float) if hints[trait] is float else hints[trait]
            if not isinstance(given, kind):
                expected = getattr(hints[trait], "__name__", hints[trait])
                raise RegistrationError(f"{where}: {trait} = {given!r}; expected {expected}.")

    def declared(self, name: str, trait: str) -> Any:
        """A trait as the file says it, without importing it; None where no file registers `name`.

        For what only looks at runs: importing the methods would load PyTorch.
        """
        if name in self._entries:
            return getattr(self._entries[name], trait)
        if name not in self._keywords:
            return None
        if trait not in self._keywords[name]:
            return self._entry.__dataclass_fields__[trait].default
        try:
            return ast.literal_eval(self._keywords[name][trait])
        except ValueError:  # not a plain value
            return getattr(self[name], trait)

    @cached_property
    def _keywords(self) -> dict[str, dict[str, ast.expr]]:
        """The keywords of every `@<kind>s.register("name", …)` in the package's files."""
        keywords = {}
        folder = Path(__file__).parents[1].joinpath(*self.package.split("."))
        for path in [*folder.glob("*.py"), *folder.glob("*/__init__.py")]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and ast.unparse(node.func) == f"{self.kind}s.register"
                ):
                    given = {word.arg: word.value for word in node.keywords if word.arg}
                    keywords[ast.literal_eval(node.args[0])] = given
        return keywords

    def _load(self) -> dict[str, E]:
        if not self._loaded:
            with self._lock:
                package = importlib.import_module(self.package)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{self.package}.{module.name}")
                self._loaded = True
        return self._entries

    def __getitem__(self, name: str) -> E:
        """The entry called `name`; ConfigError names what there is instead."""
        entries = self._load()
        if name not in entries:
            there = ", ".join(self)
            raise ConfigError(f"{self.kind} '{name}' is not known; there are: {there}.")
        return entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._load()

    def __iter__(self) -> Iterator[str]:
        entries = self._load()
        return iter(sorted(entries, key=lambda name: (entries[name].rank, name)))

    def __len__(self) -> int:
        return len(self._load())


def _file(value: Any) -> str:
    """The file in which a function or class is written, from the project's folder where in it."""
    path = Path(inspect.getfile(value))
    project = Path(__file__).parents[1]
    return str(path.relative_to(project) if path.is_relative_to(project) else path)


datasets = Registry("dataset", "core.data", DatasetEntry)
samplers = Registry("sampler", "core.samplers", SamplerEntry)
methods = Registry("method", "core.methods", MethodEntry)
notations = Registry("notation", "core.language.notations", NotationEntry)
