"""The one description of a run: the same for the browser, the command line and the store."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from core.config.learning import MethodSettings, TaskSettings, TrainingSettings
from core.config.parser import RANDOM_VECTORS, EncoderSettings, ParserSettings
from core.options import ConfigError, build_options, option, specs
from core.registry import Entry, Registry, datasets, methods, samplers


@dataclass(frozen=True)
class MachineSettings:
    """What the run is drawn from and computed on."""

    seed: int = option(0, "of every random draw of the run", low=0, high=2**31 - 1, group="Machine")
    device: str = option(
        "auto",
        "auto, cpu or cuda:N; equal results bit for bit are promised on a CPU alone",
        group="Machine",
    )
    threads: int = option(
        1,
        "CPU threads for the arithmetic; results are bit-identical for one number of threads",
        low=1,
        high=256,
        group="Machine",
        label="CPU threads",
    )
    precision: str = option(
        "float32",
        "numbers that training multiplies. float32; tf32: a GPU rounds them to 10 bits behind the "
        "point (from Ampere on); bfloat16: by autocast to 7 in encoder, decoder and attention, "
        "where GPU or CPU have it. Weights, sums, losses and decoding stay float32",
        choices=("float32", "tf32", "bfloat16"),
        group="Machine",
        label="Precision of training",
    )


@dataclass(frozen=True)
class RecordingSettings:
    """What the run notes beside accuracy; changes no result."""

    record_actions: bool = option(
        True,
        "after each task, the probability of every action on the training rows of the tasks "
        "so far (takes 5 % of a run of Total Recall on Overnight, 11 % of one of fine-tuning)",
        group="Recording",
    )
    record_predictions: bool = option(
        True,
        "after each task, the parse of every test row of the tasks so far and the "
        "probability of each of its gold steps (takes 1 to 3 %, and 2.5 MB in the store)",
        group="Recording",
    )
    error_rows: int = option(
        20,
        "rows of each task so far, so many of its training and so many of its test rows, on "
        "which error is measured after every epoch; 0: none (20 take 2 to 4 % on Overnight)",
        low=0,
        high=10_000,
        group="Recording",
        label="Rows for error curves",
    )

    recording_budget: float = option(
        0.15,
        "what all of this may cost at most, as a share of the work of training; where it "
        "would cost more, errors are measured after fewer epochs, on fewer rows, of fewer tasks",
        low=0.0,
        high=1000.0,
        group="Recording",
        label="Most that recording may cost",
    )


@dataclass(frozen=True)
class RunConfig(
    RecordingSettings,  # fields come in the opposite order
    MachineSettings,
    EncoderSettings,
    ParserSettings,
    TrainingSettings,
    MethodSettings,
    TaskSettings,
):
    """Everything that decides what a run computes. Equal configs give equal results."""

    def __post_init__(self) -> None:
        if not self.embeddings:
            object.__setattr__(self, "embeddings", RANDOM_VECTORS)
        for spec in specs(RunConfig):
            object.__setattr__(self, spec.name, spec.check(getattr(self, spec.name), ""))
        for name in OPTION_GROUPS:
            values = getattr(self, f"{name}_options")
            if not isinstance(values, Mapping):
                raise ConfigError(f"{name}_options = {values!r}: expected a table of options.")
            object.__setattr__(self, f"{name}_options", MappingProxyType(dict(values)))

    def __hash__(self) -> int:
        return hash(self.to_json())

    def options(self, which: str) -> Any:
        """The options object of the dataset, method or sampler, checked against its declaration.

        ConfigError where the name or an option is not known or a value is out of range.
        """
        entry = entry_of(which, getattr(self, which))
        return build_options(entry.options, getattr(self, f"{which}_options"), f"{entry.name}.")

    def with_(self, **changes: Any) -> "RunConfig":
        """A copy with these fields changed."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only."""
        values = {spec.name: getattr(self, spec.name) for spec in specs(RunConfig)}
        values["task_order"] = list(self.task_order)
        for name in OPTION_GROUPS:
            values[f"{name}_options"] = dict(getattr(self, f"{name}_options"))
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "RunConfig":
        """The inverse of to_dict; missing fields take their defaults, unknown ones are refused."""
        known = _names()
        for name in values:
            if name not in known:
                raise ConfigError(
                    f"{name} is not an option of a run; there are: {', '.join(sorted(known))}."
                )
        return cls(**values)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RunConfig":
        """The inverse of to_json; what an earlier version left out is what it did then."""
        return cls.from_dict({**_earlier(), **json.loads(text)})


@cache
def _names() -> frozenset[str]:
    return frozenset(item.name for item in fields(RunConfig))


@cache
def _earlier() -> Mapping[str, Any]:
    """What runs did that state no such option."""
    return {spec.name: spec.earlier for spec in specs(RunConfig)}


RECORDING: Mapping[str, Any] = MappingProxyType(  # what changes no result, with its defaults
    {spec.name: spec.default for spec in specs(RunConfig) if spec.group == "Recording"}
)
OPTION_GROUPS: Mapping[str, Registry[Any]] = MappingProxyType(
    {"dataset": datasets, "method": methods, "sampler": samplers}
)


def entry_of(which: str, name: str) -> Entry:
    """The data set, method or sampler of this name; ConfigError names what there is instead."""
    entry: Entry = OPTION_GROUPS[which][name]
    return entry


def changed(config: RunConfig) -> Iterator[tuple[str, Any]]:
    """The settings in which a config differs from the defaults, options as `method.name`."""
    default = RunConfig()
    for spec in specs(RunConfig):
        value = getattr(config, spec.name)
        if value != getattr(default, spec.name):
            yield spec.name, value
    for which in OPTION_GROUPS:
        for name, value in getattr(config, f"{which}_options").items():
            yield f"{which}.{name}", value
