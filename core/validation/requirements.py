"""What a method requires besides the examples of the task that it learns, in a sentence."""

from core.registry import MethodEntry, samplers
from core.validation.defaults import default_sampler


def requirements(method: MethodEntry) -> str:
    """What a method requires besides the examples of the task that it learns, in a sentence."""
    parts = []
    if method.memory:
        sampler = samplers[default_sampler(method.name)].label
        parts.append(f"a memory of each finished task (its own sampler: {sampler})")
    if method.past:
        parts.append(method.past)
    if method.fisher:
        parts.append(f"Fisher information{_when(method.fisher)}")
    if method.internals:
        parts.append(f"the parser's {method.internals}")
    if not parts:
        return "Needs nothing of past tasks."
    *before, last = parts
    return f"Needs {', '.join(before)} and {last}." if before else f"Needs {last}."


def _when(condition: bool | str) -> str:
    return f" {condition}" if isinstance(condition, str) else ""
