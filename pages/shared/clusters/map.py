"""The map of a task's forms: coloured by what one asks, searched, one map a sampler."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import drilldown
from core.analysis.form_accuracy import right_by_form
from core.charts import clusters as charts
from core.charts import form_maps
from core.charts.clusters import Colouring
from core.runs.run import Run
from pages.shared.access.runs import find_run, store
from pages.shared.clusters.page import Shown
from pages.shared.tray import mark, slots
from pages.shared.ui.figures import CONFIG, save
from pages.shared.ui.glossary import prose
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import find, pick, switch, toggle

COLOURS = {"cluster": "Cluster", "kept": "Kept by", "rows": "Rows", "accuracy": "Accuracy"}
Rings = Mapping[str, Sequence[int]]  # forms by the memory that keeps them


def draw_map(shown: Shown, table: pd.DataFrame, rings: Rings) -> Sequence[dict[str, object]]:
    """The map with what is chosen above it; the points under the lasso."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        by = switch("colour", "Colour", COLOURS)
        text = find("in a logical form", width=260)
        many = toggle("maps", "One map a memory", False, "Small maps of the same forms.")
    colouring = _colouring(shown, table, by, rings)
    matches = None
    if text:
        held = table.logical_form.str.contains(text, case=False, regex=False)
        matches = table.form[held].tolist()
        st.caption(f"{counted(len(matches), 'form')} with “{escape(text)}” in it.")
    if many and rings:
        _multiples(shown, table, rings)
        return []
    distances = {"unit": "distance 1 − similarity", "height": form_maps.height_of(table)}
    figure = charts.form_map(
        table,
        {} if by == "kept" else rings,
        **(distances if shown.map.has_scale else {"unit": ""}),
        looks=shown.looks,
        colouring=colouring,
        matches=matches,
    )
    if by == "kept":
        charts.colour_by_memory(figure, table, rings, shown.looks)
    event = st.plotly_chart(
        figure,
        key=f"map/{shown.key}",
        on_select="rerun",
        selection_mode=("points", "box", "lasso"),
        config=CONFIG | {"modeBarButtonsToRemove": [], "scrollZoom": True},
    )
    save(figure, table, key="map", file_name="forms_map.csv")
    points: Sequence[dict[str, object]] = event["selection"]["points"]
    return points


def _multiples(shown: Shown, table: pd.DataFrame, rings: Rings) -> None:
    figure = form_maps.multiples(table, rings, shown.looks, shown.map.has_scale)
    prose("The same map once for each memory: the forms that it keeps, all others faint.")
    st.plotly_chart(figure, key=f"multiples/{shown.key}", config=CONFIG)
    save(figure, table, key="multiples", file_name="forms_kept.csv")


def _colouring(shown: Shown, table: pd.DataFrame, by: str, rings: Rings) -> Colouring | None:
    """What is drawn by colour; None for clusters, and memories, which have their own."""
    if by == "rows":
        return Colouring(table["rows"].to_numpy(float), "rows", float(table["rows"].max()))
    if by == "accuracy":
        return _accuracy(shown)
    return None


def _accuracy(shown: Shown) -> Colouring | None:
    """How much of each form the selected run parses after a task."""
    run = _selected(shown)
    on = -1 if run is None else run.tasks.index(shown.chosen.task.name)
    if run is None or on not in drilldown.predicted_tasks(store(), run.id):
        st.caption(
            "The selected run has recorded no parses of this task's test rows; choose another in "
            "the side bar. Colour is the cluster."
        )
        return None
    recorded = drilldown.predictions_on(store(), run.id, on)
    learned = sorted(recorded.after.unique())
    names = {str(k + 1): f"{k + 1} · {run.task_name(k)}" for k in learned}
    after = (
        int(pick("after", f"Accuracy of {mark(run).name}, after task", names, list(names)[-1])) - 1
    )
    texts = shown.map.forms.texts
    shares = right_by_form(recorded, shown.chosen.task.test, texts, after)
    st.caption(
        f"{counted(int(np.isfinite(shares).sum()), 'form')} of {len(texts):,} in the test rows; "
        "the others are open and grey."
    )
    return Colouring(100 * shares, "acc (%)", 100)


def _selected(shown: Shown) -> Run | None:
    """The tray's selected run, where it learns this task on these rows."""
    selected = slots().selected
    run = None if selected is None else find_run(str(selected))
    if run is None or run.facts is None or shown.chosen.task.name not in run.tasks:
        return None
    count = run.facts.n_test[run.tasks.index(shown.chosen.task.name)]
    same = run.config.dataset == shown.chosen.config.dataset
    return run if same and count == len(shown.chosen.task.test) else None
