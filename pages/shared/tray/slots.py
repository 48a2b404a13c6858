"""The tray's contents: which run lies in which slot. A slot gives a run its colour and symbol, so
that it keeps them whichever other runs come and go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pages.shared.ui.address import read_whole

MOST = 12  # runs in the tray
EMPTY = "none"  # what the address says of a tray that was emptied


@dataclass(frozen=True)
class Slots:
    """Run numbers by slot, None where a slot is free; and the selected one of them."""

    runs: tuple[int | None, ...] = ()
    selected: int | None = None

    @property
    def ids(self) -> list[int]:
        return [run for run in self.runs if run is not None]

    def holding(self, ids: Iterable[int]) -> "Slots":
        """These runs alone, the first MOST: those that lie here keep their slots, others take the
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

    def selecting(self, id: int | None) -> "Slots":
        """With this one selected; the first where it isn't here."""
        first = next(iter(self.ids), None)
        return replace(self, selected=id if id in self.ids else first)

    def write(self) -> str:
        """As it stands in the address: `3,,7` are runs 3 and 7 in the first and third slot."""
        return ",".join("" if run is None else str(run) for run in self.runs) or EMPTY


def read_slots(text: str) -> tuple[Slots, list[str]]:
    """What an address says, and what in it is no number."""
    runs: list[int | None] = []
    strange = []
    for part in text[:2000].split(",")[: 4 * MOST] if text != EMPTY else ():
        try:
            id = read_whole(part) if part.strip() else None
        except ValueError:
            strange.append(part)
            continue
        runs.append(None if id in runs else id)
    slots = Slots(tuple(runs[:MOST]))
    return slots.holding(slots.ids), strange
