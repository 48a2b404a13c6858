"""Home: what this is, the data at hand, the latest runs, and a demonstration in two minutes."""

import sys

from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.opening import open_page

if get_script_run_ctx(suppress_warning=True) is None:
    sys.exit("Start the app with: streamlit run app.py")

open_page(title="Home", icon=":material/home:", order=0, heading="Learn, without forgetting")
