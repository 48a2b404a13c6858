"""The demonstration: two parsers on six made-up domains, recorded or trained here, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import accuracy, demo
from core.analysis.durations import duration
from core.analysis.settings import method_name
from core.charts.matrix import matrix
from core.data.base import DataError
from core.options import ConfigError
from core.runs.manager import manager
from core.runs.recordings import put_in
from core.runs.run import FINISHED, QUEUED, RUNNING, Run, StoreError
from core.validation.presets import demo_configs
from pages.shared.access.runs import store
from pages.shared.ui.address import key_of
from pages.shared.ui.figures import draw_figure, save
from pages.shared.ui.memo import remembered
from pages.shared.ui.text import STATUS, counted, escape
from pages.shared.ui.widgets import switch

SHOWN = {"recorded": "Recorded", "here": "Trained here"}
ABOUT = """Two parsers learn six made-up domains one after the other: one is fine-tuned, one
trained with *Total Recall*. A row of a matrix is the state after learning one more domain, a
column is one domain's test rows: down a column one sees it being forgotten."""


@dataclass(frozen=True)
class Side:
    """One of the two: what it is called, its tasks and cells, and how far it is, in words."""

    name: str
    tasks: Sequence[str]
    cells: pd.DataFrame
    note: str


def draw_demo() -> None:
    """The two matrices, the headline in numbers, what to do next."""
    own = demo.carried_out(store())
    shown = "recorded"
    with st.container(border=True):
        st.subheader("What is forgotten, and what a small memory keeps", anchor=False)
        st.markdown(ABOUT)
        if own:
            first = "here" if st.session_state.get(key_of("demo/pressed")) else "recorded"
            shown = switch("demo", "Shown", SHOWN, first, label_visibility="collapsed")
        sides = _recorded_sides() if shown == "recorded" else [_of_run(run) for run in own]
        _headline(sides, recorded=shown == "recorded")
        for column, side in zip(st.columns(2, gap="medium"), sides, strict=False):
            with column:
                _draw_side(side, shown)
        _next(own, shown)


def _headline(sides: Sequence[Side], *, recorded: bool) -> None:
    """`After 6 tasks: 12.7 % against 65.3 %`, over the tasks that both have learned."""
    curves = [_curve(side.cells) for side in sides]
    if len(curves) == 2 and all(len(curve) for curve in curves):
        last = min(int(curve.after.iloc[-1]) for curve in curves)
        shares = [float(curve.whole[curve.after <= last].iloc[-1]) for curve in curves]
        values = " against ".join(f"{100 * share:.1f} %" for share in shares)
        st.markdown(f"#### After {counted(last + 1, 'task')}: {values} of all test rows right")
    if recorded:
        first = demo.recorded()[0]
        st.caption(
            f":material/radio_button_checked: Recorded on {first.recorded:%d %B %Y}, not trained "
            "here; `python -m core demo record` records it anew."
        )


def _curve(cells: pd.DataFrame) -> pd.DataFrame:
    key = (
        "demo curve",
        *map(tuple, cells[["after", "on", "correct", "total"]].to_numpy().tolist()),
    )
    return remembered(key, lambda: accuracy.curves(cells))


def _draw_side(side: Side, shown: str) -> None:
    st.markdown(f"**{escape(side.name)}**{side.note}")
    if not side.tasks:
        return
    cells = side.cells
    state = (shown, side.name, tuple(side.tasks), len(cells), int(cells.correct.sum()))
    figure = remembered(("demo matrix", *state), lambda: _matrix(side))
    key = f"demo/{shown}/{side.name}"
    draw_figure(figure, key=key, columns=2)
    data = side.cells.assign(**{"acc (%)": 100 * side.cells.correct / side.cells.total})
    save(figure, data, key=key, file_name=f"demo_{shown}_{side.name.replace(' ', '_')}.csv")


def _matrix(side: Side) -> go.Figure:
    figure = matrix(side.cells, 330, side.tasks)
    return figure.update_traces(showscale=False, selector={"type": "heatmap"})


def _recorded_sides() -> list[Side]:
    recorded = demo.recorded()
    cells = remembered(
        ("demo", *(each.recorded for each in recorded)),
        lambda: [demo.recorded_cells(each) for each in recorded],
    )
    return [
        Side(method_name(each.config), each.facts.tasks, mine, "")
        for each, mine in zip(recorded, cells, strict=True)
    ]


def _of_run(run: Run) -> Side:
    cells = remembered(("cells",), lambda: accuracy.cells(store(), [run]), [run])
    look = STATUS[run.status]
    note = f" · {look.icon} run {run.id} {run.status}"
    if run.status == RUNNING:
        left = f", {duration(run.seconds_left)} left" if run.seconds_left is not None else ""
        note += f", {run.progress:.0%}{left}"
    elif run.status == FINISHED:
        note += f" in {duration(run.seconds)}"
    elif run.status == QUEUED:
        note += ": it waits for a free worker"
    return Side(method_name(run.config), run.tasks, cells, note)


def _next(own: Sequence[Run], shown: str) -> None:
    """See what was forgotten; train the same here."""
    if st.session_state.get(key_of("demo/asks")) and own:
        _ask(own)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        runs = [] if shown == "recorded" else own
        ready = shown == "recorded" or all(run.progress > 0 for run in own)
        label, icon = "See which actions were forgotten", ":material/trending_down:"
        if st.button(label, icon=icon, type="primary", disabled=not ready):
            ids = [run.id for run in runs] or put_in(store(), demo.recorded())
            look = {"run": str(ids[0]), "runs": ",".join(map(str, ids))}
            if len(ids) > 1:
                look["other"] = str(ids[1])
            st.switch_page("pages/forgetting.py", query_params=look)
        st.button(
            "Run it here", icon=":material/rocket_launch:", on_click=_press, args=(bool(own),)
        )
        if shown != "recorded":
            st.page_link(
                "pages/runs.py",
                label="Watch the runs",
                query_params={
                    "run": str(own[0].id),
                    "runs": ",".join(str(run.id) for run in own),
                },
            )
        fault = st.session_state.pop(key_of("demo/fault"), None)
        if fault:
            st.error(escape(fault), icon=":material/error:")


def _ask(own: Sequence[Run]) -> None:
    """A second press: the runs that are there, and whether to train them again."""
    listed = " and ".join(f"run {run.id} ({run.status}, {run.progress:.0%})" for run in own)
    st.info(f"It was run here already: {listed}.", icon=":material/help:")
    with st.container(horizontal=True):
        st.button("Show these", type="primary", on_click=_show)
        st.button("Run both again", icon=":material/rocket_launch:", on_click=_start)
        st.button("Cancel", type="tertiary", on_click=_cancel)


def _press(asks: bool) -> None:
    if asks:
        st.session_state[key_of("demo/asks")] = True
    else:
        _start()


def _show() -> None:
    st.session_state[key_of("demo/asks")] = False
    st.session_state[key_of("demo")] = "here"
    st.session_state[key_of("demo/pressed")] = True  # a rerun that comes between knows no address


def _cancel() -> None:
    st.session_state[key_of("demo/asks")] = False


def _start() -> None:
    """Queue both; the manager carries them out at once where two cores are free."""
    try:
        for config in demo_configs():
            manager().submit(config)
    except (ConfigError, DataError, StoreError) as error:
        st.session_state[key_of("demo/fault")] = str(error)
    _show()
