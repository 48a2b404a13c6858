"""The run tray: runs are chosen once, in the side bar, and keep name, colour and symbol everywhere.

Pages call `selected_run` (one run) or `tray_runs` (all), and draw each by its `mark`. An arm of an
experiment lies there as a run over orders and seeds: `tray_runs_and_arms`, `selected_arm`.
"""

from pages.shared.tray.arms import ShownArm, arm_groups, selected_arm, tray_arms
from pages.shared.tray.following import follow_training, keep_in_step
from pages.shared.tray.marks import arm_mark, draw_label, mark, marks, titles, with_signs
from pages.shared.tray.picking import (
    NONE,
    pick_other,
    selected_config,
    selected_run,
    tray_runs,
    tray_runs_and_arms,
    with_records,
)
from pages.shared.tray.side_bar import draw_tray
from pages.shared.tray.state import add, by_default, forget, show, slots

__all__ = [
    "NONE",
    "ShownArm",
    "add",
    "arm_groups",
    "arm_mark",
    "by_default",
    "draw_label",
    "draw_tray",
    "follow_training",
    "forget",
    "keep_in_step",
    "mark",
    "marks",
    "pick_other",
    "selected_arm",
    "selected_config",
    "selected_run",
    "show",
    "slots",
    "titles",
    "tray_arms",
    "tray_runs",
    "tray_runs_and_arms",
    "with_records",
    "with_signs",
]
