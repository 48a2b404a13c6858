"""Results of an experiment: which arm is better, and whether that can be said."""

from pages.shared.experiments.results import draw_results
from pages.shared.ui.opening import open_page

with open_page(
    title="Results",
    icon=":material/bar_chart:",
    order=28,
    section="Train",
    purpose="The arms of an experiment compared in the pairs that all of them have finished.",
):
    draw_results()
