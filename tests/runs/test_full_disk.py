"""A real disk without room: one sentence, and a run that waits for room goes on by itself."""

import contextlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.runs import checkpoints, database, execution, room
from core.runs.checkpoint_files import NoRoomError
from core.runs.manager import close_manager
from core.runs.store import Store
from core.stopping import Stopped
from tests.campaign.bits import small_config, words_of
from tests.pages.sessions import opened
from tests.runs.carried_out import Left, Until, carry_out
from tests.runs.conftest import OTHER_DATABASE

Mount = Callable[[int], Path]
FULL_BEFORE = {  # what waits: the call before which the disk is full, and how often it is made
    "store": (execution.Hold, "should_stop", 15),
    "checkpoint": (checkpoints, "save", 2),
}
on_sqlite = pytest.mark.skipif(bool(OTHER_DATABASE), reason="another database is on another disk")


def fill(disk: Path) -> None:
    """A file takes what room there is."""
    with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@on_sqlite
@pytest.mark.parametrize("has_store", [False, True], ids=["new", "with runs"])
def test_a_command_on_a_full_disk_ends_in_a_sentence(
    small_disk: Mount, has_store: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    disk = small_disk(3)
    if has_store:
        Store().close()
    fill(disk)
    assert main([*words_of(small_config()), "--quiet"]) == 1
    (said,) = capfd.readouterr().err.splitlines()
    assert said.startswith("The run store ")
    assert said.endswith("disk is full.")


def test_a_checkpoint_without_room_is_written_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PAUSE", 0.01)
    tries = []

    def write() -> None:
        tries.append(len(tries))
        if len(tries) < 4:
            raise NoRoomError("no room.")

    room.write_with_room(write, lambda: False, patience=60)
    assert len(tries) == 4
    tries.clear()
    with pytest.raises(Stopped):
        room.write_with_room(write, lambda: len(tries) == 2, patience=60)
    tries.clear()
    with pytest.raises(NoRoomError):
        room.write_with_room(write, lambda: False, patience=0)
    assert len(tries) == 1


@on_sqlite
@pytest.mark.slow
@pytest.mark.parametrize("what", FULL_BEFORE)
def test_a_run_waits_for_room_says_so_and_goes_on(
    plain: Left,
    small_disk: Mount,
    until: Until,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(database, "PAUSES", (0.05, 0.2))
    monkeypatch.setattr(room, "PAUSE", 0.1)
    disk, calls, full = small_disk(24), [], threading.Event()
    owner, name, last = FULL_BEFORE[what]
    real = getattr(owner, name)

    def called(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == last:
            fill(disk)
            full.set()
        return real(*args)

    monkeypatch.setattr(owner, name, called)

    def warnings() -> str:
        try:
            return " ".join(each.value for each in opened("pages/runs.py").warning)
        finally:
            close_manager()

    with contextlib.closing(Store()) as store:

        def room_goes_and_comes() -> None:
            until(full.is_set, 120)
            until(lambda: f"{what} " in caplog.text and "Trying again for" in caplog.text)
            assert "is full" in warnings()
            (disk / "filler").unlink()
            assert "is full" not in warnings()

        carry_out(store, until, room_goes_and_comes)
        Left.by(store).assert_same(plain)
