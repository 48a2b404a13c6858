"""The paper's tables as they are, each cell with ours beside it."""

from pages.shared.paper.page import draw_paper
from pages.shared.ui.opening import open_page

with open_page(
    title="Paper",
    icon=":material/article:",
    order=29,
    section="Train",
    purpose="Tables 1 to 8 of the paper, with what has been run here beside each value.",
):
    draw_paper()
