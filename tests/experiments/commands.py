"""A tiny experiment, and the command that carries experiments out."""

import os
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


def experiment(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "experiment", *words],
        cwd=PROJECT,
        env=os.environ | {"TOTAL_RECALL_HOME": str(home), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def done(home: Path, *words: str) -> str:
    process = experiment(home, *words)
    out = process.communicate()[0]
    assert process.returncode == 0, out
    return out
