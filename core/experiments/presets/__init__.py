"""Experiments to start from; a module registers its own with `presets.register(name, label=…)`.

An entry's value is a function without arguments that gives the Experiment.
"""

from core.registry import Registry

presets = Registry("preset", "core.experiments.presets")
