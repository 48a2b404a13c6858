"""Drill-down: the test rows that use an action, and how each is parsed after every task."""

from pages.shared.drilldown.listing import choose_row
from pages.shared.drilldown.page import pick_rows
from pages.shared.drilldown.parses import draw_row
from pages.shared.ui.opening import open_page

with open_page(
    title="Drill-down",
    icon=":material/manage_search:",
    order=36,
    section="Understand",
    purpose="From an action to the utterances that need it, and to the step at which their parse "
    "goes wrong.",
):
    rows = pick_rows()
    draw_row(rows, choose_row(rows))
