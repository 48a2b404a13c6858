"""The command that hands an experiment's cells to a Ray cluster, as a process of its own.

For the app: it outlives it, and what it prints is kept beside the runs.
"""

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path

from core import paths
from core.experiments.on_ray import MISSING, Share, check_address
from core.options import ConfigError

_MOST_READ = 4_000  # bytes of its output


def is_installed() -> bool:
    """Whether Ray is there, without loading it."""
    return importlib.util.find_spec("ray") is not None


def start(name: str, log: Path, address: str = "", share: Share | None = None) -> int:
    """Dispatch the experiment to the cluster at this address (none: begin one here); its pid.

    ConfigError where Ray is not installed, nobody answers there, or a cell would take nothing of
    a node.
    """
    share = share or Share()
    if share.cpus < 0 or share.gpus < 0 or not share.cpus + share.gpus:
        raise ConfigError("CPUs and GPUs of a cell: expected numbers above 0.")
    if not is_installed():
        raise ConfigError(f"{MISSING}.")
    check_address(address)
    words = [name, "--on", "ray", "--cpus", f"{share.cpus:g}", "--gpus", f"{share.gpus:g}"]
    words += ["--address", address] if address else []
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "core", "experiment", "run", *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=paths.environment_of_children(),
        )
    threading.Thread(target=process.wait, name="dispatcher", daemon=True).start()
    return process.pid


def log_of(experiment: int) -> Path:
    """Where the output of the experiment's last dispatcher is kept."""
    return paths.home() / f"ray-{experiment}.log"


def last_words(log: Path, lines: int = 6) -> str:
    """The last lines that a dispatcher has printed; empty where there was none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _MOST_READ))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
