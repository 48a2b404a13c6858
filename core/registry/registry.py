"""A registry: Name → Entry for one package, filled by decorators, checked as it is filled."""

import ast
import importlib
import inspect
import pkgutil
import threading
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.options import ConfigError
from core.registry.entries import Entry, NoOptions


class RegistrationError(TypeError):
    """Something is registered wrongly: the message names file and function and what is right."""


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
        folder = Path(__file__).parents[2].joinpath(*self.package.split("."))
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
            names = ", ".join(self)
            raise ConfigError(f"{self.kind} '{name}' is not known; there are: {names}.")
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
    project = Path(__file__).parents[2]
    return str(path.relative_to(project) if path.is_relative_to(project) else path)
