"""Glossary: what the words of the field mean here."""

import streamlit as st

from pages.shared.ui.address import follow
from pages.shared.ui.glossary import TERMS
from pages.shared.ui.opening import open_page

with open_page(
    title="Glossary",
    icon=":material/dictionary:",
    order=70,
    section="Understand",
    purpose="The words of the field, as they are used here.",
):
    asked = st.session_state[follow("term", "")]
    for name, term in sorted(TERMS.items(), key=lambda item: (item[0] != asked, item[0])):
        with st.container(border=name == asked, gap="xsmall"):
            st.markdown(f"**{term.word.replace('[', chr(92) + '[')}**: {term.short}.")
            if term.more:
                st.markdown(term.more)
