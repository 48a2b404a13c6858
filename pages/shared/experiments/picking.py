"""Arms chosen by their labels, in the address with bars between: labels hold commas."""

from collections.abc import Sequence

import streamlit as st

from pages.shared.ui.address import follow, publish


def pick_labels(name: str, label: str, labels: Sequence[str]) -> list[str]:
    """Some of the labels, all by default; none chosen counts as all."""
    every = list(labels)
    key = follow(name, every, lambda text: text.split("|"))
    kept = [each for each in st.session_state[key] if each in every]
    st.session_state[key] = list(dict.fromkeys(kept)) or every
    chosen: list[str] = st.multiselect(label, every, key=key) or every
    publish(name, None if chosen == every else "|".join(chosen))
    return chosen
