"""Files of one's own on the home page: those that are kept, and a way to add one."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.data.base import DataError
from core.data.io.import_table import COLUMNS, LIMITS
from core.data.upload import Upload, store_upload, uploads
from core.registry import notations
from pages.shared.ui.address import key_of
from pages.shared.ui.text import counted, escape, size

TYPES = ["tsv", "csv", "txt"]


def draw_upload() -> None:
    """What a file should hold, the field that takes one, the files that are kept."""
    st.subheader("Your own tasks", anchor=False)
    st.markdown(
        "A table with these columns, parted by tabs or as CSV; a first line with their names may "
        "be there. Splits are train, valid (or dev) and test."
    )
    st.code(" <TAB> ".join(COLUMNS), language=None)
    with st.popover("How logical forms are written", icon=":material/data_object:"):
        st.markdown("All logical forms of a file in one of these notations, which is recognised:")
        for entry in notations.values():
            st.markdown(f"**{escape(entry.label)}**: {escape(entry.summary)}")
            st.code(entry.value.example, language=None)
    given = st.file_uploader(
        f"A TSV or CSV file of at most {size(LIMITS.bytes)} and {LIMITS.rows:,} rows", type=TYPES
    )
    if given is not None:
        _draw_outcome(_imported(given))
        return
    files = uploads()
    if files:
        st.caption(f"{counted(len(files), 'file')} kept here")
    for file in files:
        _draw_kept(file)


def _draw_kept(file: Upload) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if file.fault:
            st.error(escape(f"{file.label}: {file.fault}."), icon=":material/error:")
            return
        st.text(f"{file.summary}.", width="stretch")
        _launch_link(file.digest)


def _draw_outcome(outcome: Upload | DataError) -> None:
    """What came of the file that was given."""
    if isinstance(outcome, DataError):
        first, *rest = str(outcome).splitlines()
        st.error(escape(first), icon=":material/error:")
        if rest:
            st.code("\n".join(rest), language=None, wrap_lines=True)
        return
    st.success(f"Kept: {escape(outcome.summary)}.", icon=":material/check_circle:")
    if outcome.warning:
        st.warning(escape(outcome.warning), icon=":material/warning:")
    _launch_link(outcome.digest)


def _imported(given: UploadedFile) -> Upload | DataError:
    """Check and keep a file, once however often the page runs, also one that is no good."""
    key = f"{key_of('kept')}/{given.file_id}"
    if key not in st.session_state:
        bar = st.progress(0.0, "Reading the file …")

        def show(share: float) -> None:
            bar.progress(share, "Reading the file …")

        try:
            st.session_state[key] = store_upload(given.getvalue(), given.name, show)
        except DataError as error:
            st.session_state[key] = error
        bar.empty()
    outcome: Upload | DataError = st.session_state[key]
    return outcome


def _launch_link(digest: str) -> None:
    st.page_link(
        "pages/launch.py",
        label="Launch a run on it",
        icon=":material/play_circle:",
        query_params={"dataset": "upload", "dataset.file": digest},
    )
