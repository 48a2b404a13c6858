"""Widgets whose value stands in the address: given from it, held to what there is, written to it.

`choices` are names, or names with their labels. A name that is not among them counts as the
default. What is chosen always stands in the address.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.ui.address import follow, key_of, publish, read_whole

Choices = Mapping[str, str] | Sequence[str]


def pick(name: str, label: str, choices: Choices, default: str | None = None) -> str:
    """One of many, in a list that unfolds; the first where no default is given."""
    key, labels, first = _chosen(name, choices, default)
    value = st.selectbox(label, list(labels), format_func=labels.__getitem__, key=key)
    return _published(name, value, first)


def switch(
    name: str,
    label: str,
    choices: Choices,
    default: str | None = None,
    *,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> str:
    """One of a few, side by side; the first where no default is given."""
    key, labels, first = _chosen(name, choices, default)
    value = st.segmented_control(
        label,
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        required=True,
        label_visibility=label_visibility,
    )
    return _published(name, str(value), first)


def pick_view(choices: Choices) -> str:
    """Which of the page's views is shown."""
    return switch("view", "View", choices, label_visibility="collapsed")


def several(
    name: str, label: str, choices: Mapping[str, str], default: Sequence[str], **more: Any
) -> list[str]:
    """Any number of the choices, in the order chosen."""
    key = follow(name, list(default), lambda text: text.split(","))
    st.session_state[key] = [each for each in st.session_state[key] if each in choices]
    values: list[str] = st.multiselect(
        label, list(choices), format_func=choices.__getitem__, key=key, **more
    )
    publish(name, None if values == list(default) else ",".join(values))
    return values


def toggle(name: str, label: str, default: bool, help: str) -> bool:
    """Yes or no: `on` or `off` in the address."""
    words = {"on": True, "off": False}
    key = follow(name, default, lambda text: words.get(text, default))
    value = st.toggle(label, key=key, help=help)
    publish(name, None if value == default else "on" if value else "off")
    return value


def number(
    name: str, label: str, default: int, low: int, high: int | None = None, **more: Any
) -> int:
    """A whole number within the limits."""
    key = follow(name, default, read_whole)
    within = max(low, st.session_state[key])
    st.session_state[key] = within if high is None else min(high, within)
    value: int = st.number_input(label, low, high, step=10, key=key, **more)
    publish(name, None if value == default else str(value))
    return value


def limit(name: str, label: str, low: int, **more: Any) -> int | None:
    """A whole number from `low` on; None, an empty field: no limit."""
    key = follow(name, None, read_whole)
    if (st.session_state[key] or 0) < low:
        st.session_state[key] = None
    value: int | None = st.number_input(label, low, value=None, step=10, key=key, **more)
    publish(name, None if value is None else str(value))
    return value


def unfolded(name: str, label: str, icon: str) -> DeltaGenerator | None:
    """A part that is folded unless the address has `name`, a parameter of a widget in it; None
    while it is: what stands in it is made only where it is seen.
    """
    key = f"{key_of(name)}/unfolded"
    st.session_state.setdefault(key, name in st.query_params)
    part = st.expander(label, icon=icon, key=key, on_change="rerun")
    if part.open:
        return part
    publish(name, None)
    return None


def find(where: str, width: int | Literal["stretch"] = "stretch") -> str:
    """What is looked for; `where` says in what."""
    key = follow("find", "")
    text = st.text_input("Find", key=key, placeholder=where, icon=":material/search:", width=width)
    publish("find", text or None)
    return text


def chosen_number(name: str, clicked: int | None, known: Iterable[int]) -> int | None:
    """The number that was clicked just now, else the one in the address; None: none of `known`."""
    key = follow(name, None, read_whole)
    if clicked is not None:
        st.session_state[key] = clicked
    if st.session_state[key] not in set(known):
        st.session_state[key] = None
    value: int | None = st.session_state[key]
    publish(name, None if value is None else str(value))
    return value


def _chosen(name: str, choices: Choices, default: str | None) -> tuple[str, dict[str, str], str]:
    """The widget's key, whose value is among the choices now; their labels; the default."""
    labels = dict(choices) if isinstance(choices, Mapping) else {each: each for each in choices}
    first = next(iter(labels)) if default is None else default
    key = follow(name, first)
    if st.session_state[key] not in labels:  # or its label has changed: the address holds its name
        text = st.query_params.get(name, first)
        st.session_state[key] = text if text in labels else first
    return key, labels, first


def _published(name: str, value: str, default: str) -> str:
    """Always written, also what stands there by default: that may be another one day."""
    publish(name, None if not value and not default else value)
    return value
