"""A real browser on the clusters page: what a lasso encloses is what the table lists."""

import csv
import re
from itertools import pairwise
from math import dist

from tests.browser.driving import settle

PIXELS = """() => {
  const plot = document.querySelector('.js-plotly-plot');
  const {xaxis, yaxis} = plot._fullLayout;
  const at = plot.getBoundingClientRect();
  const marks = plot.data[0];
  return Array.from(marks.customdata).map((form, i) => [
    form,
    at.left + xaxis._offset + xaxis.l2p(plot.calcdata[0][i].x),
    at.top + yaxis._offset + yaxis.l2p(plot.calcdata[0][i].y),
  ]);
}"""


def drawn_marks(server, page) -> list[tuple[int, float, float]]:
    """The form of each mark on the demo's map, and where it is on the screen."""
    page.goto(f"{server.address}/clusters?task=library&memory_size=10")
    page.get_by_role("button", name="Draw the map").click()
    page.locator(".js-plotly-plot").first.wait_for()
    settle(page)
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    return page.evaluate(PIXELS)


def test_a_lasso_lists_exactly_the_forms_that_it_encloses(server, page):
    marks = drawn_marks(server, page)
    xs, ys = [x for _, x, _ in marks], [y for _, _, y in marks]
    middle = sorted(xs)[len(xs) // 4 : -len(xs) // 4]
    width, before = max((after - x, x) for x, after in pairwise(middle))
    assert width > 4, "no gap to draw the lasso through"
    left, right = min(xs) - 10, before + width / 2
    top, bottom = min(ys) - 10, max(ys) + 10
    inside = sorted(int(form) for form, x, _ in marks if left < x < right)
    assert 0 < len(inside) < len(marks)
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()
    page.wait_for_url(re.compile("forms="))
    settle(page)
    page.get_by_text(f"{len(inside)} of {len(marks)} forms").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV of what is shown").first.click()
    with saved.value.path().open(encoding="utf-8", newline="") as file:
        assert [int(row["form"]) for row in csv.DictReader(file)] == inside
    assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []


def test_a_click_with_pan_chooses_the_form_under_it(server, page):
    marks = drawn_marks(server, page)
    gaps = [
        min(dist((x, y), neighbour[1:]) for neighbour in marks if neighbour[1:] != [x, y])
        for _, x, y in marks
    ]
    _, x, y = marks[gaps.index(max(gaps))]
    here = sorted(int(mark[0]) for mark in marks if mark[1:] == [x, y])
    page.locator(".js-plotly-plot").first.hover()
    page.locator(".modebar-btn[data-title=Pan]").first.click()
    page.wait_for_function(
        "document.querySelector('.js-plotly-plot')._fullLayout.clickmode === 'event+select'"
    )
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    page.wait_for_function("document.querySelector('.js-plotly-plot')._hoverdata?.length")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile("forms="))
    (chosen,) = re.findall(r"forms=([0-9,]+)", page.url)
    assert int(chosen) in here
    page.get_by_text(f"1 of {len(marks)} forms").wait_for()
    assert server.complaints() == []
