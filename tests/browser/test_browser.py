"""A real server and a real browser: from the launch of a run to its end, watched all the way."""

import re
from pathlib import Path

from pages.shared.ui.opening import pages
from tests.browser.driving import (
    PATIENCE,
    POINTS,
    Server,
    badge,
    fill,
    playwright,
    settle,
    wait_for_points,
)
from tests.pages.sessions import FILES

PAGES = pages(tuple((file, 0) for file in FILES))


def launch(page: "playwright.Page", server: Server) -> None:
    """Two tasks of the demo, a small parser, enough passes to be stopped in time."""
    page.goto(server.address)
    page.get_by_role("button", name="Launch a run").click()
    page.get_by_role("heading", name="Launch").wait_for()
    page.get_by_text("The same by command line").wait_for()  # all of the form is there
    settle(page)
    page.get_by_text("Parser: sizes").click()
    for label, value in (("Hidden size", "16"), ("Word size", "16"), ("Epochs", "35")):
        fill(page, label, value)
    page.wait_for_url("**epochs=35**")
    for name in ("cinema", "flights", "hotels", "music"):
        settle(page)
        page.get_by_test_id("stCheckbox").filter(has_text=name).locator("label").first.click()
        page.wait_for_url(lambda url, name=name: "task_order" in url and name not in url)
    settle(page)
    page.locator("[class*=task_order-up-library] button").first.click()
    page.wait_for_url(re.compile(r"task_order=library%2Cevents|task_order=library,events"))
    fill(page, "Name", "from the <browser>")
    page.get_by_text("The same by command line").click()
    page.get_by_text("--epochs 35 ").wait_for()
    page.get_by_role("button", name="Launch", exact=True).click()
    page.wait_for_url(re.compile(r"/runs\?run=1&runs=1$"))


def test_a_run_from_launch_to_end(server: Server, page: "playwright.Page") -> None:
    launch(page, server)
    badge(page, "running").wait_for()
    page.get_by_role("heading", name="from the <browser>").wait_for()

    first = wait_for_points(page, 1)
    grown = wait_for_points(page, first)
    settings = page.get_by_text("Settings and facts")
    heights = set()
    for _ in range(12):
        heights.add(round(settings.bounding_box()["y"]))
        page.wait_for_timeout(250)
    assert len(heights) == 1, "the page jumps while it polls"

    page.reload()
    page.get_by_role("heading", name="from the <browser>").wait_for()
    grown = wait_for_points(page, grown)

    main = page.get_by_test_id("stMain")  # Streamlit has a Stop of its own above, while it draws
    main.get_by_role("button", name="Stop").click()
    badge(page, "stopped").wait_for()
    stopped_at = page.evaluate(POINTS)
    page.get_by_role("button", name="Rename").click()
    page.get_by_test_id("stPopoverBody").get_by_label("Name").fill("renamed *so*")
    page.wait_for_timeout(4000)  # several polls, which must not take the text away
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="renamed *so*").wait_for()
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Resume").click()
    badge(page, "finished").wait_for(timeout=4 * PATIENCE)
    wait_for_points(page, stopped_at)

    main.get_by_role("link", name="Accuracy").click()
    page.get_by_text("After the last task, beside the paper's values").wait_for()
    page.wait_for_url(re.compile(r"/accuracy\?.*run=1"))
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length >= 2")
    assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []


def test_every_page_opens_by_its_address_on_a_fresh_server(
    server: Server, page: "playwright.Page"
) -> None:
    for entry in reversed(PAGES):  # the last first: no other page has run before it
        path = "" if entry.file == "app.py" else Path(entry.file).stem
        page.goto(f"{server.address}/{path}")
        page.get_by_role("heading", level=1).wait_for()
        expect = playwright.expect
        expect(page).to_have_title(f"{entry.title} · Total Recall", timeout=PATIENCE)
        links = page.get_by_test_id("stSidebarUserContent").get_by_test_id("stPageLink")
        titles = [re.compile(rf"{each.title}$") for each in PAGES]
        expect(links).to_have_text(titles, timeout=PATIENCE)  # asks again until it holds
        settle(page)
        assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []
