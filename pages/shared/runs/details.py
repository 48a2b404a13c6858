"""What a run was asked to do and what it found: settings, facts, the same by command line."""

from datetime import datetime

import pandas as pd
import streamlit as st

from core.analysis.command_line import command_line
from core.analysis.diagnostics import diagnostics
from core.analysis.durations import duration
from core.analysis.progress import times
from core.analysis.settings import in_words, settings, show_setting
from core.config import RunConfig, changed
from core.runs.run import Run
from core.validation.presets import presets_in_words
from pages.shared.access.runs import store


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
        line = command_line(run.config, keeps_memory=run.keeps_memory)
        st.code(line, language=None, wrap_lines=True)


def _table(rows: list[tuple[str, ...]], heading: str, *, key: str) -> None:
    names = [heading, "Value", ""][: len(rows[0])]
    frame = pd.DataFrame(rows, columns=names)
    st.dataframe(frame, hide_index=True, height=36 * 9, key=key)


def _settings(config: RunConfig) -> list[tuple[str, ...]]:
    """All settings, those that differ from the defaults first."""
    other = {name for name, _ in changed(config)}
    rows = [
        (in_words(n), show_setting(n, v), "●" * (n in other)) for n, v in settings(config).items()
    ]
    return sorted(rows, key=lambda row: row[2] == "")


def _facts(run: Run) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("created", _when(run.created)),
        ("started", _when(run.started)),
        ("ended", _when(run.ended)),
        ("times begun", str(run.attempts)),
        ("device", run.device),
        ("preset", presets_in_words(run.config) or "none"),
    ]
    facts = run.facts
    for name, train, test in (
        zip(facts.tasks, facts.n_train, facts.n_test, strict=True) if facts else ()
    ):
        learned = f"{train:,} rows to learn, " if train else ""
        rows.append((f"task {name}", f"{learned}{test:,} to test"))
    for name, seconds in times(store(), run.id).items():
        rows.append((f"time for {name}", duration(seconds)))
    if facts:
        numbers = {name: getattr(facts, name) for name in ("actions", "slots", "parameters")}
        rows += [(name, f"{number:,}") for name, number in numbers.items() if number]
        if facts.task_parameters:
            rows.append(("of them each task's own", f"{facts.task_parameters:,}"))
    if facts and facts.reduced:
        rows.append(("recording, reduced", facts.reduced))
    for k, named in list(diagnostics(store(), run.id).items())[-1:]:  # after the last task
        rows += [(name, f"{value:.3g} after task {k + 1}") for name, value in named.items()]
    return [*rows, *run.versions.items()]


def _when(time: datetime | None) -> str:
    return "–" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
