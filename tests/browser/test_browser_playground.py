"""A real browser on the playground: typed text parsed and shown as text, figures saved as files."""

import re

from core.runs.store import Store
from tests.browser.driving import settle
from tests.made_up import DEMO, keep_parsers, recorded_run

MAGIC = {
    "CSV": b"step,",
    "HTML": b"<!doctype html>",
    "SVG": b"<svg",
    "PNG": b"\x89PNG",
    "PDF": b"%PDF-",
}
TYPED = "show <b>films</b> of \x07 *unicorns*"


def test_what_is_typed_is_parsed_after_each_task_and_its_figures_can_be_saved(server, page) -> None:
    store = Store()
    keep_parsers(store, recorded_run(store, DEMO))
    store.close()
    page.goto(f"{server.address}/playground")
    field = page.get_by_role("textbox", name="Utterance")
    field.fill(TYPED)
    field.press("Control+Enter")
    page.wait_for_url(re.compile("utterance="))
    settle(page)
    page.get_by_role("button", name="Parse").click()
    page.get_by_text("Marked words are in no training row").wait_for()
    page.locator(".js-plotly-plot").wait_for()
    settle(page)
    words = page.get_by_test_id("stMarkdownContainer")
    words.get_by_text("<b>films</b>", exact=True).wait_for()
    assert words.locator("b", has_text="films").count() == 0
    for kind, start in MAGIC.items():
        with page.expect_download() as saved:
            page.get_by_role("button", name=kind, exact=True).click()
        name = f"demo_run-1_attention_run_1_after_2.{kind.lower()}"
        assert saved.value.suggested_filename == name
        assert saved.value.path().read_bytes().startswith(start), kind
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.locator(".js-plotly-plot").wait_for()  # parsed once, it opens at once
    settle(page)
    page.locator(".js-plotly-plot").hover()
    with page.expect_download() as saved:  # by the browser itself, whatever the machine has
        page.get_by_label("Download plot").click()
    assert saved.value.suggested_filename == "figure.svg"
    assert saved.value.path().read_bytes().startswith(MAGIC["SVG"])
    assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []
