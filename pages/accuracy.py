"""Accuracy: the task × task matrices, ACC_whole and ACC_avg over them, the paper's values."""

import streamlit as st

from pages.shared.accuracy.matrices import draw_matrices
from pages.shared.accuracy.page import draw_curves, draw_ends, pick_view
from pages.shared.accuracy.transfer import draw_gains
from pages.shared.ui.opening import open_page
from pages.shared.ui.widgets import unfolded

with open_page(
    title="Accuracy",
    icon=":material/show_chart:",
    order=30,
    section="Understand",
    purpose="How much of what was learned is still there. Runs that differ in nothing but their "
    "seeds are averaged.",
):
    view = pick_view()
    draw_matrices(view)
    st.divider()
    draw_curves(view)
    with st.expander("After the last task, beside the paper's values", icon=":material/table:"):
        draw_ends(view)
    gains = unfolded("gain", "Forgetting and transfer", ":material/trending_down:")
    if gains is not None:
        with gains:
            draw_gains(view)
