"""Pairs of task order and seed as a form: so many of them, or every order with every seed."""

import streamlit as st

from core.experiments.experiment import MOST_CELLS, Pair, crossed, default_pairs
from core.options import ConfigError
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.seeds import read_seeds
from pages.shared.ui.widgets import switch

KINDS = {"each": "An order and a seed each", "crossed": "Every order with every seed"}


def draw_pairs(default: int) -> tuple[Pair, ...]:
    """The widgets, side by side; ConfigError where orders or seeds are no numbers."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        kind = switch("pairs_by", "Pairs", KINDS)
        if kind == "each":
            return default_pairs(_count(default))
        orders, seeds = _numbers("orders", "Orders", "1-3"), _numbers("pair_seeds", "Seeds", "1-2")
    try:
        return crossed(read_seeds(orders), read_seeds(seeds))
    except ConfigError as error:
        raise ConfigError(f"Pairs: {error}") from error


def _count(default: int) -> int:
    key = follow("pairs", default, read_whole)
    st.session_state[key] = min(max(0, st.session_state[key]), MOST_CELLS)
    count: int = st.number_input(
        "How many",
        0,
        MOST_CELLS,
        key=key,
        width=140,
        help="Orders and seeds 1 to n. The paper has 10; 5 can't give a p below 0.0625, 6 can.",
    )
    publish("pairs", None if count == default else str(count))
    return count


def _numbers(name: str, label: str, default: str) -> str:
    key = follow(name, default)
    text = st.text_input(label, key=key, width=140, help="1, 2, 5 or 1-3")
    publish(name, None if text == default else text)
    return text
