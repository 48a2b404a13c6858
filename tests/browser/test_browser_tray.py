"""A real browser: two runs are chosen once and found on every page, and its address stays true."""

import re

from core.events import Accuracy, Progress
from core.runs.owner import new_owner
from core.runs.store import Store
from tests.browser.driving import playwright, settle
from tests.made_up import DEMO, full_run, keep_parsers, record_training

PAGES = (
    "Accuracy",
    "Forgetting",
    "Drill-down",
    "Error curves",
    "Playground",
    "Memories",
    "Clusters",
    "Report",
)
OF_NO_RUN = ("Runs", "Launch", "Experiments", "Results", "Paper", "Glossary")  # or of all of them
TRAY = """() => {
  const runs = [...document.querySelectorAll('.st-key-tray [role=radiogroup] label')];
  return runs.map(run => {
    const name = run.querySelector('p'), sign = getComputedStyle(name, '::before');
    return [name.innerText, sign.content[1], sign.color, run.querySelector('input').checked];
  });
}"""
DRAWN = """() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.data.map(
  trace => [trace.name, trace.line?.color, trace.line?.dash, Array.from(trace.y || [])]))"""
LABELS = """() => [...document.querySelectorAll('.run-label')].map(label => [
  label.innerText.slice(2), label.innerText[0], getComputedStyle(label.firstChild).color])"""
SEEN = (TRAY, DRAWN, LABELS, "() => document.querySelector('[data-testid=stMain]').innerText")
FIGURES = {"Accuracy": 3, "Forgetting": 2, "Drill-down": 4, "Error curves": 1, "Memories": 3}


def seen(page: "playwright.Page", title: str) -> list[object]:
    """The tray, the figures, the labels and all words of the page that is open."""
    page.get_by_role("heading", name=title, exact=True).wait_for()
    page.wait_for_function(f"({TRAY})().length > 0")
    settle(page)
    drawn = "document.querySelectorAll('.js-plotly-plot .main-svg').length"
    page.wait_for_function(f"{drawn} >= {FIGURES.get(title, 0)}")
    shown: list[object] = []
    while shown != (now := [page.evaluate(what) for what in SEEN]):  # figures come one by one
        shown = now
        page.wait_for_timeout(1000)
        settle(page)
    return shown


def seen_again(page: "playwright.Page", title: str, before: list[object]) -> list[object]:
    """The same, of an address that is opened anew; what still comes is waited for."""
    for _ in range(30):
        shown = seen(page, title)
        if shown == before:
            break
    return shown


def numbers(colour: str) -> list[str]:
    return re.findall(r"\d+", colour)


def test_two_runs_chosen_once_stand_on_every_page_and_in_every_address(server, page) -> None:
    store = Store()
    for config in (DEMO, DEMO.with_(method="emr")):
        keep_parsers(store, full_run(store, config))
    full_run(store, DEMO, "third")
    page.goto(f"{server.address}/accuracy")
    settle(page)
    page.get_by_role("button", name="Choose runs").click()
    page.get_by_role("button", name=re.compile("Remove 3")).click()
    page.wait_for_url(re.compile(r"runs=1%2C2|runs=1,2&|runs=1,2$"))
    page.keyboard.press("Escape")
    settle(page)
    tray, addresses = page.evaluate(TRAY), {}
    assert [name for name, *_ in tray] == ["Fine-tune", "EMR"]
    colours = {name: colour for name, _, colour, _ in tray}
    for title in (*OF_NO_RUN, *PAGES):
        page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
        if title == "Memories":
            page.get_by_text("Stored by runs").click()
            page.wait_for_url(re.compile("source=runs"))
        addresses[title] = (seen(page, title), page.url)
        (tray_on_page, figures, labels, _), _ = addresses[title]
        assert tray_on_page == tray, title
        for name, _, colour in labels:
            assert colours[name] == colour, title
        drawn = {name: colour for figure in figures for name, colour, *_ in figure if colour}
        for name in colours.keys() & drawn.keys():
            assert numbers(drawn[name])[:3] == numbers(colours[name]), title
    full_run(store, DEMO.with_(seed=7))
    store.close()
    for title, (before, address) in addresses.items():
        page.goto(address)
        shown = seen(page, title) if title in OF_NO_RUN else seen_again(page, title, before)
        assert shown[0] == before[0], title
        for part, was, now in zip(
            ("tray", "figures", "labels", "words"), before, shown, strict=True
        ):
            assert now == was or title in OF_NO_RUN, (title, part)
    assert server.complaints() == []


def test_a_zoom_stays_when_the_run_that_is_followed_gets_further(server, page) -> None:
    store, owner = Store(), new_owner()
    id = store.create(DEMO, claimed_by=owner)
    record_training(store, id, until=1, owner=owner)
    page.goto(f"{server.address}/accuracy?run={id}")
    figure = page.locator(".js-plotly-plot").nth(1)
    figure.scroll_into_view_if_needed()
    settle(page)
    ranges = """() => {
      const {xaxis, yaxis} = document.querySelectorAll('.js-plotly-plot')[1]._fullLayout;
      return [...xaxis.range, ...yaxis.range].map(end => Math.round(100 * end)).join();
    }"""
    before = page.evaluate(ranges)
    page.wait_for_timeout(500)  # until the figure is watched
    box = figure.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 280, steps=5)
    page.mouse.up()
    page.wait_for_function(f"({ranges})() !== '{before}'")
    zoomed = page.evaluate(ranges)
    figure.evaluate("plot => plot.dataset.former = '1'")
    for on in range(2):
        store.record(id, Accuracy(1, on, 5, 40), owner)
    store.record(id, Progress(1.0, 2.0, 2, "slow", 1, 4, 0.1), owner)
    store.close()
    another = "document.querySelectorAll('.js-plotly-plot')[1]?.dataset.former !== '1'"
    page.wait_for_function(f"{another} && ({ranges})() === '{zoomed}'")
