"""The queue and one run of it, redrawn while it goes on: one fragment, always drawn."""

from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import accuracy
from core.analysis.choosing import stored_tasks
from core.analysis.durations import duration
from core.analysis.progress import epoch_losses
from core.charts.accuracy import trajectory
from core.charts.progress import loss
from core.events import Progress
from core.runs.checkpoints import CheckpointError
from core.runs.manager import manager
from core.runs.run import QUEUED, RUNNING, Run, StoreError
from pages.shared.access.runs import COLUMNS, SHOWN, beside, overview, store
from pages.shared.runs.details import draw_details
from pages.shared.ui.address import follow, key_of, publish, read_whole
from pages.shared.ui.figures import draw_figure, save
from pages.shared.ui.opening import live
from pages.shared.ui.text import STATUS, escape

EVERY = 1.5  # seconds between two looks
Drawn = tuple[go.Figure, pd.DataFrame]  # a figure and its data


@live(EVERY)
def draw_runs() -> None:
    """The table of runs, and below it the chosen one as it now stands."""
    _say_refused()
    runs = store().runs(limit=SHOWN)
    if not runs:
        _say_empty()
        return
    with st.container(key="live"):
        run = _choose(runs)
        publish("run", str(run.id))
        st.space("small")
        _head(run, runs)
        _state(run, runs)
        _figures(run)
        draw_details(run)


def follow_choice() -> None:
    """Take the run that the address asks for; called by the page, before the fragment."""
    follow("run", None, read_whole)


def _say_empty() -> None:
    st.info("No run yet. Launch one, or start the demonstration.", icon=":material/inbox:")
    with st.container(horizontal=True):
        st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
        st.page_link("app.py", label="Run the demonstration", icon=":material/home:")


def _choose(runs: Sequence[Run]) -> Run:
    """The table; the run that is chosen in it, else the one asked for, else the newest."""
    key, ids = key_of("run"), [run.id for run in runs]
    if st.session_state.get(key) not in ids:
        if st.session_state.get(key) is not None:
            st.toast(f"There is no run {escape(st.session_state[key])}.", icon=":material/info:")
        busy = [run.id for run in runs if run.status == RUNNING]
        st.session_state[key] = (busy or ids)[0]
    table = f"{key}/table/{hash(tuple(ids))}/{_asked(key)}"
    chosen = st.dataframe(
        overview(store(), runs),
        key=table,
        column_config=COLUMNS,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [ids.index(st.session_state[key])]}},
        placeholder="–",
    )
    if chosen.selection.rows:
        st.session_state[key] = ids[chosen.selection.rows[0]]
    st.session_state[f"{key}/drawn"] = st.session_state[key]
    if len(runs) == SHOWN:
        st.caption(f"The newest {SHOWN} runs are shown.")
    return runs[ids.index(st.session_state[key])]


def _asked(key: str) -> int:
    """Counts how often the choice came from elsewhere than the table: it is drawn anew then."""
    times = st.session_state.get(f"{key}/asked", 0)
    if st.session_state.get(f"{key}/drawn") != st.session_state[key]:
        times = st.session_state[f"{key}/asked"] = times + 1
    return times


def _head(run: Run, runs: Sequence[Run]) -> None:
    """Name, status and what can be done."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.subheader(escape(run.name), anchor=False, width="content")
        look = STATUS[run.status]
        word = "stopping" if run.stop_requested else run.status
        st.badge(word, icon=look.icon, color=look.colour, help=f"This run {look.means}.")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if run.can_resume:
            _button("Resume", ":material/play_arrow:", manager().resume, run.id, kind="primary")
        elif run.status in (QUEUED, RUNNING):
            off = not run.can_stop
            _button("Stop", ":material/stop:", manager().stop, run.id, disabled=off)
        here = {"run": str(run.id)}
        _link("accuracy", "Accuracy", "show_chart", here)
        together = beside(run, runs)
        if len(together) > 1:
            _link("accuracy", "Compare", "compare_arrows", {"run": ",".join(map(str, together))})
        _link("forgetting", "Forgetting", "trending_down", here)
        if not stored_tasks(store(), [run.id]).empty:
            _link("memories", "Memories", "inventory_2", {"source": "runs"} | here)
        _link("launch", "Clone", "content_copy", {"clone": str(run.id)})
        _rename(run)
        _delete(run)


def _link(page: str, label: str, icon: str, query: dict[str, str]) -> None:
    file = f"pages/{page}.py"
    st.page_link(file, label=label, icon=f":material/{icon}:", query_params=query)


def _button(
    label: str,
    icon: str,
    action: Callable[[int], None],
    run: int,
    *,
    kind: str = "secondary",
    disabled: bool = False,
) -> None:
    st.button(
        label,
        icon=icon,
        type=kind,
        disabled=disabled,
        key=f"{label}/{run}",
        on_click=_try,
        args=(action, run),
    )


def _try(action: Callable[..., None], *args: object) -> None:
    """Do it; what can't be done is said once the page is drawn again: a callback draws nothing."""
    try:
        action(*args)
    except (StoreError, CheckpointError) as error:
        st.session_state[key_of("refused")] = str(error)


def _say_refused() -> None:
    refused = st.session_state.pop(key_of("refused"), None)
    if refused is not None:
        st.toast(escape(refused), icon=":material/error:")


def _rename(run: Run) -> None:
    key = f"name/{run.id}"
    with st.popover("Rename", icon=":material/edit:", type="tertiary"):
        st.text_input("Name", value=run.name, max_chars=120, key=key)
        take = lambda: _try(store().rename, run.id, st.session_state[key])  # noqa: E731
        st.button("Save", key=f"save/{run.id}", on_click=take, type="primary")


def _delete(run: Run) -> None:
    with st.popover("Delete", icon=":material/delete:", type="tertiary"):
        if run.status == RUNNING:
            st.markdown("It is running: stop it first.")
            return
        st.markdown(f"Delete run {run.id} with its results and checkpoints? There is no way back.")
        _button("Delete it", ":material/delete_forever:", manager().delete, run.id, kind="primary")


def _state(run: Run, runs: Sequence[Run]) -> None:
    """How far it is, in a bar and a line of words; an error as it was told."""
    st.progress(run.progress, text=_words(run, runs))
    if run.error:
        st.error(escape(run.error), icon=":material/error:")


def _words(run: Run, runs: Sequence[Run]) -> str:
    if run.status == QUEUED:
        before = sum(other.id < run.id or other.status == RUNNING for other in _waiting(runs)) - 1
        return f"Waiting; {max(0, before)} before it." if before > 0 else "Waiting for a worker."
    last = run.last_progress
    parts = [f"{run.progress:.0%}"]
    if run.status == RUNNING and last:
        name = escape(run.task_name(last.task))
        parts.append(f"task {last.task + 1} of {len(run.tasks)}, {name}")
        parts.append(f"{escape(last.stage)} stage, pass {_pass(last)} of {last.epochs}")
    parts.append(f"{duration(run.seconds)} so far" if run.status == RUNNING else _took(run))
    if run.status == RUNNING and run.seconds_left is not None:
        parts.append(f"**{duration(run.seconds_left)} left**")
    return " · ".join(parts)


def _pass(last: Progress) -> int:
    return min(last.epoch + 1, last.epochs)


def _took(run: Run) -> str:
    return f"took {duration(run.seconds)}" if run.seconds else "had not begun"


def _waiting(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.status in (QUEUED, RUNNING)]


def _figures(run: Run) -> None:
    """Loss and accuracy so far, side by side."""
    last = run.last_progress
    position = (run.id, run.status, *((last.task, last.stage) if last else ()))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Loss** of each pass over a task's rows, replay and penalty included.")
        state = (*position, *((last.epoch, last.loss) if last else ()))
        figure, data = _kept("loss", state, lambda: _loss(run))
        draw_figure(figure, key="loss")
        save(figure, data, key="loss", file_name=f"loss_run_{run.id}.csv")
    with right:
        st.markdown("**Accuracy** over all tasks seen, after each task (the paper's Table 1).")
        figure, data = _kept("course", position, lambda: _course(run))
        draw_figure(figure, key="course")
        save(figure, data, key="course", file_name=f"acc_run_{run.id}.csv")


def _kept(name: str, state: tuple, make: Callable[[], Drawn]) -> Drawn:
    """What was drawn last while the run stands as it did then; else a new one."""
    held = st.session_state.get(key_of(name))
    if held is None or held[0] != state:
        held = st.session_state[key_of(name)] = (state, make())
    return held[1]


def _loss(run: Run) -> Drawn:
    done = epoch_losses(store(), run.id)
    return loss(done, run.tasks, now=_now(run, run.last_progress, done)), done


def _course(run: Run) -> Drawn:
    curve = accuracy.curves(accuracy.cells(store(), [run]))
    return trajectory(curve, run.tasks), curve


def _now(run: Run, last: Progress | None, done: pd.DataFrame) -> float | None:
    """The running loss of a pass that is under way; none where the pass is in the table already."""
    if run.status != RUNNING or last is None or last.loss is None:
        return None
    here = (done.task == last.task) & (done.stage == last.stage)
    return last.loss if last.epoch < last.epochs and here.sum() <= last.epoch else None
