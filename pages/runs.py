"""Runs: the queue and the history, and one run watched while it goes on."""

from pages.shared.access.runs import say_unreadable
from pages.shared.runs.live import draw_runs, follow_choice
from pages.shared.ui.opening import open_page

with open_page(
    title="Runs",
    icon=":material/list_alt:",
    order=20,
    section="Train",
    purpose="The queue and what has been carried out. Choose a run to watch it.",
):
    say_unreadable()
    follow_choice()
    draw_runs()
