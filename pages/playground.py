"""Playground: one utterance, parsed by the parser that a run has kept after each task."""

from pages.shared.opening import open_page
from pages.shared.playground import ask, pick_kept
from pages.shared.playground_views import draw_answer

open_page(
    title="Playground",
    icon=":material/keyboard:",
    order=38,
    section="Understand",
    purpose="One utterance, parsed after each task of a run or two: what was there, what is left, "
    "and what the parser does step by step.",
)
draw_answer(ask(pick_kept()))
