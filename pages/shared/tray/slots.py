"""The tray's contents: which run, or arm of an experiment, lies in which slot. A slot gives it its
colour and symbol, so that it keeps them whichever others come and go.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pages.shared.ui.address import read_whole

MOST = 12  # runs in the tray
EMPTY = "none"  # what the address says of a tray that was emptied
Entry = int | str  # a run's number; an arm as `e3a1`: the first of experiment 3
_ARM = re.compile(r"e(\d{1,9})a(\d{1,5})")


@dataclass(frozen=True)
class Slots:
    """Runs and arms by slot, None where a slot is free; and the selected one of them."""

    runs: tuple[Entry | None, ...] = ()
    selected: Entry | None = None

    @property
    def entries(self) -> list[Entry]:
        return [entry for entry in self.runs if entry is not None]

    @property
    def ids(self) -> list[int]:
        """The runs alone."""
        return [entry for entry in self.entries if isinstance(entry, int)]

    @property
    def run(self) -> int | None:
        """The selected run; None where an arm is selected, or nothing."""
        return self.selected if isinstance(self.selected, int) else None

    @property
    def arms(self) -> list[str]:
        """The arms alone."""
        return [entry for entry in self.entries if isinstance(entry, str)]

    def holding(self, ids: Iterable[Entry]) -> "Slots":
        """These alone, the first MOST: those that lie here keep their slots, others take the
        first that are free.
        """
        wanted = list(dict.fromkeys(ids))[:MOST]
        runs = [run if run in wanted else None for run in self.runs]
        for id in wanted:
            if id not in runs:
                free = runs.index(None) if None in runs else len(runs)
                runs[free : free + 1] = [id]
        while runs and runs[-1] is None:
            runs.pop()
        return Slots(tuple(runs), self.selected).selecting(self.selected)

    def selecting(self, id: Entry | None) -> "Slots":
        """With this one selected; the first where it isn't here."""
        first = next(iter(self.entries), None)
        return replace(self, selected=id if id in self.entries else first)

    def write(self) -> str:
        """As it stands in the address: `3,,7` are runs 3 and 7 in the first and third slot."""
        return ",".join("" if run is None else str(run) for run in self.runs) or EMPTY


def read_slots(text: str) -> tuple[Slots, list[str]]:
    """What an address says, and what in it is no number."""
    runs: list[Entry | None] = []
    strange = []
    for part in text[:2000].split(",")[: 4 * MOST] if text != EMPTY else ():
        try:
            id = read_entry(part) if part.strip() else None
        except ValueError:
            strange.append(part)
            continue
        runs.append(None if id in runs else id)
    slots = Slots(tuple(runs[:MOST]))
    return slots.holding(slots.entries), strange


def read_entry(text: str) -> Entry:
    """A run's number or an arm; ValueError where the text is neither."""
    match = _ARM.fullmatch(text.strip())
    return read_whole(text) if match is None else arm_entry(int(match[1]), int(match[2]) - 1)


def arm_entry(experiment: int, arm: int) -> str:
    """The arm (from 0) of the experiment of this number."""
    return f"e{experiment}a{arm + 1}"


def parts_of(entry: str) -> tuple[int, int]:
    """The number of the experiment, and of its arm, from 0."""
    experiment, _, arm = entry.removeprefix("e").partition("a")
    return int(experiment), int(arm) - 1
