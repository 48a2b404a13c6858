"""Doing what a click asks for: what can't be done is said, popovers close."""

from collections.abc import Callable

import streamlit as st

from core.runs.checkpoints import CheckpointError
from core.runs.manager import manager
from core.runs.run import StoreError
from pages.shared.access.runs import store
from pages.shared.tray import forget
from pages.shared.ui.address import key_of
from pages.shared.ui.text import escape


def attempt(action: Callable[..., None], *args: object) -> None:
    """Do it; what can't be done is said once the page is drawn again: a callback draws nothing."""
    try:
        action(*args)
    except (StoreError, CheckpointError) as error:
        st.session_state[key_of("refused")] = str(error)


def say_refused() -> None:
    """What the last click asked for and could not be done."""
    refused = st.session_state.pop(key_of("refused"), None)
    if refused is not None:
        st.toast(escape(refused), icon=":material/error:")


def closing(name: str, *, close: bool = False) -> str:
    """The key of a popover; with `close` it gets another, and so closes."""
    count = key_of(f"{name}/closed")
    st.session_state[count] = st.session_state.get(count, 0) + close
    return f"{name}/{st.session_state[count]}"


def delete(run: int) -> None:
    """Delete a run, which leaves the tray as well."""
    if store().run(run).can_release:
        store().release(run)
    manager().delete(run)
    forget(run)
