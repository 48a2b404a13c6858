"""Clusters: a task's logical forms on a map, what holds them together, and Smatch."""

from pages.shared.clusters.page import pick_map
from pages.shared.clusters.views import draw_views
from pages.shared.ui.opening import open_page

with open_page(
    title="Clusters",
    icon=":material/bubble_chart:",
    order=50,
    section="Understand",
    purpose="Which logical forms of a task are alike: the clusters from which LFS and DLFS choose.",
):
    draw_views(pick_map())
