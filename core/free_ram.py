"""How much memory is free, so that nothing is asked for that isn't there."""

from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """Memory that this process may still take, a container's limit included; None: not known."""
    limits = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        limits += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")]
        limit = (_GROUP / "memory.max").read_text(encoding="ascii").strip()
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        limits += [int(limit) - used] if limit.isdigit() else []
    except OSError:
        pass  # another system, or no container
    return min(limits, default=None)
