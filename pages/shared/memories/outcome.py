"""From a memory to its outcome: what one row alone covers and what became of that; entropy against
final accuracy over runs.
"""

from collections.abc import Sequence

import streamlit as st

from core.analysis import forgetting, memory_outcome
from core.analysis.accuracy import MEASURES
from core.analysis.choosing import stored_tasks
from core.analysis.memory import Kept
from core.charts import forgetting as forgetting_charts
from core.charts.memory_outcome import outcome
from core.runs.run import Run
from pages.shared.access.learned import in_memory
from pages.shared.access.runs import find_run, store
from pages.shared.memories.page import Shown
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import results
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import switch

MOST = 12  # actions of a row that are listed


def draw_row(shown: Shown, memory: Kept, row: int) -> None:
    """The actions that this row of the memory alone covers; of a run's memory, their curves."""
    alone = dict(
        zip(memory.rows, memory_outcome.covered_alone(shown.memories.task, memory), strict=True)
    )[row]
    example = shown.memories.task.examples[row]
    with st.container(border=True):
        st.code(f"{example.utterance}\n{example.logical_form}", language=None, wrap_lines=True)
        if not alone:
            prose("Every action of this row stands in another row of the memory too.")
            return
        prose(f"{counted(len(alone), 'action')} of the memory in this row alone:")
        st.code("\n".join(alone), language=None)
        run = None if memory.run is None else find_run(str(memory.run))
        if run is None:
            st.caption("A memory stored by a run has the curves of these actions here.")
        else:
            _curves(run, memory, alone)


def _curves(run: Run, memory: Kept, alone: Sequence[str]) -> None:
    """What became of these actions in the run that kept the row."""
    origin = memory.task
    table = forgetting.action_table(store(), run, origin)
    table = table[table.text.isin(list(alone))]
    if table.empty:
        st.caption(f"Run {run.id} has recorded no probabilities of these actions.")
        return
    name = forgetting.name_of(run.tasks, origin)
    present(
        forgetting_charts.curves(table, run.tasks, origin, height=340),
        f"P(action | history, utterance) of these actions on the training rows of {escape(name)}, "
        f"after each task of run {run.id}.",
        forgetting.spelled_out(table, run.tasks, origin),
        key=f"alone/{run.id}/{origin}",
        file_name="covered_alone.csv",
    )
    with st.container(horizontal=True):
        for each in table.head(MOST).itertuples():
            st.page_link(
                "pages/forgetting.py",
                label=escape(each.text),
                icon=":material/trending_down:",
                query_params={
                    "run": str(run.id),
                    "task": name,
                    "view": "actions",
                    "action": str(each.action),
                },
            )


def draw_outcome(shown: Shown) -> None:
    """Entropy against final accuracy, a mark for each of the runs, those of an arm alike."""
    runs, looks = shown.runs, shown.of_runs
    measure = switch("measure", "Measure", MEASURES, "avg")
    table = memory_outcome.outcomes(store(), runs, {run.id: _counts(run) for run in runs})
    if table.empty:
        st.info(
            "None of these runs has learned all of its tasks and keeps memories whose data are on "
            "this machine.",
            icon=":material/hourglass:",
        )
        return
    rho = memory_outcome.rank_correlation(table, measure)
    words = (
        f"Spearman's ρ = {rho:.2f} over {counted(len(table), 'run')}."
        if rho == rho
        else f"A rank correlation takes {memory_outcome.LEAST} runs; choose more in the side bar."
    )
    data = table.assign(name=[looks[id].name for id in table.run])
    present(
        outcome(table, looks, measure=measure, name=MEASURES[measure]),
        "The entropy of actions in what each run keeps (the mean over its tasks' memories) against "
        f"its accuracy after the last task. {words} The paper's samplers raise the first for the "
        "sake of the second (section 4.2, Table 2).",
        as_percent(data, ["whole", "avg"]),
        key="outcome",
        file_name="memory_outcome.csv",
    )


def _counts(run: Run) -> list[dict[str, int]]:
    """How often each action occurs in each of the run's memories; none where it can't be said."""
    key = ("memory counts", run.id, str(run.created), run.status, run.last_progress)
    known: list[dict[str, int]] | None = results().get(key)
    if known is None:
        tasks = stored_tasks(store(), [run.id]).task
        counts = [in_memory(run, int(task))[0] for task in tasks]
        known = results().keep(key, [dict(each) for each in counts if each is not None])
    return known
