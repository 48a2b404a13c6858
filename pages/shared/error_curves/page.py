"""The error page: which runs, on which rows, by which measure; the curves and their ends."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.analysis import error_curves as analysis
from core.analysis.error_curves import MEASURES, SPLITS, Curves
from core.charts.error_curves import errors
from core.charts.marks import Mark
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, say_reduced, store, warn_of_other_data
from pages.shared.launch.form import parameters
from pages.shared.tray import marks, tray_runs, with_records
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.memo import remembered
from pages.shared.ui.options import setting
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick, switch

MOST = 8  # runs over one another
ROWS = {"": "Both", "train": "Training", "test": "Test"}
LABELS = {name: label[:1].upper() + label[1:] for name, label in MEASURES.items()}
ALL = "all tasks seen"


@dataclass(frozen=True)
class View:
    """What the page shows: runs, the rows they are measured on, the curves."""

    runs: list[Run]
    marks: dict[int, Mark]
    measure: str
    split: str  # of SPLITS; empty: both
    on: str  # a task's name; empty: all tasks seen
    curves: Curves

    @property
    def labels(self) -> dict[int, str]:
        return {id: mark.name for id, mark in self.marks.items()}


def pick_view() -> View:
    """Let runs, rows and measure be chosen; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    known = analysis.recorded(store(), [run.id for run in runs])
    recorded = with_records(
        runs,
        known,
        "No run has recorded error curves. Runs record them after every epoch unless "
        f"*{setting('error_rows')}* is 0; those made before there was this option have none.",
    )
    chosen = tray_runs(recorded, "error curves", by="epoch")
    if len(chosen) > MOST:
        st.warning(f"The first {MOST} of these runs are drawn.", icon=":material/warning:")
        chosen = chosen[:MOST]
    _hint(chosen, recorded)
    warn_of_other_data(chosen)
    say_reduced(chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        measure, split = switch("measure", "Measure", LABELS, "match"), switch("rows", "Rows", ROWS)
        on = _on(chosen)
    curves = remembered(("errors", on), partial(analysis.curves, store(), chosen, on), chosen)
    if split:
        curves = Curves(curves.table[curves.table.split == split], curves.sections)
    return View(chosen, marks(chosen), measure, split, on, curves)


def _hint(chosen: list[Run], recorded: list[Run]) -> None:
    """How to come to the paper's comparison."""
    if len(analysis.pair(recorded)) < 2 and analysis.has_fast(chosen[0].config):
        st.page_link(
            "pages/launch.py",
            label="For the paper's comparison, launch this run without the fast stage",
            icon=":material/play_circle:",
            query_params=parameters(analysis.without_fast(chosen[0].config)),
        )


def _on(chosen: list[Run]) -> str:
    """One of the tasks that the runs learn, by name, or all of them."""
    names = dict.fromkeys(name for run in chosen for name in run.tasks)
    return pick("on", "Measured on", {"": ALL} | {name: name for name in names})


def draw_curves(view: View) -> None:
    """The errors after every epoch."""
    if view.curves.table.empty:
        text = f"None of these runs has been measured on {escape(view.on)} yet."
        st.info(text, icon=":material/hourglass:")
        st.stop()
    where = (
        f"the sampled rows of {escape(view.on)}"
        if view.on
        else ("the sampled rows of all tasks seen so far, pooled")
    )
    how = {
        "match": "Exact match error: the share of rows whose top parse is not the gold form.",
        "nll": "Mean negative log-likelihood of the gold derivations that can be written.",
    }
    draw = partial(
        errors,
        view.curves,
        view.marks,
        analysis.task_names(view.runs),
        measure=view.measure,
        name=MEASURES[view.measure],
    )
    key = ("errors figure", view.on, view.split, view.measure, *view.marks.items())
    present(
        remembered(key, draw, view.runs),
        f"{how[view.measure]} Measured with dropout off after every epoch, on {where}: training "
        "rows dotted, test rows solid. Dotted lines part the stages, solid ones the tasks. The "
        "paper shows training and test errors on Overnight so, with and without the fast stage.",
        as_percent(
            view.curves.table.assign(label=view.curves.table.run.map(view.labels)), shares=["match"]
        ),
        key="errors",
        file_name="errors.csv",
    )


def draw_ends(view: View) -> None:
    """Where each run stands after its last epoch."""
    ends = analysis.last_values(view.curves.table)
    shown = ends[["run"]].assign(Run=ends.run.map(view.labels), Tasks=ends.task + 1)
    columns = {"Run": TEXT(width=340)}
    for split, label in SPLITS.items():
        if f"{split}_match" in ends:
            error, loss, n = (f"{label.capitalize()} {what}" for what in ("error", "NLL", "rows"))
            shown[error] = 100 * ends[f"{split}_match"]
            shown[loss] = ends[f"{split}_nll_mean"]
            shown[n] = ends[f"{split}_total"].astype("Int64")
            columns |= {
                error: NUMBER(format="%.1f %%", width=110),
                loss: NUMBER(format="%.3f", help="nats a row", width=110),
            }
    st.subheader("After the last epoch")
    shown = shown.drop(columns="run")
    errors = [name for name in shown.columns if name.endswith(" error")]
    draw_table(
        shown,
        columns,
        key="ends",
        file_name="errors_last.csv",
        data=as_percent(shown, percent=errors),
        height="content",
    )
