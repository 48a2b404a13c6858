"""What a run records while it goes on. Counts rather than rates: the rates follow.

Tasks and epochs count from 0. Every event carries the key under which the store keeps it once, so
a resumed run that repeats an epoch replaces its record.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RunStarted:
    """Facts known once the data are read: sent at the start and at every resume."""

    tasks: tuple[str, ...]  # names, in the order of learning
    n_train: tuple[int, ...]
    n_test: tuple[int, ...]
    covered: tuple[tuple[int, ...], ...]  # [k][i]: test rows of task i covered by 0…k
    actions: int
    slots: int
    parameters: int
    device: str
    task_parameters: int = 0  # of the parameters, how many each task has for itself
    keeps_memory: bool = True  # whether rows of finished tasks are chosen and kept
    reduced: str = ""  # what is recorded beside accuracy, where the budget allows less than asked


@dataclass(frozen=True)
class Progress:
    """How far the run is: `done` of `total` units of work (examples processed, weighted)."""

    done: float
    total: float
    task: int
    stage: str
    epoch: int  # epochs of this stage that are complete
    epochs: int
    loss: float | None  # running mean over the epoch so far; None: not a number


@dataclass(frozen=True)
class Epoch:
    """One pass of one stage over a task. Key: (task, stage, epoch)."""

    task: int
    stage: str
    epoch: int
    loss: float  # mean over the rows, per row summed over steps (replay and penalty included)
    n_examples: int
    seconds: float
    parts: dict[str, float] = field(default_factory=dict)  # "current", "replay", "penalty"
    stage_number: int = 0  # the stage's position in its task, from 0


@dataclass(frozen=True)
class Accuracy:
    """acc[k, i]: exact matches on task i's rows after learning task k. Key: (after, on)."""

    after: int
    on: int
    correct: int
    total: int


@dataclass(frozen=True)
class MemoryStored:
    """What the sampler chose of a finished task. Key: (task,)."""

    task: int
    indices: tuple[int, ...]  # indices into the task's training rows
    trace: dict[str, Any]


@dataclass(frozen=True)
class StageTime:
    """Seconds and work of a stage, evaluation or sampling. Key: (task, stage)."""

    task: int
    stage: str
    seconds: float
    work: float  # the same units as Progress


@dataclass(frozen=True)
class ActionsKnown:
    """What the run's action numbers stand for. Key: (action,), one record an action."""

    action: tuple[int, ...]
    text: tuple[str, ...]  # as in GEN ( string < )


@dataclass(frozen=True)
class ActionProbabilities:
    """P(gold action | history, utterance) on task `on`'s training rows after task `after`.

    Teacher-forced, dropout off. Key: (after, on, action), one record an action that occurs there.
    """

    after: int
    on: int
    action: tuple[int, ...]
    mean: tuple[float, ...]
    count: tuple[int, ...]  # occurrences in the training rows


@dataclass(frozen=True)
class Predictions:
    """What the parser says of task `on`'s evaluation rows after task `after`.

    Key: (after, on, row), one record a row of the test set (or of the held-out rows).
    """

    after: int
    on: int
    row: tuple[int, ...]
    correct: tuple[bool, ...]
    parse: tuple[tuple[int, ...], ...]  # action numbers of the top hypothesis
    complete: tuple[bool, ...]  # whether it came to an end
    log_prob: tuple[float, ...]  # of the top hypothesis
    first_wrong: tuple[int | None, ...]  # step of the first action that is not gold; None: none is
    gold: tuple[tuple[float, ...], ...]  # P of each gold step; empty: the grammar can't write it


@dataclass(frozen=True)
class ErrorCounts:
    """Error on a fixed sample of rows after an epoch, dropout off.

    Key: (task, stage, epoch, on, split), one record a task seen and a split.
    """

    task: int
    stage: str
    epoch: int
    on: tuple[int, ...]
    split: tuple[str, ...]  # "train" or "test"
    correct: tuple[int, ...]  # exact matches
    total: tuple[int, ...]
    nll: tuple[float, ...]  # summed over the rows that the grammar can write, nats
    covered: tuple[int, ...]  # how many rows those are
    stage_number: int = 0  # the stage's position in its task, from 0


@dataclass(frozen=True)
class Diagnostics:
    """Numbers that describe the method after a task. Key: (task, name), one record a name."""

    task: int
    name: tuple[str, ...]
    value: tuple[float, ...]


Event = (
    RunStarted
    | Progress
    | Epoch
    | Accuracy
    | MemoryStored
    | StageTime
    | ActionsKnown
    | ActionProbabilities
    | Predictions
    | ErrorCounts
    | Diagnostics
)
