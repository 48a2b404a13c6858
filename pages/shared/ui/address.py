"""The address holds what a page shows: a widget and a query parameter of the same name, in step.

The address wins where it has changed since the page last wrote it (a link, a reload, a bookmark);
otherwise the widget does. Streamlit's own `bind` writes labels; ours writes names, which stay.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

LARGEST = 2**53 - 1  # a browser counts no further


@dataclass
class Drawing:
    """The widgets that `follow` has given values since the page's top. Where the page was `cut`
    short, a browser forgets those that were not drawn, though the server knows them: `missed` is
    what tells them next time, for they are then given their values anew.
    """

    cut: bool = False
    keys: set[str] = field(default_factory=set)
    before: "Drawing | None" = None  # the last one, where it was cut short

    def missed(self, key: str) -> bool:
        return self.before is not None and key not in self.before.keys | self.keys


def begin_drawing() -> Drawing:
    """The page is drawn from its top."""
    last = st.session_state.get("drawing", Drawing())
    last.before = None
    drawing = Drawing(last.cut, before=last if last.cut else None)
    st.session_state["drawing"] = drawing
    return drawing


def key_of(name: str) -> str:
    """The session key of this page's widget called `name`."""
    return f"{st.session_state['page']}/{name}"


def follow(name: str, default: Any, read: Callable[[str], Any] = str) -> str:
    """Give the widget called `name` its value before it is drawn; returns the widget's key.

    `read` turns the parameter's text into a value; a ValueError from it means the default.
    """
    key, text = key_of(name), st.query_params.get(name)
    if key not in st.session_state or text != st.session_state.get(_seen(name)):
        try:
            st.session_state[key] = default if text is None else read(text)
        except ValueError:
            st.session_state[key] = default
    drawing = st.session_state.get("drawing", Drawing())
    if drawing.missed(key):
        st.session_state[key] = st.session_state[key]  # which sends it to the browser
    drawing.keys.add(key)
    return key


def publish(name: str, text: str | None) -> None:
    """Write the value that was drawn into the address; None leaves the parameter out."""
    st.session_state[_seen(name)] = text
    if st.query_params.get(name) != text:
        if text is None:
            del st.query_params[name]
        else:
            st.query_params[name] = text


def begin_anew(why: str, value: str, *names: str) -> None:
    """Where `value`, of what is called `why`, is another than when the page was drawn last, the
    widgets of these names begin with their defaults, but for those that the address has changed.
    """
    key = f"{key_of(why)}/before"
    if st.session_state.setdefault(key, value) != value:
        for name in names:
            if st.query_params.get(name) == st.session_state.get(_seen(name)):
                st.session_state.pop(key_of(name), None)
                publish(name, None)
    st.session_state[key] = value


def _seen(name: str) -> str:
    return f"{key_of(name)}/written"


def read_whole(text: str) -> int:
    """A whole number that databases and browsers can hold; ValueError where the text is none."""
    number = int(text)
    if abs(number) > LARGEST:
        raise ValueError(f"{text[:20]} … is too large.")
    return number


def read_numbers(text: str) -> list[int]:
    """`3,5` → [3, 5]; ValueError where that is not what the text is."""
    return [read_whole(part) for part in text.split(",") if part.strip()]
