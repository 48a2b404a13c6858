"""What several tests of runs share: a sample of each kind of event, and other processes."""

import subprocess
import sys

from core.events import (
    Accuracy,
    ActionProbabilities,
    ActionsKnown,
    Epoch,
    ErrorCounts,
    MemoryStored,
    Predictions,
    Progress,
    StageTime,
)

# an event, and what a second one under the same key says otherwise
SAMPLES = (
    (Epoch(1, "slow", 2, 0.5, 40, 1.5, {"current": 0.5}), {"loss": 0.25}),
    (Accuracy(1, 0, 3, 9), {"correct": 4}),
    (MemoryStored(1, (4, 2), {"entropy": [1.0, 1.5]}), {"indices": (7,)}),
    (StageTime(1, "slow", 2.0, 400.0), {"seconds": 3.0}),
)

# events that become as many rows as they have records, and what a second one says otherwise
MANY = (
    (ActionsKnown((0, 1, 2), ("GEN a", "GEN b", "c ( _ )")), {"text": ("GEN x", "GEN y", "z")}),
    (ActionProbabilities(2, 1, (4, 7, 9), (0.5, 0.25, 1.0), (3, 1, 8)), {"mean": (0.1, 0.2, 0.3)}),
    (
        Predictions(
            2, 1, (0, 1, 2), (True, False, False), ((3, 1), (3,), ()), (True, True, False),
            (-0.5, -1.0, -1e30), (None, 1, 0), ((0.5, 0.25), (0.5, 1e-20), ()),
        ),
        {"parse": ((3, 1), (3, 2), (3,)), "first_wrong": (None, None, 1)},
    ),
    (
        ErrorCounts(1, "slow", 3, (0, 0, 1), ("train", "test", "test"), (3, 2, 1), (4, 4, 4),
               (0.5, 1.5, 9.0), (4, 4, 3)),
        {"correct": (4, 3, 2)},
    ),
)  # fmt: skip


def progress(done: float, *, epoch: int = 0, task: int = 0) -> Progress:
    return Progress(done, 100.0, task, "slow", epoch, 10, 1.0)


def python(code: str, *words: str, stdin: int | None = None) -> subprocess.Popen:
    """Another process that carries out this code, its output to be read as text."""
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
