"""Figures are drawn once: what plotly needs around them is the room that they come with."""

from urllib.parse import urlencode

from tests.browser.driving import settle

SHOWN = (
    {"page": "accuracy"},
    {"page": "accuracy", "matrix": "minus"},
    {"page": "forgetting"},
    {"page": "forgetting", "view": "actions"},
    {"page": "error_curves"},
)
SIZES = """() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => {
  const {l, r, t, b} = plot._fullLayout._size, given = plot.layout.margin;
  return [l - given.l, r - given.r, t - given.t, b - given.b].map(Math.round);
})"""


def test_no_figure_needs_more_room_than_it_comes_with(filled_home, server, page):
    drawn = 0
    for asked in SHOWN:
        query = {name: value for name, value in asked.items() if name != "page"}
        page.goto(f"{server.address}/{asked['page']}?{urlencode({'runs': '1,2'} | query)}")
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        settle(page)
        sizes = page.evaluate(SIZES)
        assert all(more == [0, 0, 0, 0] for more in sizes), (asked, sizes)
        drawn += len(sizes)
    assert drawn >= len(SHOWN)
    assert not server.complaints()
