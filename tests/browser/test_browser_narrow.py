"""On a phone and a tablet: heat maps stay readable, and no page is wider than the screen."""

from core.config import RunConfig
from core.experiments import catalog
from core.experiments.experiment import Arm, Experiment, default_pairs
from tests.browser.driving import settle
from tests.made_up import finished_run

PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 1366}
ADDRESSES = ("accuracy?runs=1,2&run=1", "accuracy?runs=1,2&matrix=minus", "runs?run=1", "")
LEAST = 24  # pixels across a cell with two digits
CELLS = """() => Array.from(document.querySelectorAll('.js-plotly-plot'))
  .filter(plot => plot._fullData && plot._fullData[0].type === 'heatmap')
  .map(plot => plot._fullLayout.xaxis._length / plot._fullData[0].z[0].length)"""
NAMES = """() => Array.from(document.querySelectorAll('.js-plotly-plot'))
  .map(plot => Array.from(plot.querySelectorAll('.xtick text'))
    .filter(text => getComputedStyle(text).display !== 'none' && text.textContent).length)"""
SIDEWAYS = """() => {
  const page = document.querySelector('[data-testid=stMain]');
  return page.scrollWidth - page.clientWidth;
}"""

CUT = """words => [...document.querySelectorAll('[data-testid=stMetricValue]')].map(value => {
  let part = value;
  while (part.firstElementChild) part = part.firstElementChild;
  part.textContent = words;
  const parts = [value, ...value.querySelectorAll('*')];
  return parts.filter(part => part.scrollWidth > part.clientWidth + 1).length;
})"""


def test_cells_are_readable_and_no_page_is_wider_than_the_screen(store, server, page):
    names = [f"a task with a name of some length {k}" for k in range(8)]
    for seed, method in enumerate(("finetune", "total_recall")):
        config = RunConfig(dataset="overnight", method=method)
        finished_run(store, config, tasks=names, rows=[40] * 8, kept=0.5, seed=seed)
    long = ["x" * 90, "short", "y" * 90]
    finished_run(store, RunConfig(dataset="overnight", seed=3), tasks=long, rows=[40] * 3, kept=0.5)
    page.set_viewport_size(PHONE)
    page.goto(f"{server.address}/accuracy?runs=3&run=3")
    page.wait_for_function(f"({NAMES})().join() === '3,3'")  # matrix and curves: no name left out
    for screen in (PHONE, TABLET):
        page.set_viewport_size(screen)
        for address in ADDRESSES if screen is PHONE else ADDRESSES[:1]:
            page.goto(f"{server.address}/{address}")
            page.locator("h1").wait_for()
            settle(page)
            if address.startswith("accuracy"):
                page.wait_for_function(f"({CELLS})().some(width => width >= {LEAST})")
                assert min(page.evaluate(CELLS)) >= LEAST, (address, screen)
            assert page.evaluate(SIDEWAYS) <= 0, (address, screen)
    assert not server.complaints()


def test_a_time_is_not_cut_in_a_column_that_is_too_narrow_for_it(store, server, page):
    config = RunConfig(dataset="demo", method="finetune", device="cpu")
    catalog.create(store, Experiment("small", config, (Arm("plain", {}),), default_pairs(1)))
    page.set_viewport_size(TABLET)
    page.goto(f"{server.address}/experiments?experiment=small")
    page.get_by_test_id("stMetricValue").first.wait_for()
    settle(page)
    assert page.evaluate(CUT, "about 76 h 40 min") == [0, 0, 0, 0]
