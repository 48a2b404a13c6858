"""A server and a browser for each test of this folder, all of which are slow."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.driving import Server, browsing, playwright, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for mark in (pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)):
                item.add_marker(mark)


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Server]:
    """The app as people start it, with the test's own home."""
    with serving(tmp_path) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator["playwright.Page"]:
    with browsing() as opened:
        yield opened
