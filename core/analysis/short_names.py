"""What runs beside one another are called: a given name, else what tells them apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.analysis.accuracy import Group, group
from core.analysis.settings import differing, method_name
from core.config import RunConfig
from core.data.naming import dataset_name
from core.experiments.experiment import arm_in_name
from core.runs.run import Run

_SHORT = {
    "memory size": "M",
    "learning rate": "lr",
    "batch size": "batch",
    "sampler": "",
    "dataset": "",
    "order seed": "order",
}
_METHOD = ("method", "dataset", "dataset.file", "seed", "task_order", "permutation")


def short_names(runs: Sequence[Run]) -> dict[int, str]:
    """By the run's number: `TR + EWC, M 25, seed 3`; no two are alike.

    The method always stands there; data set, seed and other settings where they are not the same
    in all of the runs. An imported file is always named. A cell of an experiment has its arm's
    label for method and settings.
    """
    configs = [run.config for run in runs]
    seeds = {config.seed for config in configs}
    names = {}
    for run, parts in zip(runs, _parts(configs), strict=True):
        if arm := arm_in_name(run.name):  # its label says how the cell differs, but for the pair
            parts = [arm, *(part for part in parts if part.startswith("order "))]
        parts += [f"seed {run.config.seed}"] if len(seeds) > 1 else []
        names[run.id] = given_name(run) or ", ".join(parts)
    counts = Counter(names.values())
    return {id: f"{name}, run {id}" if counts[name] > 1 else name for id, name in names.items()}


def named_groups(runs: Sequence[Run], names: Mapping[int, str]) -> tuple[Group[Run], ...]:
    """Runs put together that differ only in seed and order of tasks (accuracy.group): one that
    stands alone under its own name, several under what they have in common. No two are alike.
    """
    groups = group(runs)
    parts = _parts([each.runs[0].config for each in groups], ("order_seed",))
    labels = [
        names[each.runs[0].id] if len(each.runs) == 1 else _arm(each) or ", ".join(words)
        for each, words in zip(groups, parts, strict=True)
    ]
    counts = Counter(labels)
    return tuple(
        replace(each, label=f"{label}, run {each.runs[0].id}" if counts[label] > 1 else label)
        for each, label in zip(groups, labels, strict=True)
    )


def _arm(runs: Group[Run]) -> str:
    """The label of the arm whose cells all of these are; empty where they are not."""
    arms = {arm_in_name(run.name) for run in runs.runs}
    return arms.pop() if len(arms) == 1 else ""


def given_name(run: Run) -> str:
    """The name that somebody gave the run; empty where it bears the one it was made with, or an
    experiment's.
    """
    made = tuple(f"{name} on " for name in (method_name(run.config), run.config.method))
    by_itself = run.name.startswith(made) and ", seed " in run.name
    return "" if by_itself or arm_in_name(run.name) else run.name


def _parts(configs: Sequence[RunConfig], leave_out: Sequence[str] = ()) -> list[list[str]]:
    """For each config its method, and settings and data set where these are not all the same."""
    datasets = {dataset_name(config) for config in configs}
    differences = differing(configs, leave_out=(*_METHOD, *leave_out))
    return [
        [
            _method(config),
            *map(_shortened, words),
            *([dataset_name(config)] if len(datasets) > 1 or config.dataset == "upload" else []),
        ]
        for config, words in zip(configs, differences, strict=True)
    ]


def _method(config: RunConfig) -> str:
    name = method_name(config)
    return f"TR{name.removeprefix('Total Recall')}" if name.startswith("Total Recall") else name


def _shortened(words: str) -> str:
    """`memory size 25` → `M 25`."""
    for long, short in _SHORT.items():
        if words.startswith(f"{long} "):
            return f"{short} {words[len(long) + 1 :]}".strip()
    return words
