"""Who carries a run out: a process, named so that it can be told later whether it is still there.

A pid alone is not enough: after a restart another process may have it. The moment the process
started, as the kernel counts it, goes with the pid.
"""

import os
import secrets
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Owner:
    """A process on a host, and the worker in it that holds a run."""

    host: str
    pid: int
    started: str  # when the process started; comparable only within one `space`
    token: str  # differs for every call of `new_owner`


def new_owner() -> Owner:
    """This process, with a token of its own: one for each worker that claims runs."""
    started = f"{_space()} {_start_of(os.getpid())}"
    return Owner(socket.gethostname(), os.getpid(), started, secrets.token_hex(8))


def gone(owner: Owner) -> bool | None:
    """Whether the process has ended; None where that can't be seen from here.

    Processes of another host can't be seen, nor those of another boot or container: two machines
    may bear one name.
    """
    space, _, started = owner.started.rpartition(" ")
    if owner.host != socket.gethostname() or space != _space() or os.name != "posix":
        return None
    return _start_of(owner.pid) != started


def _space() -> str:
    """Names the boot and the container within which pids and start times mean something."""
    boot = _PROC / "sys/kernel/random/boot_id"
    namespace = _PROC / "self/ns/pid"
    if not boot.exists() or not namespace.is_symlink():
        return "-"
    return f"{boot.read_text().strip()} {namespace.readlink()}"


def _start_of(pid: int) -> str:
    """When the process started, as text without blanks; empty where there is no such process."""
    if not (_PROC / "self/stat").exists():
        return _start_by_ps(pid)
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()  # the name before it may hold blanks and brackets
    state, start = fields[0], fields[19]
    return "" if state in "ZX" else start  # a zombie has ended


def _start_by_ps(pid: int) -> str:
    if os.name != "posix":
        return "-"
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    return "_".join(shown.stdout.split())
