"""How a run looks wherever it is drawn: its name, its colour and symbol by slot in the tray."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from core.analysis.accuracy import Group
from core.analysis.short_names import short_names
from core.charts.template import DASHES, PALETTE, SYMBOLS, colour
from core.runs.run import Run

SIGNS = ("●", "■", "◆", "▲", "✚", "✖", "★")  # SYMBOLS in text


@dataclass(frozen=True)
class Mark:
    """A run's name and slot (from 0): no two of the first 49 slots look alike."""

    name: str
    slot: int

    def colour(self, alpha: float = 1.0) -> str:
        """As CSS."""
        return colour(self.slot, alpha)

    @property
    def hex(self) -> str:
        """The colour as the palette has it."""
        return PALETTE[self.slot % len(PALETTE)]

    @property
    def symbol(self) -> str:
        """Of plotly's markers."""
        return SYMBOLS[self._shape]

    @property
    def sign(self) -> str:
        """The symbol as a character."""
        return SIGNS[self._shape]

    @property
    def dash(self) -> str:
        """Another line for each round through the palette."""
        return DASHES[self.slot // len(PALETTE) % len(DASHES)]

    @property
    def _shape(self) -> int:
        return (self.slot + self.slot // len(PALETTE)) % len(SYMBOLS)


def by_position(names: Iterable[str]) -> dict[str, Mark]:
    """Looks for what is no run of the tray: by name, the first in the first slot."""
    return {name: Mark(name, slot) for slot, name in enumerate(dict.fromkeys(names))}


def of_runs(runs: Sequence[Run]) -> dict[int, Mark]:
    """Looks of runs that lie in no tray, by number: the first in the first slot."""
    return {id: Mark(name, slot) for slot, (id, name) in enumerate(short_names(runs).items())}


def of_groups(groups: Sequence[Group[Run]], marks: Mapping[int, Mark]) -> dict[str, Mark]:
    """By label: each group looks as its first run does."""
    return {each.label: Mark(each.label, marks[each.runs[0].id].slot) for each in groups}


def band(x: pd.Series, lower: pd.Series, upper: pd.Series, mark: Mark) -> go.Scatter:
    """The area between two lines, pale in the mark's colour."""
    return go.Scatter(
        x=[*x, *x[::-1]],
        y=[*upper, *lower[::-1]],
        fill="toself",
        fillcolor=mark.colour(0.15),
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
