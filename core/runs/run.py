"""A run and its life: queued → running → finished | failed | stopped | interrupted.

The last three can go back to the queue; a run can be stopped while it waits there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from core.config import RunConfig
from core.events import Progress, RunStarted

QUEUED, RUNNING, FINISHED = "queued", "running", "finished"
FAILED, STOPPED, INTERRUPTED = "failed", "stopped", "interrupted"
LONG_SILENCE = 3600.0  # seconds without a sign of life before a live process's run can be taken
STATUSES = (QUEUED, RUNNING, FINISHED, FAILED, STOPPED, INTERRUPTED)

TRANSITIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        QUEUED: frozenset({RUNNING, STOPPED}),
        RUNNING: frozenset({FINISHED, FAILED, STOPPED, INTERRUPTED}),
        FINISHED: frozenset(),
        FAILED: frozenset({QUEUED}),
        STOPPED: frozenset({QUEUED}),
        INTERRUPTED: frozenset({QUEUED}),
    }
)


class StoreError(RuntimeError):
    """What can't be done with the runs as they are stored: one readable sentence."""


class Unreadable(StoreError):  # noqa: N818 - it is a state, as the next
    """A run that another version of this program wrote and this one can't read."""


class RunTaken(StoreError):  # noqa: N818 - it is a state
    """The run is not, or no longer, held by the process that wants to write for it."""


class StoreUnavailable(StoreError):  # noqa: N818 - it is a state, which may pass
    """The database itself can't be read or written."""


@dataclass(frozen=True)
class Run:
    """A configuration and how far it has come. Times are aware, in UTC; durations in seconds."""

    id: int
    name: str
    config: RunConfig
    status: str
    progress: float  # 0 to 1
    last_progress: Progress | None
    created: datetime
    started: datetime | None  # of the first attempt
    ended: datetime | None
    seconds: float  # running time over all attempts
    seconds_left: float | None  # at the rate of this attempt; None where not known
    device: str  # as configured; once it has run, the one it ran on
    versions: dict[str, str]
    facts: RunStarted | None
    error: str
    stop_requested: bool
    attempts: int  # times it was begun
    silent: float | None = None  # seconds without a sign of life while running
    tags: tuple[str, ...] = ()  # these three as people set them, see core.runs.labels
    note: str = ""
    archived: bool = False

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks in the order of learning; none before the data are read."""
        return self.facts.tasks if self.facts else ()

    def task_name(self, k: int) -> str:
        """The name of task k (from 0); its number from 1 where the names are not recorded."""
        return self.tasks[k] if k < len(self.tasks) else f"task {k + 1}"

    @property
    def keeps_memory(self) -> bool:
        """Whether examples of finished tasks are chosen and kept; True where not recorded."""
        return self.facts.keeps_memory if self.facts else True

    @property
    def can_release(self) -> bool:
        """Whether it counts as running but its process has been silent for LONG_SILENCE."""
        return self.silent is not None and self.silent >= LONG_SILENCE

    @property
    def can_resume(self) -> bool:
        return QUEUED in TRANSITIONS[self.status]

    @property
    def can_stop(self) -> bool:
        return STOPPED in TRANSITIONS[self.status] and not self.stop_requested


def no_run(id: int) -> StoreError:
    """That there is no run of this number."""
    return StoreError(f"There is no run {id}.")


def check_transition(id: int, old: str, new: str) -> None:
    """StoreError where a run may not go from `old` to `new`, saying what it may do."""
    if new not in STATUSES:
        raise StoreError(f"'{new}' is not a status of a run; there are: {', '.join(STATUSES)}.")
    allowed = TRANSITIONS.get(old, frozenset())
    if new not in allowed:
        names = " or ".join(sorted(allowed)) or "nothing else"
        raise StoreError(f"Run {id} is {old} and can become {names}, not {new}.")


def default_name(config: RunConfig, n_runs: int = 1) -> str:
    """What a run is called where nobody has named it; `n_runs` that differ in their seeds."""
    from core.data.naming import dataset_name
    from core.methods.parts.variants import variant
    from core.registry import methods  # loads PyTorch

    method, dataset = config.method, dataset_name(config)
    method = methods[method].label if method in methods else method
    seed = config.seed if n_runs == 1 else "…"
    return f"{method}{variant(config.method_options)} on {dataset}, seed {seed}"


def seconds_left(done: float, total: float, first: float, elapsed: float) -> float | None:
    """Seconds to `total` at the rate from `first` to `done` in `elapsed`; None where it stood."""
    if done <= first or elapsed <= 0:
        return None
    return max(0.0, total - done) * elapsed / (done - first)
