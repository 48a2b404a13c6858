"""Experiments of what the paper's tables have and nobody has run here."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.analysis.exported_runs import ExportedRun
from core.analysis.paper_beside import beside, fits
from core.analysis.paper_values import TASKS, Published, published
from core.experiments.experiment import Arm, Experiment, Pair, default_pairs
from core.experiments.presets.parts import ENCODERS, METHODS, arm, base
from core.registry import methods

_NOTES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "with DAR": {"method.adapters": "full"},
        "without DAR": {},
        "DAR without cross": {"method.adapters": "without_cross"},
        "without fast": {"method.adapters": "full", "method.fast": "none"},
        "fast/lwf": {"method.adapters": "full", "method.fast": "task_specific"},
        "fast/emar": {"method.adapters": "full", "method.fast": "all"},
        "validation sets": {"method.adapters": "full", "evaluation": "heldout"},
        "": {"method.adapters": "full"},  # Table 8 doesn't say it
        **{note: {"method.adapters": "full"} for note in ENCODERS},  # nor does Table 4
    }
)


def missing(
    records: Sequence[ExportedRun], number: int, pairs: Sequence[Pair] | None = None
) -> tuple[Experiment, ...]:
    """Experiments, one a data set, of the cells of Table `number` for which no record stands.

    Each over these pairs, or the paper's number of them.
    """
    table = beside(records, number)
    values = [value for value in published() if value.table == number]
    arms: dict[str, dict[str, Arm]] = {dataset: {} for dataset in TASKS}
    for value, n in zip(values, table.n, strict=True):
        wanted = None if n else arm_of(value)
        if wanted is not None:
            arms[value.dataset][wanted.label] = wanted
    return tuple(
        Experiment(
            f"table{number}-missing-{dataset.replace('_', '-')}",
            base(dataset),
            tuple(by_label.values()),
            tuple(pairs or default_pairs()),
        )
        for dataset, by_label in arms.items()
        if by_label
    )


def arm_of(value: Published) -> Arm | None:
    """The arm that stands for a value of the paper; None where it can't be run here."""
    if value.note not in _NOTES:
        return None
    settings: dict[str, Any] = dict(_plain(value.method)) | dict(ENCODERS.get(value.note, {}))
    if value.method == "total_recall":
        settings |= {"sampler": value.sampler or "dlfs", **_NOTES[value.note]}
        settings |= {"method.penalty": value.variant} if value.variant else {}
    if value.memory_size != base(value.dataset).memory_size:
        settings["memory_size"] = value.memory_size
    made = arm(value.dataset, _label(value), settings)
    config = Experiment("", base(value.dataset), (made,)).arm_config(made)
    return made if fits(config, value) else None


def _plain(method: str) -> Mapping[str, Any]:
    """How the presets run a method by itself."""
    return next(each for each in METHODS.values() if each["method"] == method)


def _label(value: Published) -> str:
    name = f"{methods.declared(value.method, 'label')}{' + EWC' if value.variant else ''}"
    note = value.note if value.method == "total_recall" or value.note in ENCODERS else ""
    size = f"memory {value.memory_size}" if value.sampler else ""
    return ", ".join(filter(None, [name, note, value.sampler, size]))
