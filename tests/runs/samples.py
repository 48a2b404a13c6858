"""What several tests of runs share: a sample of each kind of event, and other processes."""

import subprocess
import sys

from core.events import Accuracy, Epoch, MemoryStored, Progress, StageTime

# an event, and what a second one under the same key says otherwise
SAMPLES = (
    (Epoch(1, "slow", 2, 0.5, 40, 1.5, {"current": 0.5}), {"loss": 0.25}),
    (Accuracy(1, 0, 3, 9), {"correct": 4}),
    (MemoryStored(1, (4, 2), {"entropy": [1.0, 1.5]}), {"rows": (7,)}),
    (StageTime(1, "slow", 2.0, 400.0), {"seconds": 3.0}),
)


def progress(done: float, *, epoch: int = 0, task: int = 0) -> Progress:
    return Progress(done, 100.0, task, "slow", epoch, 10, 1.0)


def python(code: str, *words: str) -> subprocess.Popen:
    """Another process that carries out this code, its output to be read as text."""
    return subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True)
