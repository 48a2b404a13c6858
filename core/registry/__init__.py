"""Registries: what a package offers by name, found by the files that are there.

A registry belongs to one package. A module of that package registers what it defines with a
decorator; the first look-up imports every module of the package, so adding a file is all that it
takes to add a method, a sampler or a data set. What is registered is checked at once.
"""

from core.registry.entries import (
    DatasetEntry,
    Entry,
    MethodEntry,
    NoOptions,
    NotationEntry,
    SamplerEntry,
)
from core.registry.registry import RegistrationError, Registry

datasets = Registry("dataset", "core.data", DatasetEntry)
samplers = Registry("sampler", "core.samplers", SamplerEntry)
methods = Registry("method", "core.methods", MethodEntry)
notations = Registry("notation", "core.language.notations", NotationEntry)

__all__ = [
    "DatasetEntry",
    "Entry",
    "MethodEntry",
    "NoOptions",
    "NotationEntry",
    "RegistrationError",
    "Registry",
    "SamplerEntry",
    "datasets",
    "methods",
    "notations",
    "samplers",
]
