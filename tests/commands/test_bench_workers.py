"""`bench workers`: rates of runs at once, as threads and as processes."""

import threading

import pytest

from core.__main__ import main
from core.commands.bench.workers import _Clock, as_threads, rate
from core.config import RunConfig
from core.events import Progress
from core.options import ConfigError


def test_a_rate_is_that_between_warm_up_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [100.0]
    monkeypatch.setattr("core.commands.bench.workers.time.perf_counter", lambda: moment[0])
    met = []
    clock = _Clock(10.0, lambda: met.append(moment[0]))
    assert not clock.should_stop()
    for second in range(14):  # 5 rows a second during the warm-up, then 20
        moment[0] = 100.0 + second
        done = 5.0 * min(second, 1) + 20.0 * max(0, second - 1)
        clock.record(Progress(done, 1e9, 0, "slow", 0, 1, 1.0))
        assert clock.should_stop() == (second > 11)
    assert clock.rate() == pytest.approx(20.0)
    assert met == [100.0]


def test_too_short_a_measurement_is_said() -> None:
    with pytest.raises(ConfigError, match="expected more"):
        _Clock(1.0, lambda: None).rate()
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "workers", "--seconds", "0"])


def test_threads_begin_together(toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.commands.bench.workers.WARM_UP", 0.05)
    begun = []

    class Barrier(threading.Barrier):
        def wait(self, timeout: float | None = None) -> int:
            begun.append(threading.current_thread().name)
            return super().wait(timeout)

    monkeypatch.setattr("core.commands.bench.workers.threading.Barrier", Barrier)
    config = toy_config.with_(epochs=1000, method="emr")
    rates = as_threads(config, 2, 0.3)
    assert len(set(begun)) == 2
    assert all(each > 0 for each in rates)
    assert rate(config, 5, 0.3, lambda: None) > 0


@pytest.mark.slow
def test_the_table_has_both_ways(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--dataset", "demo", "--seconds", "1", "--runs", "1", "2"]
    assert main(["bench", "workers", *words]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert [line.split("|")[1:3] for line in lines[-4:]] == [
        [" 1 ", " threads "],
        [" 1 ", " processes "],
        [" 2 ", " threads "],
        [" 2 ", " processes "],
    ]
    assert lines[-4].endswith("| 1.00 × |")
