"""The accuracy page's part on forgetting and transfer: one measure over tasks, all of them at the
end, their formulas, and zero-shot accuracy measured with the parsers that runs have kept."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis import accuracy, transfer_tables
from core.analysis.error_curves import task_names
from core.analysis.transfer import MEASURES
from core.charts.accuracy import curves
from core.runs import checkpoints
from core.runs.run import Run
from pages.shared.access.parsers import FAULTS, parsers_of
from pages.shared.access.runs import SHOWN, store
from pages.shared.accuracy.page import View
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import results
from pages.shared.ui.tables import TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick

ZeroShot = dict[int, dict[int, float]]  # by run: R[i−1, i] by i, as shares


def draw_gains(view: View) -> None:
    """One measure after each task, then all of them after the last."""
    labels = {name: f"{each.label} · {each.source}" for name, each in MEASURES.items()}
    name = pick("gain", "Measure", labels)
    others = store().runs(limit=SHOWN)
    zero_shot = _measured(view.runs)
    alone = transfer_tables.alone(store(), view.runs, others)
    trajectories = transfer_tables.trajectories(view.cells, zero_shot, alone)
    _trajectory(view, trajectories, name)
    _table(view, trajectories)
    _offer(view.runs, zero_shot)
    with st.expander("All definitions", icon=":material/function:"):
        for each in MEASURES.values():
            st.markdown(f"**{escape(each.label)}** · {escape(each.source)}")
            st.latex(each.formula)
            st.caption(escape(each.words))


def _trajectory(view: View, trajectories: pd.DataFrame, name: str) -> None:
    measure = MEASURES[name]
    st.latex(measure.formula)
    table = transfer_tables.spread(trajectories, view.groups, name)
    sentence = (
        f"{escape(measure.words)} Each point takes the tasks learned by then for all there are (K "
        "of the formula), in percentage points; R is acc of the matrix below. The paper reports "
        "accuracies alone."
    )
    if table.empty:
        prose(sentence)
        st.info("It is not defined for these runs; the table says why.", icon=":material/block:")
        return
    figure = curves(
        table,
        measure=name,
        name=measure.label,
        marks=view.looks,
        tasks=task_names(view.runs),
        unit="points",
        span=None,
        upper_bound=False,
        height=340,
    )
    data = _in_points(table, [name, f"{name}_deviation"])
    present(figure, sentence, data, key="gains", file_name=f"{name}.csv")


def _table(view: View, trajectories: pd.DataFrame) -> None:
    """Measures down, groups across: mean ± deviation in points, or n/a and why."""
    ended = accuracy.latest(store(), [run.id for run in view.runs])
    learned = dict(zip(ended.run, ended.after + 1, strict=True))
    table = transfer_tables.final(trajectories, view.groups, learned)
    shown = {"Measure": [each.label for each in MEASURES.values()]}
    shown["As defined by"] = [each.source for each in MEASURES.values()]
    groups = table.to_dict("records")
    for at, row in enumerate(groups):
        values = [_value(row[name], row[f"{name}_deviation"]) for name in MEASURES]
        shown[str(at)] = values
    columns = {
        str(at): TEXT(f"{row['group']} (n = {row['n']})", width=170)
        for at, row in enumerate(groups)
    }
    prose(
        "After the last task, in percentage points: the mean over runs with the sample's standard "
        "deviation. The definitions differ, so a value says little without its name."
    )
    columns |= {
        "Measure": TEXT(width=210),
        "As defined by": TEXT(width=330),
    }
    draw_table(
        pd.DataFrame(shown),
        columns,
        key="gain_table",
        file_name="forgetting_and_transfer.csv",
        data=_in_points(table, [text for m in MEASURES for text in (m, f"{m}_deviation")]),
        height="content",
    )
    for row in groups:
        if row["missing"]:
            st.caption(f"n/a, {escape(row['group'])}: {escape(row['missing'])}")


def _in_points(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The table as files have it, these columns in percentage points."""
    return as_percent(table.assign(**{name: 100 * table[name] for name in names}), points=names)


def _value(mean: float, deviation: float) -> str:
    if pd.isna(mean):
        return "n/a"
    return f"{100 * mean:.2f}" + ("" if pd.isna(deviation) else f" ± {100 * deviation:.2f}")


# --- zero-shot accuracy -------------------------------------------------------------------------


def _key(run: Run, i: int) -> tuple[object, ...]:
    return ("zero-shot", run.id, str(run.created), i)


def _measurable(run: Run) -> list[int]:
    """The tasks on which the parser that has learned the one before can be measured."""
    return [k + 1 for k in checkpoints.saved_parsers(run.id) if k + 1 < len(run.tasks)]


def _measured(runs: Sequence[Run]) -> ZeroShot:
    """What has been measured so far."""
    shares: ZeroShot = {}
    for run in runs:
        counts = {i: results().get(_key(run, i)) for i in _measurable(run)}
        shares[run.id] = {i: pair[0] / pair[1] for i, pair in counts.items() if pair and pair[1]}
    return shares


def _offer(runs: Sequence[Run], zero_shot: ZeroShot) -> None:
    """A button that measures what is not measured yet."""
    missing = [(run, i) for run in runs for i in _measurable(run) if i not in zero_shot[run.id]]
    if not missing:
        return
    area = st.empty()
    with area.container(horizontal=True, vertical_alignment="center"):
        clicked = st.button("Measure zero-shot accuracy", icon=":material/play_arrow:")
        st.caption(
            f"Runs don't record it. {counted(len(missing), 'test set')} will be parsed by the "
            "parsers that the runs have kept, each by the one that has learned the tasks before."
        )
    if not clicked:
        return
    with area.container():
        _measure(missing)


def _measure(missing: Sequence[tuple[Run, int]]) -> None:
    bar = st.progress(0.0, "Starting …")
    st.button("Cancel", icon=":material/close:")
    failed: dict[int, str] = {}
    for number, (run, i) in enumerate(missing):
        bar.progress(number / len(missing), f"{number + 1} of {len(missing)} …")
        if run.id in failed:
            continue
        try:
            results().keep(_key(run, i), parsers_of(run).exact(i - 1, i))
        except FAULTS as error:
            failed[run.id] = str(error)
    for reason in failed.values():
        st.warning(escape(reason), icon=":material/warning:")
    if not failed:
        st.rerun()
