"""What a terminal or a file gets to see of a run."""

import io

import pytest

from core.analysis.durations import duration
from core.commands.display import Display
from core.events import Accuracy, Epoch, Progress, RunStarted


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_and_a_file_gets_lines() -> None:
    events = (
        RunStarted(("zoo", "port"), (5, 6), (4, 4), ((4,), (4, 4)), 9, 4, 77, "cpu"),
        Progress(25, 100, 0, "slow", 2, 10, 1.25),
        Epoch(0, "slow", 2, 1.5, 10, 0.1),
        Accuracy(0, 0, 1, 4),
        Accuracy(1, 0, 2, 4),
        Accuracy(1, 1, 2, 2),
    )
    screen, file = Screen(), io.StringIO()
    for out in (screen, file):
        display = Display(out)
        for event in events:
            display.show(event)
        display.close()
    assert "██████░░" in screen.getvalue()
    assert " 25%  task 1/2 zoo  slow 3/10  loss 1.2500" in screen.getvalue()
    assert file.getvalue().splitlines() == [
        "task 1/2 zoo  slow epoch 3  loss 1.5000  25%",
        "after task 1/2 zoo  ACC_whole 25.00%  ACC_avg 25.00%",
        "after task 2/2 port  ACC_whole 66.67%  ACC_avg 75.00%",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.4, "0 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text
