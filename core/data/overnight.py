"""Overnight: eight domains of crowd-sourced paraphrases (Wang, Berant and Liang, 2015)."""

from core.data.base import Task
from core.data.io.benchmark import Benchmark
from core.registry import NoOptions, datasets

_OVERNIGHT = Benchmark(
    dataset="overnight",
    label="Overnight",
    folder="overnight",
    tasks=(
        "basketball",
        "blocks",
        "calendar",
        "housing",
        "publications",
        "recipes",
        "restaurants",
        "socialnetwork",
    ),
    splits=("train", "test"),
    notation="s_expression",
)


@datasets.register(
    "overnight",
    label="Overnight",
    rank=20,
    folder=_OVERNIGHT.folder,
    citation="Wang, Berant and Liang: Building a semantic parser overnight. ACL 2015.",
    licence="The terms are those of its publishers; this project does not redistribute it.",
)
def overnight(options: NoOptions) -> tuple[Task, ...]:
    """Eight domains, each a task: English questions written by crowd workers, s-expressions."""
    return _OVERNIGHT.load()
