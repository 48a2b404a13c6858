"""Accuracy: ACC_whole and ACC_avg after each task, the matrix behind them, the paper's values."""

import streamlit as st

from pages.shared.accuracy.page import draw_curves, draw_ends, draw_matrix, pick_view
from pages.shared.accuracy.transfer import draw_gains
from pages.shared.ui.opening import open_page

with open_page(
    title="Accuracy",
    icon=":material/show_chart:",
    order=30,
    section="Understand",
    purpose="How much of what was learned is still there. Runs that differ in nothing but their "
    "seeds are averaged.",
):
    view = pick_view()
    draw_curves(view)
    st.divider()
    draw_ends(view)
    st.divider()
    draw_gains(view)
    st.divider()
    draw_matrix(view)
