"""The Chrome for pictures: one for many, another where it fails, none once nobody asks."""

import threading

import kaleido
import pytest

from core.charts import browser
from core.charts.browser import Browser


class Chrome:
    """What stands in for kaleido's: counts, and fails as often as it is told to."""

    opened = 0
    closed = 0
    failures = 0

    def __init__(self, **settings: object) -> None:
        assert settings["path"] == "/a/chrome"

    async def open(self) -> None:
        Chrome.opened += 1

    async def calc_fig(self, figure: dict, options: dict) -> bytes:
        if Chrome.failures:
            Chrome.failures -= 1
            raise RuntimeError("it is gone")
        return f"{figure} as {options}".encode()

    async def close(self) -> None:
        Chrome.closed += 1


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(kaleido, "Kaleido", Chrome)
    Chrome.opened = Chrome.closed = Chrome.failures = 0
    made = Browser("/a/chrome", sandbox=False)
    yield made
    made.end()
    assert Chrome.closed == Chrome.opened


def test_one_draws_many(kept):
    assert kept.draw({"a": 1}, {"b": 2}) == b"{'a': 1} as {'b': 2}"
    assert kept.draw({}, {}) == b"{} as {}"
    assert Chrome.opened == 1


def test_one_that_was_killed_is_replaced(kept):
    kept.draw({}, {})
    Chrome.failures = 1
    assert kept.draw({}, {}) == b"{} as {}"
    assert Chrome.opened == 2


def test_one_that_always_fails_says_so_and_is_not_kept(kept):
    kept.draw({}, {})
    Chrome.failures = 2
    with pytest.raises(RuntimeError, match="it is gone"):
        kept.draw({}, {})
    assert Chrome.opened == Chrome.closed == 2
    kept.draw({}, {})
    assert Chrome.opened == 3


def test_it_ends_when_nobody_asks(kept, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(browser, "IDLE", 0.0)
    end = kept.end
    monkeypatch.setattr(kept, "end", lambda: (end(), ended.set()))
    kept.draw({}, {})
    assert ended.wait(30)
    assert Chrome.closed == 1
    monkeypatch.undo()
    monkeypatch.setattr(kaleido, "Kaleido", Chrome)
    kept.draw({}, {})
    assert Chrome.opened == 2


def test_threads_take_turns(kept):
    threads = [threading.Thread(target=kept.draw, args=({}, {})) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert Chrome.opened == 1
