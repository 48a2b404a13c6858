"""Whatever somebody writes into an address, a page opens: every parameter of every view, generated.

The parameters are those that the views themselves follow, so that a new one is tested by being
there.
"""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.sessions import opened
from tests.pages.views import CASES, NAMES, computed

pytestmark = pytest.mark.usefixtures("filled_home")

DIGITS = "9" * 5000  # more than Python turns into a number
HOSTILE = [
    "", " ", ",", ",,1,,", "0", "-1", "1.5", "1,2,1", "x", "None", "on", "٣", "²", "0x10", "1_0",
    str(2**31), str(2**53), str(2**63), str(-(2**63) - 1), DIGITS, f"-{DIGITS}", f"1,{DIGITS}",
    f"0-{DIGITS}", "0-99999999", "5-1", "-", "nan", "inf", "-inf", "1e400", "1e-400", "-0.0",
    "zoo\nport", "zoo\r\nport", "\n", "\t", "\0", "a\0b", "\x1b[31m", "\u202ezoo", "🦊",
    "<script>alert(1)</script>", ":red[x] $a$ **b** [l](http://x)", "' OR 1=1; DROP TABLE runs; --",
    "../../../etc/passwd", "/dev/zero", "%00%0a", "{}", "[" * 1000, "(" * 1000, '"', '"a', "'",
    "\ufeffzoo", "\\",
    "=" * 100, "a" * 100_000, "a," * 10_000,
]  # fmt: skip
ASKED_ONCE = {"launch": ["clone"]}  # read where the page opens, and gone from the address then
EVERY = 24  # one value in so many is taken for each parameter, other ones for the next


def parameters(page: AppTest) -> list[str]:
    """The names of the parameters that this view keeps in the address."""
    held = page.session_state._state.filtered_state
    return sorted(str(key).split("/")[1] for key in held if str(key).endswith("/written"))


def addresses(names: list[str], once: list[str]) -> Iterator[dict[str, str]]:
    """All parameters with each value at once, then each with one in so many of the values; those
    that are read `once` with every value.
    """
    for value in HOSTILE:
        yield dict.fromkeys(names, value)
    for at, name in enumerate(names):
        for value in HOSTILE[at % EVERY :: EVERY]:
            yield {name: value}
    for name in once:
        for value in HOSTILE:
            yield {name: value}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_no_address_ends_in_an_exception(file, start) -> None:
    names = parameters(computed(opened(file, **start)))
    faults = []
    for hostile in addresses(names, ASKED_ONCE.get(file.stem, [])):
        page = opened(file, **start | hostile)
        faults += [f"{hostile!r:.200}: {each.message:.200}" for each in page.exception]
    assert faults == []
