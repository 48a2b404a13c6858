"""What the campaign tries: each by a function of a generator and a home that holds a plain run."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.damage import (
    damaged_checkpoint,
    damaged_database,
    damaged_download,
    damaged_log,
    damaged_parser,
    damaged_upload,
)
from tests.campaign.hostile import hostile_addresses, hostile_checkpoint, hostile_uploads
from tests.campaign.kills import kill_and_resume, suspend_and_wake
from tests.campaign.soak import soak
from tests.campaign.stops import server_stop
from tests.campaign.writers import ten_writers


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
    Trial("database cut, overwritten or gone", damaged_database, 20, 1),
    Trial("process killed, `-wal` or `-shm` cut, overwritten or gone", damaged_log, 15, 1),
    Trial("process killed, its checkpoint cut, overwritten or gone", damaged_checkpoint, 20, 1),
    Trial("kept parser cut, overwritten or gone", damaged_parser, 20, 1),
    Trial("imported file cut, overwritten or gone", damaged_upload, 20, 1),
    Trial("part of a download cut, overwritten or gone", damaged_download, 60, 3),
    Trial("ten processes record 200 events each", ten_writers, 3, 1),
    Trial("forty hostile files imported", hostile_uploads, 15, 1),
    Trial("a dozen hostile addresses opened", hostile_addresses, 15, 1),
    Trial("hostile checkpoint resumed", hostile_checkpoint, 30, 2),
    Trial("pages polled 300 times beside a run: memory, threads, files", soak, 1, 0),
)
