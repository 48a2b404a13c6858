"""Launch: describe a run, see how long it will take, and put it in the queue."""

from pages.shared.launch.page import draw_page
from pages.shared.ui.opening import open_page

with open_page(
    title="Launch",
    icon=":material/play_circle:",
    order=10,
    section="Train",
    purpose="Describe a run and put it in the queue.",
):
    draw_page()
