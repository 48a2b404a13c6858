"""What an experiment's cells show: the table of means, every cell as a point, curves with bands."""

from itertools import count

import pandas as pd
import streamlit as st

from core import paths
from core.analysis import accuracy
from core.analysis.accuracy import MEASURES, Group
from core.analysis.arm_tables import arm_table, position_table
from core.analysis.experiment_tables import Compared, finished_runs
from core.analysis.experiment_text import POSITIONS, shown_arms, shown_positions
from core.analysis.paper import beside
from core.charts.accuracy import curves
from core.charts.experiment_arms import points
from core.charts.marks import Mark
from core.experiments.catalog import Stored
from pages.shared.access.runs import store
from pages.shared.experiments.table_files import draw_text_files
from pages.shared.tray import slots
from pages.shared.tray.slots import arm_entry
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.tables import TEXT, draw_table
from pages.shared.ui.text import escape


def draw_table_view(stored: Stored, compared: Compared, measure: str) -> None:
    """Arm × measure: mean ± sd, the paper's value, the difference, the upper bound."""
    table = shown_arms(compared)
    paper = [name for name in table.columns if name.startswith(("Paper", "Δ"))]
    known = [name for name in paper if (table[name] != "–").any()]
    table = table.drop(columns=[name for name in paper if name not in known])
    first = ("Arm", "n", MEASURES[measure], *(n for n in table.columns if n.endswith(measure)))
    names = list(dict.fromkeys([*first, *table.columns]))  # the measure that was chosen comes first
    caption = "Accuracy after the last task in percent: mean ± standard deviation over n pairs."
    st.markdown(
        f"{caption} *Bound* is the mean share of test rows whose form the known actions cover"
        + ("; Δ is the mean less the paper's value." if known else ".")
    )
    columns = {"Arm": TEXT(width=260)}
    draw_table(table[names], columns, key="arms", missing="–", height="content")
    draw_text_files(table[names], "arms", caption, data=_arms(compared))
    if known:
        experiment = compared.experiment
        st.caption(escape(beside(experiment.arm_config(arm) for arm in experiment.arms)))
    positions = shown_positions(compared)
    if len(positions.columns) > len(("Arm", "n", "Task 1")):
        st.markdown(f"{POSITIONS} Each pair learns the tasks in its own order.")
        draw_table(positions, columns, key="positions", missing="–", height="content")
        data = as_percent(position_table(compared), percent=["mean", "sd"])
        draw_text_files(positions, "positions", POSITIONS, data=data)


def _arms(compared: Compared) -> pd.DataFrame:
    """The arms' numbers in full, as files have them."""
    table = arm_table(compared)
    measured = [name for name in table if name.startswith(tuple(MEASURES))]
    points = [name for name in measured if name.endswith("_difference")]
    return as_percent(
        table, percent=[name for name in measured if name not in points], points=points
    )


def draw_cells(stored: Stored, compared: Compared, measure: str) -> None:
    """Every cell of the complete pairs as a point."""
    values = compared.values(measure)
    table = arm_table(compared).set_index("arm")
    figure = points(
        values,
        name=MEASURES[measure],
        pairs=[stored.experiment.pairs[pair].label for pair in values.index],
        bounds=table[f"{measure}_bound"].dropna().to_dict(),
        published=table[f"{measure}_paper"].dropna().to_dict(),
        colours=colours(stored),
    )
    sentence = (
        f"{MEASURES[measure]} after the last task of every cell in the complete pairs: a point a "
        "pair, a bar at the arm's mean."
    )
    named = values.rename(index=lambda pair: stored.experiment.pairs[pair].label)
    data = named.rename_axis("pair").reset_index()
    data = as_percent(data, percent=list(values.columns))
    present(figure, sentence, data, key="points", file_name=f"cells_{measure}.csv")


def draw_curves(stored: Stored, compared: Compared, measure: str) -> None:
    """Accuracy after each task, mean and band over the complete pairs."""
    spread = _spread(stored.id, runs_of_arms(compared), paths.database_url())
    looks = {label: Mark(label, slot) for label, slot in colours(stored).items()}
    figure = curves(spread, measure=measure, name=MEASURES[measure], marks=looks)
    sentence = (
        f"{MEASURES[measure]} after each task: means over the complete pairs, bands one standard "
        "deviation, as in the paper's figures. Each pair learns the tasks in its own order."
    )
    shares = [measure, f"{measure}_deviation", f"bound_{measure}"]
    data = as_percent(spread[["group", "after", "runs", *shares]], shares)
    present(figure, sentence, data, key="curves", file_name=f"curves_{measure}.csv")


def runs_of_arms(compared: Compared) -> dict[str, tuple[int, ...]]:
    """The runs of each compared arm in the complete pairs, by its label."""
    used: pd.DataFrame = compared.cells[compared.cells.pair.isin(compared.pairs)]
    labels = {compared.experiment.arms[arm].label: arm for arm in compared.arms}
    return {
        label: tuple(used.run[used.arm == arm].dropna().astype(int).tolist())
        for label, arm in labels.items()
    }


@st.cache_data(ttl=120, max_entries=16, show_spinner="Reading the finished cells …")
def _spread(experiment: int, runs: dict[str, tuple[int, ...]], database: str) -> pd.DataFrame:
    by_id = {run.id: run for run in finished_runs(store(), experiment)}
    groups = [
        Group(label, tuple(by_id[id] for id in ids if id in by_id)) for label, ids in runs.items()
    ]
    compared = [run for group in groups for run in group.runs]
    return accuracy.spread(accuracy.curves(accuracy.cells(store(), compared)), groups)


def colours(stored: Stored) -> dict[str, int]:
    """The slot of every arm: the tray's for those that lie there, the first that are free for the
    others. It is its own, whichever of the arms are compared.
    """
    held = {entry: slot for slot, entry in enumerate(slots().runs)}
    arms = stored.experiment.arms
    chosen = {
        arm.label: held[entry]
        for at, arm in enumerate(arms)
        if (entry := arm_entry(stored.id, at)) in held
    }
    free = (slot for slot in count() if slot not in chosen.values())
    return {arm.label: chosen[arm.label] if arm.label in chosen else next(free) for arm in arms}
