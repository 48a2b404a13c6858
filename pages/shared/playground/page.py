"""What is asked on the playground: of which runs, which utterance, read as which task's."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.data.base import DataError, Example, Task, normalise
from core.inspection.utterances import MOST_LETTERS, MOST_WORDS, cut
from core.options import ConfigError
from core.runs import checkpoints
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, store
from pages.shared.access.task_choice import tasks_of
from pages.shared.tray import pick_other, selected_run, with_records
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.text import counted, escape, visible
from pages.shared.ui.widgets import find, pick, switch

MOST_ROWS = 300  # offered at a time
EXAMPLES = 3  # utterances offered before one is typed
SOURCES = {"typed": "Typed", "test": "A test row", "train": "A training row"}
OWN = "own"  # read as the task that the row is from, or else as the last learned


@dataclass(frozen=True)
class Request:
    """An utterance for some runs. `gold` is its form and `task` its task where they are known;
    `changed` is another utterance to be parsed beside it, empty for none.
    """

    runs: tuple[Run, ...]
    utterance: str
    gold: str | None
    task: str | None
    changed: str = ""

    def read_as(self, run: Run) -> int:
        """The number of the task that this run's parsers read it as; the last where none is."""
        known = self.task in run.tasks
        return run.tasks.index(self.task) if known else len(run.tasks) - 1


def pick_kept() -> list[Run]:
    """The selected run and another beside it; says what to do and ends where none has a parser."""
    runs = store().runs(limit=SHOWN)
    with_parsers = with_records(
        runs,
        {run.id for run in runs if run.tasks and checkpoints.saved_parsers(run.id)},
        "No run has kept a parser. A run keeps its parser after each task, beside its "
        "checkpoints; these runs have not got so far, or the files were deleted.",
    )
    run = selected_run(with_parsers, "parser")
    with st.columns([1, 2])[0]:
        other = pick_other(run, with_parsers)
    return [run] if other is None else [run, other]


def ask(runs: Sequence[Run]) -> Request:
    """Let an utterance be typed or picked, and say which task it is; ends where there is none."""
    with st.container(border=True):
        source = switch("source", "Utterance", SOURCES)
        if source == "typed":
            utterance = _typed(runs[0])
            row = _known(runs[0], utterance)
        else:
            row = _row(runs[0], source)
            utterance = row[0].utterance
        changed = _changed(utterance) if utterance else ""
        task = _read_as(runs[0], row[1] if row else None)
    if not utterance:
        st.info("Type an utterance, or pick a row.", icon=":material/keyboard:")
        st.stop()
    return Request(tuple(runs), utterance, row[0].logical_form if row else None, task, changed)


def _typed(run: Run) -> str:
    key = follow("utterance", "")
    _examples(run, key)
    text = st.text_area(
        "Utterance",
        key=key,
        height=80,
        placeholder="in the words of one of the tasks",
        label_visibility="collapsed",
    )
    read = _read(text)
    publish("utterance", read or None)
    return read


def _read(text: str) -> str:
    """What of the text is parsed; says where it is not all."""
    read = cut(normalise(text))
    if len(read) < len(" ".join(text.split())):
        words = len(text.split())
        st.warning(
            f"Of its {counted(words, 'word')} the first {len(read.split()):,} are read: an "
            f"utterance has at most {MOST_WORDS} words and {MOST_LETTERS:,} characters here.",
            icon=":material/content_cut:",
        )
    return read


def _tasks(run: Run) -> tuple[Task, ...]:
    """The run's tasks; none where its data can't be read."""
    try:
        return tasks_of(run.config)
    except (DataError, ConfigError):
        return ()


def _examples(run: Run, key: str) -> None:
    """Utterances of the first, a middle and the last task that fill the field on a click."""
    tasks = [task for task in _tasks(run) if task.test]
    numbers = sorted({0, len(tasks) // 2, len(tasks) - 1})[:EXAMPLES] if tasks else []
    rows = [tasks[number].test[number % len(tasks[number].test)].utterance for number in numbers]
    with st.container(horizontal=True, gap="small"):
        for number, utterance in enumerate(dict.fromkeys(rows)):
            st.button(
                escape(visible(utterance)),
                key=f"{key_of('example')}/{number}",
                icon=":material/lightbulb:",
                on_click=st.session_state.__setitem__,
                args=(key, utterance),
            )


def _known(run: Run, utterance: str) -> tuple[Example, str] | None:
    """A row of the run's data with this utterance, test rows first, and its task's name."""
    words = utterance.lower().split()
    tasks = _tasks(run) if words else ()
    for part in ("test", "train"):
        for task in tasks:
            for example in getattr(task, part):
                if example.words == words:
                    return example, task.name
    return None


def _changed(utterance: str) -> str:
    """The same utterance with a word changed, parsed beside it; empty where none is wanted."""
    key = follow("changed", "")
    if not st.session_state[key].strip():
        st.button(
            "Change a word",
            icon=":material/edit:",
            type="tertiary",
            on_click=st.session_state.__setitem__,
            args=(key, utterance),
            help="Parses a second utterance beside this one and shows in what the two differ.",
        )
        publish("changed", None)
        return ""
    left, right = st.columns([6, 1], vertical_alignment="bottom")
    with left:
        text = st.text_input("Beside it, with a word changed", key=key)
    with right:
        st.button(
            "Leave out",
            icon=":material/close:",
            on_click=st.session_state.__setitem__,
            args=(key, ""),
            width="stretch",
        )
    changed = _read(text)
    publish("changed", changed or None)
    if changed.lower().split() == utterance.lower().split():
        st.caption("Both are the same as yet: change a word and press Enter.")
        return ""
    return changed


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
    labels = {OWN: "its own, or else the last learned"} | {name: name for name in run.tasks}
    chosen = pick("as", "Read as an utterance of task", labels)
    task = task_of_row if chosen == OWN else chosen
    read = "the last learned" if task is None else task
    st.caption(
        f"Read as one of {escape(read)}. It matters to parsers that treat tasks apart: with task "
        "masking (actions of other tasks alone are left out), DAR (an adapter a task) or HAT (a "
        "mask a task); to all others it makes no difference. A parser that has not learned the "
        "task yet reads it as the last that it has."
    )
    return task
