"""Error curves: training and test error after every epoch, with and without the fast stage."""

from pages.shared.error_curves.page import draw_curves, draw_ends, pick_view
from pages.shared.ui.opening import open_page

with open_page(
    title="Error curves",
    icon=":material/stacked_line_chart:",
    order=37,
    section="Understand",
    purpose="How training and test error fall within each task and rise with the next, with and "
    "without the fast stage.",
):
    view = pick_view()
    draw_curves(view)
    draw_ends(view)
