"""What a run was asked to do and what it found: settings, facts, the same by command line."""

import pandas as pd
import streamlit as st

from core.analysis.measures import measures
from core.analysis.progress import times
from core.analysis.settings import in_words, settings, show
from core.commands.display import duration
from core.commands.line import command_line
from core.config import RunConfig, changed
from core.runs.life import Run
from pages.shared.runs import store


def draw_details(run: Run) -> None:
    """Settings and facts in two tables, folded away."""
    with st.expander("Settings and facts", icon=":material/tune:"):
        left, right = st.columns(2, gap="medium")
        with left:
            _table(_settings(run.config), "Setting", key=f"settings/{run.id}")
            st.caption("● differs from the default")
        with right:
            _table(_facts(run), "Fact", key=f"facts/{run.id}")
        st.caption("The same by command line")
        line = command_line(run.config, keeps_memory=run.facts.get("keeps_memory", True))
        st.code(line, language="bash", wrap_lines=True)


def _table(rows: list[tuple[str, ...]], heading: str, *, key: str) -> None:
    names = [heading, "Value", ""][: len(rows[0])]
    frame = pd.DataFrame(rows, columns=names)
    st.dataframe(frame, hide_index=True, height=36 * 9, key=key)


def _settings(config: RunConfig) -> list[tuple[str, ...]]:
    """All settings, those that differ from the defaults first."""
    other = {name for name, _ in changed(config)}
    rows = [(in_words(n), show(v), "●" * (n in other)) for n, v in settings(config).items()]
    return sorted(rows, key=lambda row: row[2] == "")


def _facts(run: Run) -> list[tuple[str, ...]]:
    told = run.facts
    when = lambda time: "–" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"  # noqa: E731
    rows = [
        ("created", when(run.created)),
        ("started", when(run.started)),
        ("ended", when(run.ended)),
        ("times begun", str(run.attempts)),
        ("device", run.device),
    ]
    for name, train, test in zip(
        told.get("tasks", []), told.get("train_rows", []), told.get("test_rows", []), strict=True
    ):
        rows.append((f"task {name}", f"{train:,} rows to learn, {test:,} to test"))
    for name, seconds in times(store(), run.id).items():
        rows.append((f"time for {name}", duration(seconds)))
    for name in ("actions", "slots", "parameters"):
        if name in told:
            rows.append((name, f"{told[name]:,}"))
    if told.get("task_parameters"):
        rows.append(("of them each task's own", f"{told['task_parameters']:,}"))
    for k, named in list(measures(store(), run.id).items())[-1:]:  # after the last task
        rows += [(name, f"{value:.3g} after task {k + 1}") for name, value in named.items()]
    return rows + [(name, version) for name, version in run.versions.items()]
