"""How every page begins: its title, the look that all share, and the way to the other pages.

A page opens with `open_page(title=…, icon=…, order=…)`, all of it literal. The navigation reads
these calls in `app.py` and `pages/*.py` without running them: a new page is one more file.
"""

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import streamlit as st

from core.paths import PROJECT
from pages.shared.ui.ending import end_in_time

_STYLE = """<style>
.stMainBlockContainer { max-width: 80rem; }
.st-key-live [data-stale="true"] { opacity: 1 !important; transition: none !important; }
.st-key-launch_card { position: sticky; top: 4rem; }
.stMainBlockContainer h1 { padding-bottom: 0.1rem; }
[data-testid="stSidebarUserContent"] { padding-top: 0 !important; }
</style>"""


@dataclass(frozen=True)
class Page:
    """What a page's opening says about it."""

    file: str  # below the project's folder
    title: str
    icon: str
    order: float
    section: str


def open_page(
    *, title: str, icon: str, order: float, section: str = "", purpose: str = "", heading: str = ""
) -> None:
    """Set the page up; the first thing that a page calls.

    `order` is its place in the navigation, under the heading `section`; `purpose` says in a
    sentence what the page is for. `heading` stands above the page where not the title should.
    """
    st.set_page_config(
        page_title=f"{title} · Total Recall",
        page_icon=str(PROJECT / "assets/icon.svg"),
        layout="wide",
        initial_sidebar_state=230,
    )
    end_in_time()
    st.session_state["page"] = title
    st.html(_STYLE)
    st.logo(str(PROJECT / "assets/logo.svg"), size="large")
    with st.sidebar:
        _navigation()
    st.title(heading or title)
    if purpose:
        st.markdown(purpose)


def _navigation() -> None:
    files = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py"))]
    section = ""
    for page in pages(tuple((file, file.stat().st_mtime_ns) for file in files)):
        if page.section != section:
            section = page.section
            st.caption(section)
        st.page_link(page.file, label=page.title, icon=page.icon, width="stretch")


@lru_cache(maxsize=8)
def pages(files: tuple[tuple[Path, int], ...]) -> tuple[Page, ...]:
    """The pages that these files (with their times of change) hold, in the navigation's order.

    ValueError names a file that does not open as a page.
    """
    return tuple(sorted((_read(file) for file, _ in files), key=lambda page: page.order))


def _read(file: Path) -> Page:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open_page":
            given = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            name = file.relative_to(PROJECT).as_posix()
            section = given.get("section", "")
            return Page(name, given["title"], given["icon"], given["order"], section)
    raise ValueError(f"{file} is no page: it does not call open_page(title=…, icon=…, order=…).")
