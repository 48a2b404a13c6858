"""Registries: what a package offers by name, found by the files that are there.

A registry belongs to one package. A module of that package registers what it defines with a
decorator; the first look-up imports every module of the package, so adding a file is all that it
takes to add a method, a sampler or a data set.
"""

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One registered thing: what it is called, what it is, the options that it declares."""

    name: str  # in configurations and on the command line
    label: str  # for people
    value: Any
    options: type  # a frozen dataclass whose fields are made with config.option
    traits: Mapping[str, Any]  # what it needs or offers, by name; see the package's base module

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring, on one line."""
        return " ".join((self.value.__doc__ or "").strip().split("\n\n")[0].split())


@dataclass(frozen=True)
class NoOptions:
    """The options of something that has none."""


class Registry(Mapping[str, Entry]):
    """Name → Entry for one package, in the order of (rank, name)."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._entries: dict[str, tuple[float, Entry]] = {}
        self._loaded = False
        self._lock = threading.RLock()

    def register(
        self,
        name: str,
        *,
        label: str,
        options: type = NoOptions,
        rank: float = 100,
        **traits: Any,
    ) -> Callable[[Any], Any]:
        """Decorator: offer the function or class under `name`; a lower rank lists it earlier."""

        def add(value: Any) -> Any:
            chosen = getattr(value, "Options", options)
            self._entries[name] = (rank, Entry(name, label, value, chosen, traits))
            return value

        return add

    def _load(self) -> dict[str, tuple[float, Entry]]:
        if not self._loaded:
            with self._lock:
                package = importlib.import_module(self.package)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{self.package}.{module.name}")
                self._loaded = True
        return self._entries

    def __getitem__(self, name: str) -> Entry:
        """The entry called `name`; ValueError names what there is instead."""
        entries = self._load()
        if name not in entries:
            there = ", ".join(self)
            raise ValueError(f"{self.kind} '{name}' is not known; there are: {there}.")
        return entries[name][1]

    def __contains__(self, name: object) -> bool:
        return name in self._load()

    def __iter__(self) -> Iterator[str]:
        entries = self._load()
        return iter(sorted(entries, key=lambda name: (entries[name][0], name)))

    def __len__(self) -> int:
        return len(self._load())


datasets = Registry("dataset", "core.data")
samplers = Registry("sampler", "core.samplers")
methods = Registry("method", "core.methods")
notations = Registry("notation", "core.language.notations")
