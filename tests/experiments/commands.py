"""A tiny experiment, and the command that carries experiments out."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from core.paths import PROJECT

TINY = """
name = "tiny"
pairs = 2
[base]
dataset = "demo"
task_order = ["library", "events"]
memory_size = 5
epochs = 2
hidden_size = 16
word_size = 16
action_size = 16
threads = 1
device = "cpu"
[[arms]]
label = "plain"
method = "finetune"
[[arms]]
label = "replay"
method = "emr"
"""


_TIMES = re.compile(r"^Minutes|^Time", re.IGNORECASE)


def experiment(home: Path | str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "experiment", *words],
        cwd=PROJECT,
        env=os.environ | {"TOTAL_RECALL_HOME": str(home), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def done(home: Path | str, *words: str) -> str:
    process = experiment(home, *words)
    out = process.communicate()[0]
    assert process.returncode == 0, out
    return out


def table(home: Path | str, name: str) -> list[list[str]]:
    """The printed table, cell by cell, but for how long runs took."""
    rows = [line.split(",") for line in done(home, "table", name, "--format", "csv").split("\n")]
    times = [at for at, column in enumerate(rows[0]) if _TIMES.match(column)]
    return [[cell for at, cell in enumerate(row) if at not in times] for row in rows]


def kill_family(pid: int) -> list[int]:
    """SIGKILL for a process and all that it began, at one moment; their numbers."""
    family = [pid]
    for each in family:  # grows while children of children are found
        lists = Path(f"/proc/{each}/task").glob("*/children")
        family += [int(child) for children in lists for child in children.read_text().split()]
    for each in family:
        os.kill(each, signal.SIGKILL)
    return family
