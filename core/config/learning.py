"""The settings of what is learned, by which method, and how it is trained."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from core.options import option


@dataclass(frozen=True)
class TaskSettings:
    """Which tasks, in which order, and what their rows are made into."""

    dataset: str = option(
        "demo",
        "which tasks to learn",
        group="Tasks",
        label="Data set",
    )
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    task_order: tuple[str, ...] = option(
        (),
        "names of the tasks to learn, in order; empty: all of them",
        group="Tasks",
        label="Tasks",
    )
    order_seed: int = option(
        0,
        "permutes the tasks; 0 keeps their order",
        low=0,
        high=2**31 - 1,
        group="Tasks",
        label="Shuffle by order seed",
    )
    permutation: str = option(
        "numpy",
        "how order_seed permutes. numpy: by NumPy's generator, the order given; release: as "
        "the paper's release, by PyTorch's generator, tasks by falling number of training rows",
        choices=("numpy", "release"),
        group="Tasks",
        label="How the order seed shuffles",
    )
    lemmas: str = option(
        "none",
        "words of utterances by their lemma. noun: a noun's plural reads as its singular (the "
        "paper's release; needs the package lemminflect); none: every word as it stands",
        choices=("none", "noun"),
        offered=lambda: ("none", "noun") if find_spec("lemminflect") else ("none",),
        group="Tasks",
        label="Nouns by their lemma",
    )
    idioms: int = option(
        0,
        "larger idioms learned a task by tree-BPE",
        low=0,
        high=1000,
        group="Tasks",
        label="Larger idioms a task",
    )
    evaluation: str = option(
        "test",
        "rows that accuracy is measured on: the test set, or held-out rows for tuning (the dev "
        "set, or a fifth of the training rows where there is none)",
        choices=("test", "heldout"),
        group="Tasks",
        label="Accuracy measured on",
    )


@dataclass(frozen=True)
class MethodSettings:
    """What is done against forgetting, and the memory it has."""

    method: str = option("total_recall", "how the parser learns task after task", group="Method")
    method_options: Mapping[str, Any] = field(default_factory=dict)
    sampler: str = option(
        "dlfs",
        "how a finished task's memory is chosen; where nothing is said, a new run takes that of "
        "the method's own paper, which for Total Recall is dlfs",
        group="Method",
    )
    sampler_options: Mapping[str, Any] = field(default_factory=dict)
    memory_size: int = option(
        50,
        "rows kept of each finished task (paper: 50)",
        low=0,
        high=100_000,
        group="Method",
        label="Memory: rows kept of each task",
        expected="a whole number from 1 to 100,000, or 0 for a method that keeps no memory",
    )
    task_masking: bool = option(
        False,
        "with the task known, other tasks' own actions are removed from A_t, in training and "
        "decoding (the paper's release: on)",
        group="Method",
    )

    applicable: str = option(
        "slot",
        "A_t, the actions that a step may take. slot: those that training data show in the slot "
        "that is filled; type: all actions of the kind that they show there, task-specific or "
        "cross-task, whatever the slot (the paper's release; with task masking the task's own, and "
        "the cross-task ones that were known when it was learned)",
        choices=("slot", "type"),
        group="Method",
        label="Actions that a step may take",
    )


@dataclass(frozen=True)
class TrainingSettings:
    """How a stage is trained."""

    epochs: int = option(10, "passes over a task (paper: 10)", low=1, high=1000, group="Training")
    batch_size: int = option(64, "rows a step (paper: 64)", low=1, high=4096, group="Training")
    learning_rate: float = option(
        0.0025, "Adam's step size (paper: 0.0025)", low=1e-8, high=1.0, group="Training"
    )
    schedule: str = option(
        "constant",
        "learning rate within a stage: constant (paper), or linear: down to nothing, epoch by "
        "epoch",
        choices=("constant", "linear"),
        group="Training",
        label="Learning rate within a stage",
    )
    dropout: float = option(
        0.2, "on word embeddings and on s_t", low=0.0, high=0.95, group="Training"
    )
    word_dropout: float = option(
        0.0, "share of training words read as unknown", low=0.0, high=0.95, group="Training"
    )
    clip_norm: float = option(
        5.0,
        "the gradient's norm is cut to this; 0: never",
        low=0.0,
        high=1e6,
        group="Training",
        label="Gradient cut to norm",
    )
    label_smoothing: float = option(
        0.0,
        "share of the target's probability that is spread evenly over A_t in training",
        low=0.0,
        high=0.95,
        group="Training",
    )
    optimizer: str = option(
        "fresh",
        "Adam's moments. fresh: every stage of a task starts without any; kept: one optimizer for "
        "the whole run, as in the paper's release",
        choices=("fresh", "kept"),
        group="Training",
        label="Optimizer's moments",
    )
