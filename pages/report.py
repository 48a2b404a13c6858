"""Report: the chosen runs as one page of HTML, as PDF, and their tables in LaTeX."""

from pages.shared.report.page import draw_report
from pages.shared.ui.opening import open_page

with open_page(
    title="Report",
    icon=":material/description:",
    order=60,
    section="Understand",
    purpose="Settings, figures with captions, tables, addresses and versions of the chosen runs, "
    "in one file that opens anywhere.",
):
    draw_report()
