"""The error page: which runs, on which rows, by which measure; the curves and their ends."""

from dataclasses import dataclass

import streamlit as st

from core.analysis import error_curves as analysis
from core.analysis.error_curves import MEASURES, SPLITS, Curves
from core.charts.error_curves import errors
from core.runs.run import RUNNING, Run
from pages.shared.access.runs import SHOWN, look_again, pick_runs, say_nothing, store
from pages.shared.access.task_choice import pick as choose
from pages.shared.launch.form import parameters
from pages.shared.ui.address import follow, publish
from pages.shared.ui.figures import download, present
from pages.shared.ui.text import escape

MOST = 8  # runs over one another
ROWS = {"": "Both", "train": "Training", "test": "Test"}
ALL = "all tasks seen"


@dataclass(frozen=True)
class View:
    """What the page shows: runs, the rows they are measured on, the curves."""

    runs: list[Run]
    labels: dict[int, str]
    measure: str
    on: str  # a task's name; empty: all tasks seen
    found: Curves


def pick() -> View:
    """Let runs, rows and measure be chosen; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    known = analysis.recorded(store(), [run.id for run in runs])
    told = [run for run in runs if run.id in known]
    if not told:
        _say_empty(bool(runs))
    asked = st.query_params.get("run")
    chosen = pick_runs("Runs", told, default=[run.id for run in analysis.pair(told)])
    if not chosen:
        early = "" if asked is None else "What was asked for has told no errors. "
        st.info(f"{early}Choose a run above.", icon=":material/arrow_upward:")
        st.stop()
    if len(chosen) > MOST:
        st.warning(f"The first {MOST} of these runs are drawn.", icon=":material/warning:")
        chosen = chosen[:MOST]
    _hint(chosen, told)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        measure, split = _choice("measure", "Measure", MEASURES, "match"), _split()
        on = _on(chosen)
    found = analysis.curves(store(), chosen, on)
    if split:
        found = Curves(found.table[found.table.split == split], found.sections)
    return View(chosen, analysis.labels(chosen), measure, on, found)


def _say_empty(some: bool) -> None:
    say_nothing(
        "No run has told its errors. Runs tell them after every epoch unless error_rows is 0; "
        "those made before there was this option have not."
        if some
        else "No run yet. Launch one, or start the demonstration."
    )


def _hint(chosen: list[Run], told: list[Run]) -> None:
    """What is still going on, and how to come to the paper's comparison."""
    if any(run.status == RUNNING for run in chosen):
        look_again("Some of these runs are still going on; this is how far they were.")
    if len(analysis.pair(told)) < 2 and analysis.has_fast(chosen[0].config):
        st.page_link(
            "pages/launch.py",
            label="For the paper's comparison, launch this run without the fast stage",
            icon=":material/play_circle:",
            query_params=parameters(analysis.without_fast(chosen[0].config)),
        )


def _choice(name: str, label: str, choices: dict[str, str], default: str) -> str:
    key = follow(name, default)
    if st.session_state[key] not in choices:
        st.session_state[key] = default
    show = lambda value: choices[value][:1].upper() + choices[value][1:]  # noqa: E731
    chosen = st.segmented_control(label, list(choices), format_func=show, key=key, required=True)
    publish(name, None if chosen == default else chosen)
    return chosen


def _split() -> str:
    return _choice("rows", "Rows", ROWS, "")


def _on(chosen: list[Run]) -> str:
    """One of the tasks that the runs learn, by name, or all of them."""
    names = dict.fromkeys(name for run in chosen for name in run.tasks)
    return choose("on", "Measured on", ["", *names], "", {"": ALL})


def draw_curves(view: View) -> None:
    """The errors after every epoch."""
    if view.found.table.empty:
        text = f"None of these runs has been measured on {escape(view.on)} yet."
        st.info(text, icon=":material/hourglass:")
        st.stop()
    where = f"the sampled rows of {escape(view.on)}" if view.on else (
        "the sampled rows of all tasks seen so far, pooled"
    )  # fmt: skip
    how = {
        "match": "Exact match error: the share of rows whose top parse is not the gold form.",
        "nll": "Mean negative log-likelihood of the gold derivations that can be written.",
    }
    present(
        errors(
            view.found,
            view.labels,
            analysis.task_names(view.runs),
            measure=view.measure,
            name=MEASURES[view.measure],
        ),
        f"{how[view.measure]} Measured with dropout off after every epoch, on {where}: training "
        "rows dotted, test rows solid. Dotted lines part the stages, solid ones the tasks. The "
        "paper shows training and test errors on Overnight so, with and without the fast stage.",
        view.found.table.assign(label=view.found.table.run.map(view.labels)),
        key="errors",
        file_name="errors.csv",
    )


def draw_table(view: View) -> None:
    """Where each run stands after its last epoch."""
    ends = analysis.last_values(view.found.table)
    shown = ends[["run"]].assign(Run=ends.run.map(view.labels), Tasks=ends.task + 1)
    columns = {"Run": st.column_config.TextColumn(width=340)}
    for split, called in SPLITS.items():
        if f"{split}_match" in ends:
            called = called.capitalize()
            error, loss, n = (f"{called} {what}" for what in ("error", "NLL", "rows"))
            shown[error] = 100 * ends[f"{split}_match"]
            shown[loss] = ends[f"{split}_nll_mean"]
            shown[n] = ends[f"{split}_total"].astype("Int64")
            columns |= {
                error: st.column_config.NumberColumn(format="%.1f %%", width=110),
                loss: st.column_config.NumberColumn(format="%.3f", help="nats a row", width=110),
            }
    st.subheader("After the last epoch")
    shown = shown.drop(columns="run")
    st.dataframe(
        shown,
        column_config=columns,
        hide_index=True,
        placeholder="n/a",
        height="content",
        key="ends",
    )
    download(shown, key="ends/csv", file_name="errors_last.csv")
