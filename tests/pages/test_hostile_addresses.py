"""Whatever somebody writes into an address, a page opens: every parameter of every view, generated.

The parameters are those that the views themselves follow, so that a new one is tested by being
there.
"""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.hostile import HOSTILE
from tests.pages.sessions import opened
from tests.pages.views import CASES, NAMES, WHOLE, computed

pytestmark = pytest.mark.usefixtures("filled_home")

ASKED_ONCE = {"launch": ["clone"]}  # read where the page opens, and gone from the address then
EVERY = 240  # one value in so many is taken for each parameter, other ones for the next
TOGETHER = 1 if WHOLE else 24  # … and for all at once, by the view


def parameters(page: AppTest) -> list[str]:
    """The names of the parameters that this view keeps in the address."""
    held = page.session_state._state.filtered_state
    return sorted(str(key).split("/")[1] for key in held if str(key).endswith("/written"))


def addresses(names: list[str], once: list[str], view: int) -> Iterator[dict[str, str]]:
    """All parameters with one value at once, then each with one in so many of the values; those
    that are read `once` with more of them. The views share the values; TOTAL_RECALL_WHOLE=1 tries
    all of them on each (ten minutes).
    """
    for value in HOSTILE[view % TOGETHER :: TOGETHER]:
        yield dict.fromkeys(names, value)
    for at, name in enumerate(names):
        for value in HOSTILE[at % EVERY :: EVERY]:
            yield {name: value}
    for name in once:
        for value in HOSTILE[:: min(TOGETHER, 6)]:
            yield {name: value}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_no_address_ends_in_an_exception(file, start) -> None:
    names = parameters(computed(opened(file, **start)))
    faults = []
    for hostile in addresses(names, ASKED_ONCE.get(file.stem, []), CASES.index((file, start))):
        page = opened(file, **start | hostile)
        faults += [f"{hostile!r:.200}: {each.message:.200}" for each in page.exception]
    assert faults == []
