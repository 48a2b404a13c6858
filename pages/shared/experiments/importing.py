"""Finished cells of a file: taken into the store, where experiments count them."""

import streamlit as st

from core.analysis import exported_runs, imported_runs
from core.options import ConfigError
from core.runs.store import Store
from pages.shared.experiments.on_click import say_done, try_it
from pages.shared.runs.attempts import say_refused
from pages.shared.ui.text import counted, escape


def draw_import() -> None:
    """The file, what is in it, the button."""
    say_refused()
    say_done()
    st.markdown(
        "A file of results, as an experiment's *Files* or `python -m core experiment export` "
        "write it: this project's own is `assets/results.json`. Its runs become finished runs, "
        "marked as imported, and cells of every experiment that has their configurations; only "
        "what is missing is carried out then."
    )
    file = st.file_uploader("File of results", type="json", key="results_file")
    if file is None:
        return
    try:
        text = file.getvalue().decode()
        records = exported_runs.read(text, file.name)
    except (ConfigError, UnicodeDecodeError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    st.markdown(f"{counted(len(records), 'finished run')} in it.")
    st.button(
        "Import them",
        type="primary",
        icon=":material/file_open:",
        on_click=try_it,
        args=(_imported, text),
    )


def _imported(store: Store, text: str) -> str:
    records = exported_runs.read(text, "The file")
    return imported_runs.in_words(imported_runs.put_in(store, records))
