"""A sampler's search for entropy, played on the map of forms."""

import pandas as pd
import streamlit as st

from core.analysis import memory_rows
from core.analysis.memory import Kept
from core.charts.form_maps import MOST_FRAMES, played
from core.data.base import Example
from pages.shared.clusters.page import Shown
from pages.shared.memories.rows import names_of
from pages.shared.ui.figures import CONFIG, save
from pages.shared.ui.glossary import prose
from pages.shared.ui.text import counted
from pages.shared.ui.widgets import pick


def draw_search(shown: Shown, table: pd.DataFrame) -> None:
    """The memory after each swap, ringed on the map, and the entropy beside it."""
    searched = [memory for memory in shown.kept if "entropy" in memory.trace]
    if not searched:
        st.info(
            "None of these memories was found by a search for entropy: DLFS and Balance make one. "
            "Choose one of them above, or a run's memory that one has chosen.",
            icon=":material/search_off:",
        )
        return
    by_name = dict(zip(names_of(searched), searched, strict=True))
    memory = by_name[pick("memory", "Memory", list(by_name))]
    examples: tuple[Example, ...] = tuple(shown.chosen.task.train)
    steps = memory_rows.steps(examples, memory)
    figure = played(table, _forms(shown, memory), steps, shown.map.has_scale)
    some = f" Of its steps {MOST_FRAMES} are shown." if len(steps) > MOST_FRAMES else ""
    prose(
        f"The search in {counted(len(steps) - 1, 'step')}: rings are the forms in memory; *Play* "
        "swaps them as DLFS did (Algorithm 3), a row for one of the same cluster wherever that "
        f"raises the entropy of actions, whose course is beside the map.{some}"
    )
    st.plotly_chart(figure, key=f"search/{shown.key}", config=CONFIG)
    save(figure, steps, key="search", file_name="memory_search.csv")


def _forms(shown: Shown, memory: Kept) -> list[list[int]]:
    of_row = shown.map.forms.of_row
    return [of_row[list(rows)].tolist() for rows in memory_rows.states(memory)]
