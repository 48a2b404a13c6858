"""Home: what this is, the latest runs, the data at hand, and a demonstration in two minutes."""

import sys

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

if get_script_run_ctx(suppress_warning=True) is None:
    sys.exit("Start the app with: streamlit run app.py")

from pages.shared.home.page import INTRODUCTION, draw_start, draw_state
from pages.shared.home.upload import draw_upload
from pages.shared.ui.opening import open_page

with open_page(
    title="Home",
    icon=":material/home:",
    order=0,
    heading="Learn the new, keep the old",
):
    st.markdown(INTRODUCTION)
    draw_start()
    st.space("small")
    draw_state()
    st.divider()
    draw_upload()
