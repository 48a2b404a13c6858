"""Launch: describe a run, see how long it will take, and put it in the queue."""

import streamlit as st

from pages.shared.config_form import draw_configs
from pages.shared.launching import draw_launch
from pages.shared.opening import open_page

open_page(
    title="Launch",
    icon=":material/play_circle:",
    order=10,
    section="Train",
    purpose="Describe a run and put it in the queue. The defaults are the paper's.",
)

form, start = st.columns([9, 4], gap="large")
with form:
    configs, errors = draw_configs()
with start:
    draw_launch(configs, errors)
