"""Experiments to start from; a module registers its own with `presets.register(name, label=…)`.

An entry's value is a function without arguments that gives the Experiment.
"""

from dataclasses import dataclass

from core.registry import Entry, Registry


@dataclass(frozen=True)
class PresetEntry(Entry):
    """A function `() -> Experiment`."""

    dataset: str = ""  # whose tasks it learns


presets = Registry("preset", "core.experiments.presets", PresetEntry)
