"""Whether arms differ: paired differences with tests, ranks, and what order and seed do."""

import streamlit as st

from core.analysis import significance
from core.analysis.accuracy import MEASURES
from core.analysis.experiment_tables import Compared
from core.analysis.experiment_text import (
    about_p,
    rank_table,
    rank_title,
    shown_differences,
    shown_effects,
)
from core.charts.experiment_arms import differences
from core.charts.experiment_ranks import critical_difference
from core.experiments.catalog import Stored
from pages.shared.experiments.result_views import colours
from pages.shared.experiments.table_files import draw_text_files
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick


def draw_differences(stored: Stored, compared: Compared, measure: str) -> None:
    """Every arm less a chosen one within pairs, with interval and exact test."""
    values = compared.values(measure)
    if len(values.columns) < 2:
        st.info("One arm alone: there is nothing to compare it with.", icon=":material/info:")
        return
    reference = pick("reference", "Less this arm", list(values.columns))
    table = significance.differences(values, reference)
    paired = {arm: (values[arm] - values[reference]).tolist() for arm in table.arm}
    figure = differences(
        table, paired, name=MEASURES[measure], reference=reference, colours=colours(stored)
    )
    sentence = (
        f"{MEASURES[measure]} of each arm less that of **{escape(reference)}** in the same pair: "
        "small points are pairs, the large one their mean with its 95 % interval (BCa bootstrap "
        "over pairs)."
    )
    data = as_percent(table, points=["difference", "low", "high"])
    present(figure, sentence, data, key="differences", file_name=f"differences_{measure}.csv")
    st.warning(escape(about_p(compared)), icon=":material/functions:")
    shown = shown_differences(compared, measure, reference)
    draw_table(shown, {"Arm": TEXT(width=240)}, key="tests", missing="–", height="content")
    caption = f"Each arm less {reference} within pairs, in points."
    draw_text_files(shown, f"tests_{measure}", caption, data=data)
    st.caption(
        "p of the exact two-sided Wilcoxon signed-rank test; p (Holm) is corrected for the number "
        "of arms that are compared."
    )


def draw_ranks(stored: Stored, compared: Compared, measure: str) -> None:
    """The critical-difference diagram, Friedman's test before it."""
    ranks = significance.ranks(compared.values(measure))
    if ranks is None or len(ranks.arms) < 3:
        st.info(
            "Ranks take at least 3 arms and 2 complete pairs; for two arms see Differences.",
            icon=":material/info:",
        )
        return
    figure = critical_difference(
        ranks.arms,
        ranks.mean_ranks,
        ranks.critical_difference,
        ranks.groups,
        colours=colours(stored),
    )
    table = rank_table(ranks)
    sentence = (
        f"Mean ranks by {MEASURES[measure]} within pairs, 1 is best; a bar joins arms that the "
        "Nemenyi test does not tell apart (Demšar, 2006)."
    )
    present(figure, sentence, table, key="ranks", file_name=f"ranks_{measure}.csv")
    title = rank_title(ranks, measure)
    st.markdown(escape(title))
    draw_table(table, {"Arm": TEXT(width=240)}, key="rank_table", height="content")
    draw_text_files(table, f"ranks_{measure}", title)


def draw_effects(stored: Stored, compared: Compared, measure: str) -> None:
    """How much of the spread comes from the order and how much from the seed."""
    shown = shown_effects(compared, measure)
    if shown is None:
        st.info(
            "Order and seed change together in these pairs, so that their effects can't be told "
            "apart. Pairs of every order with every seed allow it: see New.",
            icon=":material/info:",
        )
        return
    title, table = shown
    st.markdown(
        f"{escape(title)} *Rest* is what neither explains. Where one of the two does not vary, "
        "its own is not known."
    )
    points = NUMBER(format="%.2f")
    columns = {"Arm": TEXT(width=240), "Order": points, "Seed": points, "Rest": points}
    draw_table(table, columns, key="effects", missing="–", height="content")
    draw_text_files(table, f"order_and_seed_{measure}", title)
