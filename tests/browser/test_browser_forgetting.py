"""A real browser: from the figure of forgotten actions to a wrong step of a row in three clicks."""

import re
from collections.abc import Callable

import pytest

from core.analysis import drilldown, forgetting
from core.config import RunConfig
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import FINISHED
from core.runs.store import Store
from tests.browser.driving import PATIENCE, playwright, settle

CONFIG = RunConfig(
    method="finetune",
    task_order=("library", "events"),
    epochs=4,
    hidden_size=48,
    word_size=32,
    action_size=32,
    learning_rate=0.01,
    device="cpu",
)
TRIES, A_TRY = 8, 15_000  # clicks until one is heard, and milliseconds to hear it
HEADING, ROW = 36, 35  # pixels of a table
MARKS = """() => {
  const plot = document.querySelector('.js-plotly-plot');
  const {xaxis, yaxis} = plot._fullLayout;
  const at = plot.getBoundingClientRect();
  return plot.data.flatMap((trace, t) => Array.from(trace.customdata).map((action, i) => [
    action,
    at.left + xaxis._offset + xaxis.l2p(plot.calcdata[t][i].x),
    at.top + yaxis._offset + yaxis.l2p(plot.calcdata[t][i].y),
  ]));
}"""


@pytest.fixture(autouse=True)
def trained(home) -> Store:
    """A run on two tasks of the demo in the home that the server then opens."""
    store, owner = Store(), new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == FINISHED, run.error
    yield store
    store.close()


def rows_of(store: Store, action: int):
    """The test rows of the first task that use an action, as the page lists them."""
    run, learned = store.run(1), drilldown.read_learned(CONFIG)
    predictions = drilldown.predictions_on(store, 1, 0)
    names, task = run.tasks, learned.tasks[0]
    return drilldown.row_table(predictions, task, names, learned.grammar.actions[action])


def until_heard(page: "playwright.Page", click: Callable[[], None], address: str) -> None:
    """Click until the address says that it was heard; a page that is being drawn hears nothing."""
    for _ in range(TRIES):
        try:
            if not re.search(address, page.url):
                click()
            page.wait_for_url(re.compile(address), timeout=A_TRY)
            return
        except playwright.TimeoutError:
            settle(page)
    raise AssertionError(f"no click led to {address}: {page.url}")


def test_three_clicks_lead_from_the_default_figure_to_a_wrong_step(server, page, trained):
    table = forgetting.action_table(trained, trained.run(1), 0)
    drawn = forgetting.extremes(table, 2)
    listed = {action: rows_of(trained, action) for action in drawn.action}
    listed = {action: rows[rows.final.notna()] for action, rows in listed.items()}
    leads = {a: rows for a, rows in listed.items() if len(rows) > 1 and not rows.correct[1]}
    assert leads, "no action of the figure leads to a row that is wrong at the end"

    page.goto(f"{server.address}/forgetting?view=actions")
    page.locator(".js-plotly-plot .points").first.wait_for()
    settle(page)
    page.wait_for_timeout(1000)

    def distance_to_nearest(mark) -> float:
        neighbours = [m for m in page.evaluate(MARKS) if m[0] != mark[0]]
        return min(abs(x - mark[1]) + abs(y - mark[2]) for _, x, y in neighbours)

    marks = [mark for mark in page.evaluate(MARKS) if mark[0] in leads]
    action, x, y = max(marks, key=distance_to_nearest)

    def first() -> None:
        page.mouse.move(x - 3, y - 3)
        page.mouse.move(x, y, steps=3)
        page.wait_for_timeout(300)
        page.mouse.click(x, y)

    until_heard(page, first, rf"action={action}\b")
    settle(page)

    def second() -> None:
        page.get_by_role("link", name="The rows that use it").click(timeout=A_TRY)

    until_heard(page, second, rf"/drilldown\?.*action={action}\b")
    page.get_by_role("heading", name=re.compile("Test row")).wait_for()
    settle(page)
    row, wrong = int(leads[action].row[1]), int(leads[action].first_wrong[1])
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    grid.locator("canvas").first.wait_for()

    def third() -> None:
        at = grid.bounding_box()
        page.mouse.click(at["x"] + 18, at["y"] + HEADING + 1.5 * ROW)

    until_heard(page, third, rf"row={row}\b")
    page.get_by_role("heading", name=f"Test row {row} of library").wait_for()
    settle(page)

    last = """step => {
      const strip = document.querySelector('.js-plotly-plot');
      if (!strip || strip.data.length < 2 || !strip.data[1].text) return false;
      const {text, customdata} = strip.data[1], steps = text.length / 2;
      const end = Array.from(customdata).lastIndexOf(1) + 1 - steps;
      return Array.from(text).slice(end).findIndex(mark => mark === '✗') === step - 1;
    }"""
    page.wait_for_function(last, arg=wrong, timeout=PATIENCE)  # the last parse's first wrong step
    assert page.locator(".js-plotly-plot text", has_text="✗").count() >= 1
    assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []
