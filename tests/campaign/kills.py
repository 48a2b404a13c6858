"""Processes that are killed or suspended while they train."""

import random
import signal
import subprocess
import time
from pathlib import Path

from core.__main__ import main
from core.paths import PROJECT
from core.runs import checkpoints
from core.runs.run import FINISHED, INTERRUPTED, StoreUnavailable
from core.runs.store import Store
from tests.campaign.bits import PLAIN, assert_same, command, recorded, small_config, words_of

LONGEST = 5.0  # seconds that a process trains before something happens to it
SLOW = 120.0  # seconds to wait for a process on a busy machine


def begin(*words: str) -> subprocess.Popen[str]:
    """A command that goes on by itself."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*words), cwd=PROJECT, stdout=pipe, stderr=pipe, text=True)


def until_running(store: Store, id: int, progress: float = 0.0) -> None:
    """Wait for a run that another process begins, until it is so far."""
    deadline = time.monotonic() + SLOW
    while True:
        runs = {run.id: run for run in store.runs()}
        if id in runs and runs[id].progress >= progress and runs[id].facts is not None:
            return
        assert time.monotonic() < deadline, "it did not begin"
        time.sleep(0.02)


def kill_and_resume(rng: random.Random, home: Path) -> None:
    """SIGKILL at one to three random moments; the run ends with the bits of one left in peace."""
    store, id = Store(), PLAIN + 1
    words = ("train", *words_of(small_config())[1:], "--quiet")
    for _ in range(rng.randint(1, 3)):
        process = begin(*words)
        until_running(store, id)
        time.sleep(rng.uniform(0, LONGEST))
        process.kill()
        process.communicate()
        store.mark_interrupted()
        if store.run(id).status == FINISHED:
            break
        assert store.run(id).status == INTERRUPTED
        words = ("resume", str(id), "--quiet")
    if store.run(id).status != FINISHED:
        assert main(["resume", str(id), "--quiet"]) == 0
    assert_same(store, PLAIN, id)
    assert sorted(path.suffix for path in checkpoints.folder(id).iterdir()) == [".pt", ".pt"]
    store.close()


def suspend_and_wake(rng: random.Random, home: Path) -> None:
    """SIGSTOP; another process resumes the run, to its end or in part; the woken writes nothing."""
    store, id = Store(), PLAIN + 1
    process = begin("train", *words_of(small_config())[1:])
    try:
        until_running(store, id, rng.uniform(0.02, 0.9))
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        _interrupt(store, id, process)  # as another machine does, which can't see the process
        resumed = begin("resume", str(id), "--quiet")
        if rng.random() < 0.5:
            assert resumed.wait(SLOW) == 0
        else:
            until_running(store, id)
            time.sleep(rng.uniform(0, LONGEST))
        before = store.run(id).progress
        ended = store.run(id).status == FINISHED
        files = _files(id) if ended else {}
        events = recorded(store, id) if ended else {}
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=SLOW)
        assert process.returncode == 1, (out, err)
        assert "was taken over by another process" in err
        assert "finished" not in out
        assert store.run(id).progress >= before
        if ended:
            assert _files(id) == files
            assert recorded(store, id) == events
        assert resumed.wait(SLOW) == 0
        assert store.run(id).attempts == 2
        assert_same(store, PLAIN, id)
    finally:
        process.kill()
        store.close()


def _interrupt(store: Store, id: int, process: subprocess.Popen[str]) -> None:
    """Once more, where the process was suspended while it wrote: SQLite's lock is its then."""
    while True:
        try:
            return store.set_status(id, INTERRUPTED)
        except StoreUnavailable:
            process.send_signal(signal.SIGCONT)
            time.sleep(0.05)
            process.send_signal(signal.SIGSTOP)


def _files(id: int) -> dict[str, tuple[int, bytes]]:
    """What is kept of the run, and when it was written."""
    return {
        path.name: (path.stat().st_mtime_ns, path.read_bytes())
        for path in checkpoints.folder(id).iterdir()
    }
