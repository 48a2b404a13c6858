"""An experiment made, started and watched in a browser, on two workers: server and workers are
killed in mid-way, it goes on after the restart and ends with the table of one left alone.
"""

import re
from pathlib import Path

import pytest

from tests.browser.driving import PATIENCE, Server, browsing, playwright, serving, settle
from tests.experiments.commands import TINY, done, kill_family, table

SMALL = (
    TINY.replace('"tiny"', '"small"').replace("pairs = 2", "pairs = 5")
    + """[[arms]]
label = "recall"
method = "total_recall"
"method.fast_epochs" = 1
"""
)


def start(page: "playwright.Page", server: Server) -> None:
    """Paste the TOML, make the experiment of it, start it."""
    page.goto(f"{server.address}/experiments?view=new&start=toml")
    field = page.get_by_label("Experiment, as TOML", exact=True)
    field.fill(SMALL)
    field.press("Control+Enter")
    page.get_by_text("3 arms × 5 pairs").wait_for()
    settle(page)
    page.get_by_role("button", name="Make it").click()
    page.wait_for_url("**/experiments?experiment=small**")
    page.get_by_text("Cells to carry out").wait_for()
    settle(page)
    page.get_by_role("button", name="Start").click()


def wait_for_cells(page: "playwright.Page", finished: str) -> None:
    """Until so many cells (a pattern) have finished."""
    words = page.get_by_text(re.compile(rf"(^|\D){finished} of 15 cells finished"))
    words.first.wait_for(timeout=4 * PATIENCE)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers by /proc")
def test_killed_in_mid_way_it_ends_with_the_table_of_one_left_alone(tmp_path: Path) -> None:
    with serving(tmp_path, workers=2) as server, browsing() as page:
        start(page, server)
        wait_for_cells(page, r"[3-9]")
        page.get_by_text(re.compile(r"2 running")).first.wait_for()
        assert len(kill_family(server.process.pid)) == 1 + 2
        server.process.wait()
    with serving(tmp_path, workers=2) as server, browsing() as page:
        page.goto(f"{server.address}/experiments?experiment=small")  # nobody says that it goes on
        wait_for_cells(page, "15")
        page.goto(f"{server.address}/results?experiment=small")
        page.get_by_text("3 arms compared in 5 complete pairs of 5.").wait_for()
        assert server.complaints() == []
    file, whole = tmp_path / "small.toml", tmp_path / "whole"
    file.write_text(SMALL)
    done(whole, "run", str(file), "--workers", "2")
    assert table(tmp_path / "home", "small") == table(whole, "small")
    assert len(table(whole, "small")) > 5
