"""A server's end waits for its threads, and not for long."""

import threading
import time

import pytest

from pages.shared.ui import ending


def test_a_manager_that_does_not_close_is_left(monkeypatch) -> None:
    left, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(ending, "close_manager", go_on.wait)
    monkeypatch.setattr(ending, "leave", left.set)
    ending.close_or_leave(time.monotonic() + 0.1)
    go_on.set()
    assert left.is_set()


@pytest.mark.parametrize("name", ["ScriptRunner.scriptThread", "worker 0 on cpu", "run manager"])
@pytest.mark.parametrize("deaf", [False, True], ids=["ends", "deaf"])
def test_a_thread_that_does_not_end_is_left(monkeypatch, name: str, deaf: bool) -> None:
    left: list[float] = []
    threads, earlier = ending.threads, ending.threads()  # those of earlier tests in this process
    monkeypatch.setattr(
        ending, "threads", lambda: [each for each in threads() if each not in earlier]
    )
    monkeypatch.setattr(ending, "leave", lambda: left.append(time.monotonic()))
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait, args=(30 if deaf else 0.05,), name=name)
    thread.start()
    began = time.monotonic()
    ending.wait_or_leave(began + (0.1 if deaf else 10))
    go_on.set()
    thread.join()
    assert len(left) == deaf
    assert time.monotonic() - began < 5
