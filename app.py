"""Home: what this is, a demonstration at once, the latest runs, the data at hand."""

import sys

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

if get_script_run_ctx(suppress_warning=True) is None:
    sys.exit("Start the app with: streamlit run app.py")

from pages.shared.home.page import INTRODUCTION, draw_state
from pages.shared.home.upload import draw_upload
from pages.shared.ui.glossary import prose
from pages.shared.ui.opening import open_page

with open_page(
    title="Home",
    icon=":material/home:",
    order=0,
    heading="Learn the new, keep the old",
):
    prose(INTRODUCTION)
    draw_state()
    st.divider()
    draw_upload()
