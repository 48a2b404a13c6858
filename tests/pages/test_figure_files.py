"""Every figure can be saved: its buttons, the data as CSV, the pictures where a Chrome is there."""

import io
import re

import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st

from core.charts import export
from pages.shared.ui import figures
from pages.shared.ui.figures import HELP, NO_CHROME, offers
from tests.pages.sessions import numbers, opened, well
from tests.pages.views import CASES, NAMES, computed

DATA = pd.DataFrame(
    {
        "name": ["a,b", 'c "d"', "=1+1", "ü\n🦊"],
        "value": [0.1, 1e-17, -2.5, 3.0],
        "count": [1, 2, 3, 4],
    }
)

COMPARE = {"accuracy", "error_curves", "memories", "report"}  # pages of all runs of the tray
OF_DATA = {"clusters", "memories"}  # of a data set; memories of runs where these have stored them
OF_EXPERIMENTS = {"experiments", "results", "paper"}  # tables have files, the matrix of cells none


def test_the_csv_is_the_data_and_the_page_the_figure(no_chrome) -> None:
    figure = go.Figure(go.Scatter(x=DATA["count"], y=DATA.value))
    csv, page = offers(figure, DATA, "accuracy")
    read = pd.read_csv(io.BytesIO(csv.make()))
    pd.testing.assert_frame_equal(read, DATA)
    assert (csv.kind, page.kind) == ("csv", "html")
    assert page.make() == export.to_html(figure, "accuracy")


def test_pictures_are_offered_where_there_is_a_chrome(monkeypatch, tmp_path) -> None:
    program = tmp_path / "browser"
    program.touch()
    monkeypatch.setenv("BROWSER_PATH", str(program))
    kinds = [offer.kind for offer in offers(go.Figure(), DATA, "a")]
    assert kinds == list(HELP) == ["csv", "html", "svg", "png", "pdf"]


@pytest.mark.usefixtures("filled_home")
def test_without_a_chrome_the_page_says_what_is_missing(no_chrome) -> None:
    page = well(opened("pages/accuracy.py"))
    labels = [button.label for button in page.get("download_button")]
    assert "HTML" in labels
    assert not {"SVG", "PNG", "PDF"} & set(labels)
    (first, *_) = [button for button in page.button if button.label == "PNG, PDF"]
    assert first.disabled
    assert first.help == NO_CHROME


@pytest.mark.usefixtures("filled_home")
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_every_figure_of_every_page_has_its_buttons(file, start) -> None:
    page = computed(opened(file, **start))
    labels = [button.label for button in page.get("download_button")]
    figures = len(page.get("plotly_chart"))
    if file.stem in OF_EXPERIMENTS:
        assert labels.count("CSV") >= labels.count("HTML")
        return
    assert labels.count("HTML") == figures
    assert labels.count("CSV") == figures


@pytest.mark.usefixtures("filled_home")
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_saved_files_are_called_by_data_set_and_runs(file, start, monkeypatch) -> None:
    names: list[str] = []
    button = st.download_button

    def noted(label: str, data: object, *, file_name: str, **more: object) -> bool:
        names.append(file_name)
        return button(label, data, file_name=file_name, **more)

    monkeypatch.setattr(st, "download_button", noted)
    page = computed(opened(file, **start))
    names.clear()
    well(page.run())
    address = {name: numbers(value) for name, value in page.query_params.items()}
    if file.stem in (*OF_EXPERIMENTS, "app"):
        assert all(name.startswith(("toys", "paper_", "demo_")) for name in names), names
        assert len(set(names)) == len(names)
        return
    runs = [address.get("run", ""), address.get("other", "none")]
    if file.stem in COMPARE:
        runs = address["runs"].split(",")
    if file.stem in OF_DATA and address.get("source") != "runs":
        runs = []
    numbered = "-".join(run for run in runs if run not in ("", "none"))
    many = "s" * ("-" in numbered)
    start = f"toy_run{many}-{numbered}_" if numbered else "toy_"
    for name in names:
        assert name.startswith(start), name
    assert len(set(names)) == len(names)


SHARES = re.compile(r"acc\b|whole|avg|match|share\b|error$|held", re.IGNORECASE)


@pytest.mark.usefixtures("filled_home")
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_saved_tables_have_percent_as_the_page_has_and_say_so(file, start, monkeypatch) -> None:
    saved: list[pd.DataFrame] = []
    made, to_csv = figures.offers, pd.DataFrame.to_csv

    def noted(figure: go.Figure, data: pd.DataFrame, title: str) -> list[figures.Offer]:
        saved.append(data)
        return made(figure, data, title)

    def written(table: pd.DataFrame, *args: object, **more: object) -> str:
        saved.append(table)
        return to_csv(table, *args, **more)

    monkeypatch.setattr(figures, "offers", noted)
    monkeypatch.setattr(pd.DataFrame, "to_csv", written)
    computed(opened(file, **start))
    for table in saved:
        for name in map(str, table.select_dtypes("number").columns):
            assert not SHARES.search(name) or name.endswith((" (%)", " (points)")), name
