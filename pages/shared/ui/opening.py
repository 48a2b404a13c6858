"""How every page begins: its title, the look that all share, and the way to the other pages.

A page stands inside `with open_page(title=…, icon=…, order=…):`, all of it literal. The navigation
reads these calls in `app.py` and `pages/*.py` without running them: a new page is one more file.
"""

import ast
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from core.paths import PROJECT
from core.runs.manager import manager
from core.runs.run import StoreError, StoreUnavailable
from pages.shared.tray import draw_tray
from pages.shared.ui.address import begin_drawing
from pages.shared.ui.ending import end_in_time
from pages.shared.ui.exports import forget_exports
from pages.shared.ui.glossary import begin_page, prose
from pages.shared.ui.style import STYLE
from pages.shared.ui.text import escape
from pages.shared.ui.zoom import keep_zoom

RETRY = 3.0  # seconds between two looks for a store that is away

P = ParamSpec("P")


@dataclass(frozen=True)
class Page:
    """What a page's opening says about it."""

    file: str  # below the project's folder
    title: str
    icon: str
    order: float
    section: str


@contextmanager
def open_page(
    *,
    title: str,
    icon: str,
    order: float,
    section: str = "",
    purpose: str = "",
    heading: str = "",
) -> Iterator[None]:
    """Set the page up, and draw what stands inside; the first thing that a page calls.

    `order` is its position in the navigation, under the heading `section`; `purpose` says in a
    sentence what the page is for. `heading` stands above the page where not the title should.
    The run tray stands in the side bar, and the address says which runs lie in it. Where the store
    can't be used, the page says so and opens again once it can.
    """
    st.set_page_config(
        page_title=f"{title} · Total Recall",
        page_icon=str(PROJECT / "assets/icon.svg"),
        layout="wide",
        initial_sidebar_state=230,
    )
    end_in_time()
    st.session_state["page"] = title
    drawing = begin_drawing()
    forget_exports()
    begin_page()
    st.html(STYLE)
    keep_zoom()
    st.logo(str(PROJECT / "assets/logo.svg"), size="large")
    with st.sidebar:
        _navigation()
    st.title(heading or title)
    if purpose:
        prose(purpose)
    try:
        with _faults_as_sentences() as faults:
            _tray()
            yield
    except (StopException, Exception):
        drawing.cut = True  # the session's state can't be written to any more
        raise
    drawing.cut = False
    if any(isinstance(fault, StoreUnavailable) for fault in faults):
        _wait_for_store(time.monotonic())


def _tray() -> None:
    """The run tray in the side bar; where the store can't be read, the page itself says so."""
    with suppress(StoreError):
        with st.sidebar:
            unknown = draw_tray()
        if unknown:
            st.warning(escape(unknown), icon=":material/link_off:")


def live(seconds: float | None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorator: a part of a page that is drawn again every so many seconds, by itself."""

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @st.fragment(run_every=seconds)
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            with _faults_as_sentences():
                draw(*args, **kwargs)

        return drawn

    return decorate


@contextmanager
def _faults_as_sentences() -> Iterator[list[StoreError]]:
    """Ends what stands inside where the store can't be used; the faults are in the list then."""
    faults: list[StoreError] = []
    try:
        yield faults
    except StoreError as error:
        faults.append(error)
        st.error(escape(error), icon=":material/database_off:")


@st.fragment(run_every=RETRY)
def _wait_for_store(since: float) -> None:
    """Open the page again once the store can be read, not sooner than a moment after `since`."""
    st.caption("This page opens again by itself as soon as the store can be read.")
    if time.monotonic() - since < RETRY / 2:
        return
    try:
        manager().store.runs(limit=1)
    except StoreError:
        return
    st.rerun()


def moved(file: str) -> None:
    """A page's former address: go on to its file, with the same query."""
    st.switch_page(file, query_params=st.query_params.to_dict())


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
    """The pages that these files (with their times of change) hold, in the navigation's order;
    former addresses are left out. ValueError names a file that does not open as a page.
    """
    read = [_read(file) for file, _ in files]
    return tuple(sorted((page for page in read if page), key=lambda page: page.order))


def _read(file: Path) -> Page | None:
    """What the file's opening says; None where it only leads on to another page."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and called == "open_page":
            given = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            name = file.relative_to(PROJECT).as_posix()
            section = given.get("section", "")
            return Page(name, given["title"], given["icon"], given["order"], section)
        if called == "moved":
            return None
    raise ValueError(f"{file} is no page: it does not call open_page(title=…, icon=…, order=…).")
