"""A campaign's outcome as a table, and its place in a page of measurements."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.analysis.table_text import markdown_row

HEADING = "## Faults survived"


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


def write(file: Path, command: str, outcomes: Sequence[Outcome]) -> None:
    """Put the table below HEADING in the page, in place of what stands there to the next one."""
    text = file.read_text(encoding="utf-8")
    before, rest = text.split(f"{HEADING}\n", 1)
    after = rest[rest.index("\n## ") :] if "\n## " in rest else ""
    words = (
        f"Written by `{command}`: seed 0 of every trial,\n"
        "then seed 1, and so on. `--only TRIAL --seed N` does the same again.\n"
    )
    page = f"{before}{HEADING}\n\n{words}\n{table(outcomes)}{after}"
    file.write_text(page, encoding="utf-8")
