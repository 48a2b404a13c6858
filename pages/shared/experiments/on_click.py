"""What a click does with the store, and what is said of it once the page is drawn again."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.data.base import DataError
from core.options import ConfigError
from core.runs.manager import manager
from core.runs.run import StoreError
from pages.shared.access.runs import store
from pages.shared.ui.address import key_of
from pages.shared.ui.text import counted, escape


def try_it(action: Callable[..., Any], *args: Any) -> None:
    """Do it with the store; what came of it is said once the page is drawn again."""
    try:
        done = action(store(), *args)
        manager().workers.wake()
    except (StoreError, ConfigError, DataError) as error:
        st.session_state[key_of("refused")] = str(error)
    else:
        st.session_state[key_of("done")] = in_words(done)


def say_done() -> None:
    """What the last click did, in passing."""
    words = st.session_state.pop(key_of("done"), None)
    if words:
        st.toast(escape(words), icon=":material/check:")


def in_words(done: Any) -> str:
    """What an action gave back, as a sentence; empty where there is nothing to say."""
    if isinstance(done, str):
        return done
    if not hasattr(done, "resumed"):  # not `isinstance`: the class may have been imported again
        return ""
    parts = [
        f"{counted(done.new, 'cell')} queued" if done.new else "",
        f"{done.again:,} of them again, for their runs were deleted" if done.again else "",
        f"{done.resumed:,} resumed" if done.resumed else "",
        f"{done.joined:,} waiting or running already" if done.joined else "",
        f"{done.used:,} finished already" if done.used else "",
        f"{done.failed:,} failed before: Retry queues them" if done.failed else "",
    ]
    return "; ".join(filter(None, parts)) + "."
