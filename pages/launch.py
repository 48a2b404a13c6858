"""Launch: describe a run, see how long it will take, and put it in the queue."""

import streamlit as st

from pages.shared.config_form import draw_config
from pages.shared.launching import draw_launch
from pages.shared.opening import open_page

open_page(
    title="Launch",
    icon=":material/play_circle:",
    order=10,
    section="Train",
    purpose="Describe a run and put it in the queue. Where the paper gives a value, it is the "
    "default.",
)

form, start = st.columns([9, 4], gap="large")
with form:
    config, errors = draw_config()
with start:
    draw_launch(config, errors)
