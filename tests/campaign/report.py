"""A campaign's outcome as a table, and its place in a page of measurements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.analysis.table_text import markdown_row
from tests.campaign.trials import TRIALS

HEADING = "## Faults survived"
WORDS = """\
Written by `python -m tests.campaign --write assets/measured.md`, in parts (`--minutes N`, or
`--only TRIAL`): seed 0 of every trial, then seed 1, and so on. `--seed N` is one of them.
"""


@dataclass
class Outcome:
    """What came of a trial: its seeds, and those that were not survived."""

    name: str
    title: str
    seeds: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, seed: int, survived: bool, seconds: float) -> None:
        self.seeds.append(seed)
        self.failed += [] if survived else [seed]
        self.seconds += seconds


def table(outcomes: Sequence[Outcome]) -> str:
    """A row a trial that was tried."""
    head = ["what was tried", "trial", "seeds", "tried", "survived", "seconds each", "failed"]
    rows = [head, ["---", "---", "---", "---:", "---:", "---:", "---"]]
    for outcome in outcomes:
        if outcome.seeds:
            first, last, n = min(outcome.seeds), max(outcome.seeds), len(outcome.seeds)
            rows.append(
                [
                    outcome.title,
                    f"`{outcome.name}`",
                    str(first) if n == 1 else f"{first} to {last}",
                    str(n),
                    str(n - len(outcome.failed)),
                    f"{outcome.seconds / n:.1f}",
                    ", ".join(f"seed {seed}" for seed in outcome.failed) or "–",
                ]
            )
    return "\n".join(map(markdown_row, rows)) + "\n"


def write(file: Path, outcomes: Sequence[Outcome]) -> None:
    """Put the table below HEADING in the page; rows of trials that were not tried now stay."""
    before, rest = file.read_text(encoding="utf-8").split(f"{HEADING}\n", 1)
    end = rest.find("\n## ")
    old, after = (rest, "") if end < 0 else (rest[:end], rest[end:])
    rows = _by_trial(old) | _by_trial(table(outcomes))
    order = [trial.name for trial in TRIALS]
    lines = [*table([]).splitlines(), *(rows[name] for name in order if name in rows)]
    file.write_text(
        f"{before}{HEADING}\n\n{WORDS}\n" + "\n".join(lines) + f"\n{after}", encoding="utf-8"
    )


def _by_trial(text: str) -> dict[str, str]:
    """The lines of a table by the trial's name."""
    matches = (re.match(r"\| .* \| `(\w+)` \| ", line) for line in text.splitlines())
    return {match.group(1): match.string for match in matches if match}
