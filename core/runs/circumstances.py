"""What a run is computed with, and why one failed, in words."""

import errno
import importlib.metadata
import platform

import core
from core.data.base import DataError
from core.options import ConfigError
from core.runs.checkpoint_files import CheckpointError
from core.runs.run import FAILED, Run, StoreError

_LOST = "The GPU failed"
# as PyTorch says it of the CPU, of a GPU, and of the libraries that compute on one
_NO_MEMORY = ("can't allocate memory", "out of memory", "ALLOC_FAILED")


def versions() -> dict[str, str]:
    """What a run is computed with."""
    packages = {name: importlib.metadata.version(name) for name in ("torch", "numpy")}
    return {"python": platform.python_version(), **packages, "total_recall": core.__version__}


def explain(problem: Exception) -> str:
    """Why a run failed, in one sentence for people."""
    from core.training.sequence import TrainingFailed

    readable = (ConfigError, DataError, TrainingFailed, CheckpointError, StoreError)
    said = " ".join(str(problem).split())
    if isinstance(problem, readable) and said:
        return said
    if isinstance(problem, MemoryError) or any(sign in said for sign in _NO_MEMORY):
        return "Memory ran out: a smaller batch_size, hidden_size or beam_size needs less of it."
    if "CUDA error" in said or type(problem).__name__ == "AcceleratorError":
        return f"{_LOST} ({said[:80]}): resume the run in a process started since."
    if isinstance(problem, OSError) and problem.errno == errno.ENOSPC:
        return "The disk is full."
    kind, why = type(problem).__name__, said.rstrip(".") or "no message"
    return f"Unexpected {kind}: {why} (core.log in the folder of the runs has where)."


def has_lost_gpu(run: Run) -> bool:
    """Whether it failed with its GPU: a process that has lost one can't use it again."""
    return run.status == FAILED and run.error.startswith(_LOST)
