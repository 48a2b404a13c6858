"""Logical forms under one another, whole, with the tokens marked in which they differ."""

import html
from collections.abc import Sequence

import streamlit as st

from core.analysis.form_differences import Token, differences

_STYLE = """<style>
.forms { font-family: "Source Code Pro", monospace; font-size: 0.875rem; line-height: 1.6;
  display: grid; grid-template-columns: minmax(4rem, max-content) 1fr; gap: 0.25rem 0.75rem;
  margin: 0; }
@media (max-width: 640px) { .forms { grid-template-columns: 1fr; } }
.forms dt { font-family: "Source Sans", sans-serif; opacity: 0.85; max-width: 14rem; }
.forms dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.forms mark { background: rgba(213, 94, 0, 0.32); color: inherit; border-radius: 0.2rem; }
</style>"""


def draw_forms(forms: Sequence[tuple[str, str]]) -> None:
    """(label, text) of each; in all but the first what the first lacks there is marked, and in the
    first what any other lacks.
    """
    (label, first), *others = forms
    marked: set[int] = set()
    items = []
    for name, text in others:
        left, right = differences(first, text)
        marked |= {at for at, token in enumerate(left) if token.differs}
        items.append((name, right))
    whole = differences(first, first)[0]
    reference = [Token(token.text, token.blank, at in marked) for at, token in enumerate(whole)]
    rows = "".join(_row(*item) for item in [(label, reference), *items])
    st.html(f'{_STYLE}<dl class="forms">{rows}</dl>')


def _row(label: str, tokens: Sequence[Token]) -> str:
    text = "".join(_token(token) for token in tokens) or "–"
    return f"<dt>{html.escape(label)}</dt><dd>{text}</dd>"


def _token(token: Token) -> str:
    text = html.escape(token.text)
    return html.escape(token.blank) + (f"<mark>{text}</mark>" if token.differs else text)
