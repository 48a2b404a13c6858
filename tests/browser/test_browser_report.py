"""A report in a browser, as it is printed."""

from core.charts.report import to_html
from core.charts.run_report import run_report
from core.config import RunConfig
from tests.browser.driving import browsing
from tests.made_up import finished_run

BROKEN = """() => [...document.querySelectorAll('th, td')].filter(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return !/\\s/.test(cell.innerText) && range.getClientRects().length > 1;
}).map(cell => cell.innerText)"""
BUTTONS = """() => [...document.querySelectorAll('.modebar')].filter(
  bar => getComputedStyle(bar).display !== 'none').length"""
PAPER = {"width": 718, "height": 1000}  # of a page of A4 within its margins


def test_a_printed_report_breaks_no_word_and_has_no_buttons_on_its_figures(store, tmp_path):
    tasks = [f"domain{n}" for n in range(8)]
    ids = [
        finished_run(store, RunConfig(method=method), tasks=tasks, rows=[40] * 8)
        for method in ("finetune", "emr", "total_recall")
    ]
    file = tmp_path / "report.html"
    file.write_bytes(to_html(run_report(store, [store.run(id) for id in ids])))
    with browsing() as page:
        page.set_viewport_size(PAPER)
        page.goto(file.as_uri())
        page.wait_for_function("document.querySelectorAll('.modebar').length >= 5")
        assert page.evaluate(BUTTONS) >= 5
        page.emulate_media(media="print")
        assert page.evaluate(BUTTONS) == 0
        assert page.evaluate(BROKEN) == []
