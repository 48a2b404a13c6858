"""A run's loss and accuracy so far, drawn anew where the run has got further."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import accuracy
from core.analysis.accuracy import MEASURES
from core.analysis.progress import epoch_losses
from core.charts.accuracy import trajectory
from core.charts.progress import loss
from core.data.naming import dataset_name
from core.events import Progress
from core.runs.recordings import IMPORTED
from core.runs.run import RUNNING, Run
from pages.shared.access.runs import store
from pages.shared.tray import mark
from pages.shared.ui.address import key_of
from pages.shared.ui.exports import as_percent, name_exports
from pages.shared.ui.figures import draw_figure, save

Drawn = tuple[go.Figure, pd.DataFrame]  # a figure and its data


def draw_figures(run: Run) -> None:
    """Loss and accuracy so far, side by side; of an imported run its accuracy."""
    name_exports(dataset_name(run.config), [run.id])
    last = run.last_progress
    position = (run.id, run.status, mark(run), *((last.task, last.stage) if last else ()))
    left, right = st.columns(2, gap="medium")
    with left:
        if IMPORTED in run.versions:
            st.info(
                "Imported: its accuracies are all that is known of it. No parser is kept, no loss "
                "and no action is recorded; carried out here it would have them.",
                icon=":material/file_open:",
            )
        else:
            st.markdown("**Loss** of each epoch over a task's rows, replay and penalty included.")
            state = (*position, *((last.epoch, last.loss) if last else ()))
            figure, data = _kept("loss", state, lambda: _loss(run))
            draw_figure(figure, key="loss", columns=2)
            save(figure, data, key="loss", file_name=f"loss_run_{run.id}.csv")
    with right:
        st.markdown("**Accuracy** over all tasks seen, after each task (the paper's Table 1).")
        figure, data = _kept("trajectory", position, lambda: _trajectory(run))
        draw_figure(figure, key="trajectory", columns=2)
        save(figure, data, key="trajectory", file_name=f"acc_run_{run.id}.csv")


def _kept(name: str, state: tuple[object, ...], make: Callable[[], Drawn]) -> Drawn:
    """What was drawn last while the run stands as it did then; else a new one."""
    held = st.session_state.get(key_of(name))
    if held is None or held[0] != state:
        held = st.session_state[key_of(name)] = (state, make())
    return held[1]


def _loss(run: Run) -> Drawn:
    done = epoch_losses(store(), run.id)
    now = _now(run, run.last_progress, done)
    return loss(done, run.tasks, slot=mark(run).slot, now=now), done


def _trajectory(run: Run) -> Drawn:
    curve = accuracy.curves(accuracy.cells(store(), [run]))
    shares = [name for name in curve if name.endswith(tuple(MEASURES))]
    return trajectory(curve, run.tasks, mark(run)), as_percent(curve, shares)


def _now(run: Run, last: Progress | None, done: pd.DataFrame) -> float | None:
    """The running loss of an epoch under way; none where it is in the table already."""
    if run.status != RUNNING or last is None or last.loss is None:
        return None
    here = (done.task == last.task) & (done.stage == last.stage)
    return last.loss if last.epoch < last.epochs and here.sum() <= last.epoch else None
