"""What is asked on the playground: of which runs, which utterance, read as which task's."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.data.base import DataError, Example, Task, normalise
from core.inspection.steps import MOST_LETTERS, MOST_WORDS, cut
from core.options import ConfigError
from core.runs import checkpoints
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, choose_above, pick_runs, store, with_records
from pages.shared.access.task_choice import tasks_of
from pages.shared.ui.address import follow, publish
from pages.shared.ui.text import counted, escape, visible
from pages.shared.ui.widgets import find, pick, switch

MOST_RUNS = 2
MOST_ROWS = 300  # offered at a time
SOURCES = {"typed": "Typed", "test": "A test row", "train": "A training row"}
OWN = "own"  # read as the task that the row is from, or else as the last learned


@dataclass(frozen=True)
class Request:
    """An utterance for some runs. `gold` is its form and `task` its task where they are known."""

    runs: tuple[Run, ...]
    utterance: str
    gold: str | None
    task: str | None

    def read_as(self, run: Run) -> int:
        """The number of the task that this run's parsers read it as; the last where none is."""
        known = self.task in run.tasks
        return run.tasks.index(self.task) if known else len(run.tasks) - 1


def pick_kept() -> list[Run]:
    """Let runs be chosen that have kept parsers; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    with_parsers = with_records(
        runs,
        {run.id for run in runs if run.tasks and checkpoints.saved_parsers(run.id)},
        "No run has kept a parser. A run keeps its parser after each task, beside its "
        "checkpoints; these runs have not got so far, or the files were deleted.",
    )
    chosen = pick_runs("Runs", with_parsers, default=[with_parsers[0].id], most=MOST_RUNS)
    if not chosen:
        all_have = len(with_parsers) == len(runs)
        choose_above("" if all_have else "Runs that have kept no parser aren't offered.")
    return chosen


def ask(runs: Sequence[Run]) -> Request:
    """Let an utterance be typed or picked, and say which task it is; ends where there is none."""
    with st.container(border=True):
        source = switch("source", "Utterance", SOURCES)
        gold = task_of_row = None
        if source == "typed":
            utterance = _typed()
        else:
            example, task_of_row = _row(runs[0], source)
            utterance, gold = example.utterance, example.logical_form
        task = _read_as(runs[0], task_of_row)
    if not utterance:
        st.info("Type an utterance, or pick a row.", icon=":material/keyboard:")
        st.stop()
    return Request(tuple(runs), utterance, gold, task)


def _typed() -> str:
    key = follow("utterance", "")
    text = st.text_area(
        "Utterance",
        key=key,
        height=80,
        placeholder="in the words of one of the tasks",
        label_visibility="collapsed",
    )
    read = cut(normalise(text))
    publish("utterance", read or None)
    if len(read) < len(" ".join(text.split())):
        words = len(text.split())
        st.warning(
            f"Of its {counted(words, 'word')} the first {len(read.split()):,} are read: an "
            f"utterance has at most {MOST_WORDS} words and {MOST_LETTERS:,} characters here.",
            icon=":material/content_cut:",
        )
    return read


def _row(run: Run, part: str) -> tuple[Example, str]:
    """A row of the run's data and its task's name; says why and ends where there is none."""
    try:
        tasks = {task.name: task for task in tasks_of(run.config)}
    except (DataError, ConfigError) as error:
        st.error(escape(error), icon=":material/error:")
        st.stop()
    left, right = st.columns(2)
    with left:
        task = tasks[pick("task", "Task", list(tasks))]
    with right:
        text = find("in utterance or form")
    rows = _matches(task, part, text)
    if not rows:
        st.info("No row has this in it.", icon=":material/search_off:")
        st.stop()
    labels = {str(at): f"{at} · {visible(row.utterance)}" for at, row in rows[:MOST_ROWS]}
    chosen = int(pick("row", "Row", labels))
    offered = "" if len(rows) <= MOST_ROWS else f"; the first {MOST_ROWS} are offered"
    st.caption(f"{counted(len(rows), 'row')}{offered}.")
    return dict(rows)[chosen], task.name


def _matches(task: Task, part: str, text: str) -> list[tuple[int, Example]]:
    """The rows that have the text in utterance or form, with their numbers."""
    wanted = text.casefold()
    return [
        (at, row)
        for at, row in enumerate(getattr(task, part))
        if wanted in row.utterance.casefold() or wanted in row.logical_form.casefold()
    ]


def _read_as(run: Run, task_of_row: str | None) -> str | None:
    """The task that the utterance is read as, by name."""
    labels = {OWN: "the last learned" if task_of_row is None else f"its own, {task_of_row}"}
    labels |= {name: name for name in run.tasks}
    chosen = pick("as", "Read as an utterance of task", labels)
    st.caption(
        "It matters to parsers that treat tasks apart: with task masking (actions of other tasks "
        "alone are left out), DAR (an adapter a task) or HAT (a mask a task); to all others it "
        "makes no difference. A parser that has not learned the task yet reads it as the last "
        "that it has."
    )
    return task_of_row if chosen == OWN else chosen
