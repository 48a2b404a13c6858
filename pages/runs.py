"""Runs: the queue and the history, and one run watched while it goes on."""

from pages.shared.access.runs import say_unreadable
from pages.shared.runs.live import draw_runs
from pages.shared.runs.table import prefer_training
from pages.shared.ui.opening import open_page

with open_page(
    title="Runs",
    icon=":material/list_alt:",
    order=20,
    section="Train",
    purpose="The queue and what has been carried out. Tick a run to watch it, several to compare "
    "or change them together.",
):
    say_unreadable()
    prefer_training()
    draw_runs()
