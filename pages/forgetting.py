"""Forgetting: which actions of a task are forgotten, and when, as later tasks are learned."""

from pages.shared.forgetting.arms import draw_arms
from pages.shared.forgetting.page import pick_view
from pages.shared.forgetting.views import draw_views
from pages.shared.tray import selected_arm
from pages.shared.ui.opening import open_page

with open_page(
    title="Forgetting",
    icon=":material/trending_down:",
    order=33,
    section="Understand",
    purpose="Which actions of a task are forgotten, when, and which are not: how probable each "
    "still is on the task's training rows after every later task.",
):
    arm = selected_arm()
    if arm is None:
        draw_views(pick_view())
    else:
        draw_arms(arm)
