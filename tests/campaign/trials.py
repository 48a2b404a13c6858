"""What the campaign tries: each by a function of a generator and a home that holds a plain run."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.kills import kill_and_resume, suspend_and_wake
from tests.campaign.stops import server_stop


@dataclass(frozen=True)
class Trial:
    """Raises where it is not survived; the same seed does the same."""

    title: str
    run: Callable[[random.Random, Path], None]
    n_full: int  # seeds of the campaign
    n_short: int  # seeds of the ordinary tests

    @property
    def name(self) -> str:
        return self.run.__name__


TRIALS = (
    Trial("server told to end while a run trains", server_stop, 50, 1),
    Trial("process killed one to three times, run resumed", kill_and_resume, 50, 1),
    Trial("process suspended, run resumed elsewhere, process woken", suspend_and_wake, 20, 2),
)
