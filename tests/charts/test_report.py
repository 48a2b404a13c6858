"""The report: whole, escaped, without a network; its tables in LaTeX; PDF by a Chrome."""

import re

import pandas as pd
import plotly.graph_objects as go
import pytest

from core.charts.export import ExportError, find_chrome
from core.charts.report import Item, Report, Section, to_html, to_latex, to_pdf
from core.charts.run_report import addresses, run_report
from core.config import RunConfig
from tests.conftest import missing
from tests.made_up import recorded_run

NASTY = "<script>alert(1)</script> & 50 % _x_"
TABLE = pd.DataFrame({"name": [NASTY], "value": [0.5], "missing": [None]})
SMALL = Report(
    NASTY,
    "made",
    (
        Section("One", (Item(NASTY, TABLE), Item("A line.", go.Figure(go.Scatter(y=[1, 2]))))),
        Section("Two", (Item("Typed.", "python -m core train <x>"), Item("Again.", TABLE))),
    ),
)


def test_the_page_needs_no_network_and_shows_names_letter_for_letter():
    page = to_html(SMALL).decode()
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", page)
    body = page[page.index("<body>") :]
    assert "<script>alert(1)</script>" not in body
    assert "&lt;script&gt;alert(1)" in body
    assert "Table 1. " in body
    assert "Table 2. Again." in body
    assert "Figure 1. A line." in body
    assert "python -m core train &lt;x&gt;" in body


def test_tables_are_there_in_latex_with_their_captions():
    text = to_latex(SMALL).decode()
    assert text.count(r"\begin{table}") == 2
    assert r"50 \% \_x\_" in text
    assert r"\caption{Again.}" in text


def test_a_report_of_runs_has_every_section_that_they_have_recorded(store):
    config = RunConfig(dataset="toy", method="emr", sampler="random")
    ids = [recorded_run(store, config.with_(seed=seed)) for seed in range(2)]
    report = run_report(store, [store.run(id) for id in ids], "http://here")
    titles = [section.title for section in report.sections]
    assert titles == ["Runs and settings", "Forgotten actions", "To do it again"]
    (differ,) = [i for i in report.sections[0].items if "differ" in i.caption]
    assert differ.content.to_numpy().tolist() == [["seed", "0", "1"]]
    grids = report.sections[1].items
    assert len(grids) == 2
    page = to_html(report).decode()
    for address in addresses([store.run(id) for id in ids], "http://here"):
        assert address.replace("&", "&amp;") in page
    assert (
        f"http://here/forgetting?runs={ids[0]},{ids[1]}&amp;run={ids[0]}&amp;other={ids[1]}" in page
    )


def test_addresses_name_every_run_and_open_the_one_that_is_selected(store):
    config = RunConfig(dataset="overnight", method="finetune")
    runs = [store.run(recorded_run(store, config.with_(seed=seed))) for seed in range(3)]
    views = addresses(runs, selected=2)
    assert "/accuracy?runs=1,2,3&run=2" in views
    assert [view for view in views if view.startswith("/forgetting")] == [
        "/forgetting?runs=1,2,3&run=2&other=1",
        "/forgetting?runs=1,2,3&run=2&other=3",
    ]
    assert "/memories?runs=1,2,3&run=2&source=runs" in views
    assert "/accuracy?runs=1,2,3&run=1" in addresses(runs, selected=7)  # one that is not here


def test_without_a_chrome_a_pdf_says_what_is_missing(no_chrome):
    with pytest.raises(ExportError, match="Chrome"):
        to_pdf(SMALL)


@pytest.mark.slow
def test_a_chrome_prints_the_report():
    if find_chrome() is None:
        missing("there is no Chrome or Chromium")
    assert to_pdf(SMALL).startswith(b"%PDF")
