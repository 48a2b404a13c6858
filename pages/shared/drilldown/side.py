"""A test row in one run, and parts of the page for each of two runs side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import streamlit as st

from core.analysis import alignment
from core.analysis.drilldown import predictions_on
from core.analysis.forgetting import name_of
from core.data.base import Example
from core.language.tree import Node
from pages.shared.access.runs import store
from pages.shared.drilldown.page import Rows
from pages.shared.tray import draw_label


@dataclass(frozen=True, eq=False)
class Side:
    """A test row in one run: what it has recorded of it."""

    rows: Rows
    example: Example
    row: int

    @cached_property
    def recorded(self) -> pd.DataFrame:
        return predictions_on(store(), self.rows.run.id, self.rows.on, self.row)

    @property
    def key(self) -> str:
        return f"{self.rows.key}/{self.row}"

    def after(self, name: str) -> int:
        """The task of this name after which the row was parsed; the last where it wasn't."""
        known = {name_of(self.rows.names, k): int(k) for k in self.recorded.after}
        return known.get(name, int(self.recorded.after.iloc[-1]))

    def parse(self, after: int) -> Node:
        """The tree that was written after that task."""
        (record,) = self.recorded[self.recorded.after == after].itertuples()
        return alignment.written(self.rows.learned.grammar, record.parse)


def beside(sides: Sequence[Side], draw: Callable[[Side], None]) -> None:
    """A part of the page for each run, side by side."""
    for column, side in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        with column:
            draw_label(side.rows.mark)
            draw(side)
