"""Launch: describe a run, see how long it will take, and put it in the queue."""

import streamlit as st

from pages.shared.launch.form import draw_config
from pages.shared.launch.start import draw_launch
from pages.shared.ui.opening import open_page

with open_page(
    title="Launch",
    icon=":material/play_circle:",
    order=10,
    section="Train",
    purpose="Describe a run and put it in the queue. Where the paper gives a value, it is the "
    "default.",
):
    form, start = st.columns([9, 4], gap="large")
    with form:
        config, errors = draw_config()
    with start:
        draw_launch(config, errors)
