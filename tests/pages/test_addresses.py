"""Every view has an address: widgets are changed, and a fresh session finds the page as it was.

It looks after every fourth change and after the last; TOTAL_RECALL_WHOLE=1: after every one.
"""

from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.testing.v1 import AppTest

from core.runs import worker_list
from tests.pages.sessions import numbers, opened, well
from tests.pages.views import CASES, NAMES, WHOLE, computed

pytestmark = pytest.mark.usefixtures("filled_home")

KINDS = (  # the last are changed first: what decides which others there are comes at the end
    "segmented_control",
    "selectbox",
    "multiselect",
    "toggle",
    "checkbox",
    "text_input",
    "text_area",
    "number_input",
    "slider",
    "radio",
)
TEXTS = {"Seeds": "1"}  # what is typed into a field; elsewhere TYPED
TYPED = "a"
ACTS = {  # fields that say what a button is to do; no view depends on them
    ("app", "From elsewhere"),
    ("runs", "Name"),
    ("runs", "Tags"),
    ("runs", "Note"),
    ("experiments", "Experiment, as TOML"),
    ("experiments", "More pairs"),
    ("experiments", "Other arms, as TOML"),
    ("experiments", "Priority"),
    ("experiments", "Workers at once"),
    ("experiments", "Address of the cluster"),
    ("experiments", "CPUs a cell"),
    ("experiments", "GPUs a cell"),
}


def widgets(page: AppTest) -> list[Any]:
    """The page's widgets of these kinds, without those of the side bar."""
    return [widget for kind in KINDS for widget in getattr(page.main, kind)]


def shown(page: AppTest) -> dict[str, list]:
    """All that the page says, in words, values, figures and tables."""
    said = ("title", "subheader", "markdown", "caption", "code", "text", "latex", "metric")
    said += ("info", "warning", "error", "success")
    contents: dict[str, list] = {kind: [e.value for e in getattr(page.main, kind)] for kind in said}
    contents["widgets"] = [(widget.type, widget.label, widget.value) for widget in widgets(page)]
    contents["buttons"] = [button.label for button in page.main.button]
    contents["figures"] = [chart.proto.spec for chart in page.main.get("plotly_chart")]
    contents["tables"] = [frame.value.to_csv() for frame in page.main.dataframe]
    return contents


def change(page: AppTest, widget: Any) -> bool:
    """Give the widget another value, as somebody would; whether it has one."""
    kind, value = widget.type, widget.value
    if kind in ("toggle", "checkbox"):
        widget.set_value(not value)
    elif kind in ("text_input", "text_area"):
        widget.set_value(TEXTS.get(widget.label, TYPED))
    elif kind in ("number_input", "slider"):
        up = (value or 0) + (widget.step or 1)  # None: an empty field
        widget.set_value(up if widget.max is None or up <= widget.max else value - widget.step)
    elif kind == "multiselect":
        if len(value) < 2:
            return False
        widget.set_value(value[::-1])
    else:
        selected = (
            widget.formatted_values if kind == "button_group" else [widget.options[widget.index]]
        )
        unselected = [option for option in widget.options if option not in selected]
        if not unselected:
            return False
        widget.root.session_state[TESTING_KEY][widget.id] = str  # by its label, as a browser does
        widget.set_value(unselected[0])
    return True


def reopened(page: AppTest, file: Path) -> AppTest:
    """A fresh session at the address of this one."""
    address = {name: numbers(value) for name, value in page.query_params.items()}
    return well(opened(file, **address))


@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_whatever_is_chosen_a_fresh_session_at_the_address_shows_the_same(
    file, start, monkeypatch
) -> None:
    monkeypatch.setattr(worker_list, "workers", lambda store: [])  # they move by themselves
    page = computed(opened(file, **start))
    assert shown(reopened(page, file)) == shown(page)
    names = [(widget.type, widget.label) for widget in reversed(widgets(page))]
    changed = []
    for name in names:
        matches = [w for w in widgets(page) if (w.type, w.label) == name]
        if not matches or (file.stem, name[1]) in ACTS or not change(page, matches[0]):
            continue
        page = computed(page.run())
        changed.append(name)
        if file.stem != "launch" and (WHOLE or len(changed) % 4 == 1):
            assert shown(reopened(page, file)) == shown(page), name
    assert shown(reopened(page, file)) == shown(page), changed
