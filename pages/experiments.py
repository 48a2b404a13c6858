"""Experiments: several methods over the same task orders and seeds, carried out as one thing."""

from pages.shared.experiments.listing import draw_experiments, follow_experiment
from pages.shared.experiments.new import draw_new
from pages.shared.experiments.workers import draw_setting, draw_workers
from pages.shared.ui.opening import open_page
from pages.shared.ui.widgets import pick_view

with open_page(
    title="Experiments",
    icon=":material/science:",
    order=25,
    section="Train",
    purpose="Several methods over the same pairs of task order and seed, as one thing: what one "
    "run can't say, they can.",
):
    view = pick_view({"all": "Experiments", "new": "New", "workers": "Workers"})
    if view == "new":
        draw_new()
    elif view == "workers":
        draw_setting()
        draw_workers()
    else:
        follow_experiment()
        draw_experiments()
