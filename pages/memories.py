"""Memories: what samplers keep of a task, or what runs have stored, side by side."""

from pages.shared.memories.page import pick_memories
from pages.shared.memories.views import draw_views
from pages.shared.ui.opening import open_page

with open_page(
    title="Memories",
    icon=":material/inventory_2:",
    order=40,
    section="Understand",
    purpose="What a replay memory keeps of a task, why, and what it misses.",
):
    draw_views(pick_memories())
