"""How long a run will take: its work, known beforehand, over the rate of work of this machine.

The rate comes from runs that were carried out on this host and device with as many threads; the
closer they are to the run in question, the narrower the range. Where there are none, a few steps
of the run itself can be timed.
"""

import socket
import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import func, select

from core.config import RunConfig
from core.runs import devices
from core.runs.cells import largest
from core.runs.rows import to_config
from core.runs.run import Unreadable
from core.runs.store import Store
from core.runs.tables import runs, stage_times

RECENT = 200  # runs looked at
LEAST_SECONDS = 1.0  # a shorter run says little

_SIZES = ("batch_size", "hidden_size", "word_size", "action_size", "input_feeding", "beam_size")
_KIND = (*_SIZES, "dataset", "method", "memory_size", "idioms")

# how far off an estimate can be, as factors of the seconds; by what it rests on
_SAME_KIND = (0.85, 1.2)
_SAME_SIZES = (0.6, 1.8)
_MEASURED = (0.7, 2.0)  # steps only: parsing, sampling and penalties cost otherwise


@dataclass(frozen=True)
class Estimate:
    """Seconds that a run will take, the range they lie in, and what that rests on."""

    seconds: float
    low: float
    high: float
    basis: str  # "from 3 earlier runs here"


def estimate(store: Store, config: RunConfig) -> Estimate | None:
    """From earlier runs here; None where there is none that compares.

    ConfigError or DataError where the run can't be carried out.
    """
    from core.training import progress

    past = _past(store, config)
    for alike, margins, words in (
        (_same(config, _KIND), _SAME_KIND, "like it "),
        (_same(config, _SIZES), _SAME_SIZES, "of its size "),
    ):
        rates = [rate for other, rate in past if alike(other)]
        if rates:
            count = f"{len(rates)} earlier run{'s' if len(rates) > 1 else ''}"
            return _from_rates(progress.work(config), rates, margins, f"from {count} {words}here")
    return None


def measure(config: RunConfig, seconds: float = 1.0) -> Estimate | None:
    """From about so many seconds of the run's own steps; None where it has too few of them."""
    from core.training import progress

    rate = progress.calibrate(config, seconds)
    if rate <= 0:
        return None
    return _from_rates(progress.work(config), [rate], _MEASURED, "from a few steps measured now")


def _past(store: Store, config: RunConfig) -> list[tuple[RunConfig, float]]:
    """Configs and rates (work a second) of the latest runs on this host, device and threads."""
    seconds = func.sum(stage_times.c.seconds)
    work = func.sum(stage_times.c.work)
    query = (
        select(
            runs.c.id.label("run"),
            runs.c.config,
            seconds.label("seconds"),
            work.label("work"),
            *largest(stage_times.c.seconds, stage_times.c.work),
        )
        .join(stage_times, stage_times.c.run_id == runs.c.id)
        .where(runs.c.owner_host == socket.gethostname())
        .where(runs.c.device == devices.resolve(config))
        .group_by(runs.c.id, runs.c.config)
        .having(seconds >= LEAST_SECONDS)
        .order_by(runs.c.id.desc())
        .limit(RECENT)
    )
    past = []
    for row in store.fetch(query):
        with suppress(Unreadable):
            past.append((to_config(row.config), row.work / row.seconds))
    return [(other, rate) for other, rate in past if other.threads == config.threads and rate > 0]


def _same(config: RunConfig, names: Sequence[str]) -> Callable[[RunConfig], bool]:
    return lambda other: all(getattr(other, name) == getattr(config, name) for name in names)


def _from_rates(
    work: float, rates: Sequence[float], margins: tuple[float, float], basis: str
) -> Estimate:
    seconds = work / statistics.median(rates)
    low, high = work / max(rates), work / min(rates)
    return Estimate(seconds, low * margins[0], high * margins[1], basis)
