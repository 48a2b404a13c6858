"""An experiment made of runs that are there: its cells find them again by what they are."""

from collections.abc import Sequence
from typing import Any

from core.config import OPTION_GROUPS, RunConfig, entry_of
from core.experiments.experiment import Arm, Experiment, Pair
from core.experiments.settings import with_settings
from core.methods.parts.variants import variant
from core.options import ConfigError, specs
from core.registry import methods
from core.runs.digest import decisive, digest
from core.runs.store import Store

_OF_MEMORY = ("sampler", "memory_size")
_OF_PAIR = ("order_seed", "seed", "task_order")


def of_runs(store: Store, ids: Sequence[int], name: str) -> Experiment:
    """Arms are what the runs differ in but for order and seed, pairs are their orders and seeds.

    Where no run has an arm with a pair, that cell is still to be carried out. ConfigError where the
    runs make no experiment, StoreError where one isn't there.
    """
    configs = [store.run(id).config for id in dict.fromkeys(ids)]
    if not configs:
        raise ConfigError("There is no run: expected at least 1 to make an experiment of.")
    base = _without_pair(configs[0])
    same_order = len({config.task_order for config in configs}) == 1
    base = base.with_(task_order=configs[0].task_order) if same_order else base
    kinds = {digest(_without_pair(config)): config for config in reversed(configs)}
    ordered = dict.fromkeys(digest(_without_pair(config)) for config in configs)
    settings = [_differences(base, kinds[key]) for key in ordered]
    arms = tuple(map(Arm, _labels(base, settings), settings))
    pairs = dict.fromkeys(
        Pair(config.order_seed, config.seed, () if same_order else config.task_order)
        for config in configs
    )
    experiment = Experiment(name, base, arms, tuple(pairs))
    _check_all_there(experiment, configs, ids)
    return experiment


def _without_pair(config: RunConfig) -> RunConfig:
    """But for the pair, and for what has no effect where the method keeps no memory."""
    plain, names = RunConfig(), list(_OF_PAIR)
    if not methods[config.method].memory:
        names += _OF_MEMORY
    return config.with_(**{name: getattr(plain, name) for name in names})


def _differences(base: RunConfig, config: RunConfig) -> dict[str, Any]:
    """The settings that make the base this configuration, options as `method.name`."""
    changed = {
        spec.name: getattr(config, spec.name)
        for spec in specs(RunConfig)
        if spec.name not in _OF_PAIR and getattr(config, spec.name) != getattr(base, spec.name)
    }
    if not methods[config.method].memory:
        changed = {
            name: changed[name] for name in changed if name not in ("sampler", "memory_size")
        }
    elif config.method != base.method:
        changed["sampler"] = config.sampler  # said, where a change of the method would choose one
    for which in OPTION_GROUPS:
        kept = getattr(config, which) == getattr(base, which)
        before = getattr(base, f"{which}_options") if kept else {}
        given = getattr(config, f"{which}_options")
        defaults = {
            spec.name: spec.default
            for spec in specs(entry_of(which, getattr(config, which)).options)
        }
        for option in {**before, **given}:
            value = given.get(option, defaults.get(option))
            if option not in before or before[option] != value:
                changed[f"{which}.{option}"] = value
    return changed


def _labels(base: RunConfig, settings: Sequence[dict[str, Any]]) -> list[str]:
    """The method's name; where that is the same for several, with what is different."""
    configs = [with_settings(base, each) for each in settings]
    names = [f"{methods[each.method].label}{variant(each.method_options)}" for each in configs]
    labels = []
    for name, config in zip(names, configs, strict=True):
        rivals = [decisive(c) for n, c in zip(names, configs, strict=True) if n == name]
        mine = decisive(config)
        words = [
            f"{setting} {mine.get(setting, 'default')}"
            for setting in sorted({key for each in rivals for key in each})
            if len({repr(each.get(setting)) for each in rivals}) > 1
        ]
        labels.append(", ".join([name, *words]))
    return labels


def _check_all_there(
    experiment: Experiment, configs: Sequence[RunConfig], ids: Sequence[int]
) -> None:
    cells = {digest(config) for _, _, config in experiment.configs()}
    missing = [id for id, config in zip(ids, configs, strict=True) if digest(config) not in cells]
    if missing:
        raise ConfigError(
            f"Run {missing[0]} differs from the others in what an experiment can't say: leave it "
            "out."
        )
