"""What was clicked last, in a figure or a table, as distinct from what is merely still selected."""

from typing import Any

import streamlit as st

from pages.shared.ui.address import key_of


def selected_point(key: str) -> Any:
    """The id (`customdata`) of the point selected in the figure of this key; None: none is."""
    points = _selection(key).get("points", [])
    ids = [point["customdata"] for point in points if "customdata" in point]
    if not ids:
        return None
    return ids[0][0] if isinstance(ids[0], (list, tuple)) and len(ids[0]) == 1 else ids[0]


def selected_row(key: str, count: int) -> int | None:
    """The index of the row selected in the table of this key and so many rows; None: none is."""
    rows = _selection(key).get("rows", [])
    return rows[0] if rows and rows[0] < count else None


def newly(name: str, value: Any) -> Any:
    """The value where it is another than at the last look under this name; else None."""
    key = f"{key_of(name)}/clicked"
    before = st.session_state.get(key)
    st.session_state[key] = value
    return None if value == before else value


def _selection(key: str) -> dict[str, Any]:
    return (st.session_state.get(key) or {}).get("selection") or {}
