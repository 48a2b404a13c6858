"""An experiment: several arms over the same pairs of task order and seed.

Its cells are configurations, arm × pair. A run belongs to a cell by its configuration (see
core.runs.digest), whoever launched it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from core.config import RunConfig
from core.experiments.settings import with_settings
from core.options import ConfigError
from core.text import clean, counted

DEFAULT_PAIRS = 10  # the paper's
MOST_CELLS = 10_000
_RUN_NAME = re.compile(r".*: arm '(?P<arm>.*)', order .+, seed \d+")


@dataclass(frozen=True)
class Arm:
    """A label and the settings in which it differs from the base, options as `method.name`."""

    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.settings.items()
        }
        object.__setattr__(self, "label", clean(self.label))
        object.__setattr__(self, "settings", MappingProxyType(values))


@dataclass(frozen=True)
class Pair:
    """A task order, by its seed or named in full, and the seed of all other random draws."""

    order_seed: int
    seed: int
    task_order: tuple[str, ...] = ()  # empty: the base's

    @property
    def label(self) -> str:
        order = f"order {', '.join(self.task_order)}" if self.task_order else ""
        return f"{order or f'order {self.order_seed}'}, seed {self.seed}"


def default_pairs(n: int = DEFAULT_PAIRS) -> tuple[Pair, ...]:
    """Orders 1 to n, each with its own seed; ConfigError where these are too many."""
    _refuse_too_many(n)
    return tuple(Pair(number, number) for number in range(1, n + 1))


def crossed(orders: Sequence[int], seeds: Sequence[int]) -> tuple[Pair, ...]:
    """Every order with every seed, so that the effects of both can be told from one another.

    ConfigError where these are too many.
    """
    _refuse_too_many(len(orders) * len(seeds))
    return tuple(Pair(order, seed) for seed in seeds for order in orders)


def _refuse_too_many(n: int) -> None:
    """Before they are made: a number may be a slip that fills the memory."""
    if n > MOST_CELLS:
        raise ConfigError(
            f"{n:,} pairs are too many: expected 1 to {MOST_CELLS:,}, better 6 to 20."
        )


@dataclass(frozen=True)
class Experiment:
    """A name, the base configuration, the arms and the pairs."""

    name: str
    base: RunConfig
    arms: tuple[Arm, ...]
    pairs: tuple[Pair, ...] = field(default_factory=default_pairs)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean(self.name))

    @property
    def size(self) -> int:
        """How many cells it has."""
        return len(self.arms) * len(self.pairs)

    @property
    def shape(self) -> str:
        """`3 arms × 5 pairs`"""
        return f"{counted(len(self.arms), 'arm')} × {counted(len(self.pairs), 'pair')}"

    def arm_config(self, arm: Arm) -> RunConfig:
        """The arm's configuration but for the pair; ConfigError where it has a wrong setting."""
        return with_settings(self.base, arm.settings)

    def configs(self) -> Iterator[tuple[int, int, RunConfig]]:
        """(pair, arm, configuration) of every cell in the order of work: pairs outer, arms inner.

        So every pair that is complete is a fair comparison, and the table grows evenly.
        """
        arms = [self.arm_config(arm) for arm in self.arms]
        for number, pair in enumerate(self.pairs):
            for at, config in enumerate(arms):
                yield number, at, of_pair(config, pair)

    def cell_label(self, pair: int, arm: int) -> str:
        """`arm 'EWC', order 3, seed 3`"""
        return f"arm '{self.arms[arm].label}', {self.pairs[pair].label}"

    def run_name(self, pair: int, arm: int) -> str:
        """What the cell's run is called: `main: arm 'EWC', order 3, seed 3`"""
        return f"{self.name}: {self.cell_label(pair, arm)}"

    def with_(self, **changes: Any) -> "Experiment":
        return replace(self, **changes)


def arm_in_name(name: str) -> str:
    """The arm's label in what an experiment has called a run; empty in any other name."""
    match = _RUN_NAME.fullmatch(name)
    return match["arm"] if match else ""


def of_pair(config: RunConfig, pair: Pair) -> RunConfig:
    """An arm's configuration with the pair's order and seed."""
    order = {"task_order": pair.task_order} if pair.task_order else {}
    return config.with_(order_seed=pair.order_seed, seed=pair.seed, **order)
