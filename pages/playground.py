"""Playground: one utterance, parsed by the parser that a run has kept after each task."""

from pages.shared.playground.page import ask, pick_kept
from pages.shared.playground.views import draw_answer
from pages.shared.ui.opening import open_page

with open_page(
    title="Playground",
    icon=":material/keyboard:",
    order=38,
    section="Understand",
    purpose="One utterance, parsed after each task of a run or two: what was there, what is left, "
    "and what the parser does step by step.",
):
    draw_answer(ask(pick_kept()))
