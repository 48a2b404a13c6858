"""A report: figures and tables with numbered captions as one page of HTML, LaTeX or PDF.

The page needs no network: plotly.js stands in it once (4.8 MB). PDF is printed by the Chrome or
Chromium of this machine.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from core.analysis.table_text import as_text
from core.charts.browser import PATIENCE
from core.charts.export import CONFIG, ExportError, find_chrome

STYLE = """body { font: 16px/1.5 'Source Sans 3', Helvetica, Arial, sans-serif; color: #1f2730;
  background: white; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 0.5rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #d8d8d4; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; min-width: 4.5em; }
th { border-bottom: 2px solid #1f2730; } .number { text-align: right; }
figure { margin: 1.5rem 0; break-inside: avoid; } figure:has(table) { break-inside: auto; }
tr { break-inside: avoid; } @media print { .modebar { display: none !important; } }
figcaption { font-size: 0.9rem; color: #4a525c; margin: 0.5rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f3f1ea; padding: 0.6rem; }
h2 { break-after: avoid; margin-top: 2.2rem; } a { color: #005f66; }"""


@dataclass(frozen=True, eq=False)
class Item:
    """A figure, a table or a text that is shown letter for letter, with its caption."""

    caption: str
    content: go.Figure | pd.DataFrame | str


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Report:
    """All of it, and the line below the title."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def to_html(report: Report) -> bytes:
    """The report as a page that opens anywhere."""
    from plotly.offline import get_plotlyjs

    counts = {"Figure": 0, "Table": 0}
    parts = [
        f"<h2>{escape(section.title)}</h2>" + "".join(_shown(i, counts) for i in section.items)
        for section in report.sections
    ]
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
        f"<title>{escape(report.title)}</title><style>{STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head><body><h1>{escape(report.title)}</h1>"
        f"<p>{escape(report.subtitle)}</p>{''.join(parts)}</body></html>"
    )
    return page.encode()


def _shown(item: Item, counts: dict[str, int]) -> str:
    if isinstance(item.content, str):
        return f"<p>{escape(item.caption)}</p><pre>{escape(item.content)}</pre>"
    kind = "Table" if isinstance(item.content, pd.DataFrame) else "Figure"
    counts[kind] += 1
    caption = f"<figcaption>{kind} {counts[kind]}. {escape(item.caption)}</figcaption>"
    if isinstance(item.content, pd.DataFrame):
        return f"<figure>{caption}{_table(item.content)}</figure>"
    figure = go.Figure(item.content).update_layout(paper_bgcolor="white", plot_bgcolor="white")
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config=CONFIG, div_id=f"figure-{counts[kind]}"
    )
    return f"<figure>{drawn}{caption}</figure>"


def _table(table: pd.DataFrame) -> str:
    rows = [_row("td", row, table.dtypes) for row in table.itertuples(index=False)]
    head = _row("th", table.columns, table.dtypes)
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _row(tag: str, values: Iterable[object], kinds: Iterable[object]) -> str:
    """A row of cells: those of columns of numbers stand on the right."""
    look = [" class=number" * pd.api.types.is_numeric_dtype(kind) for kind in kinds]
    cells = [
        f"<{tag}{more}>{escape(_cell(value))}</{tag}>"
        for value, more in zip(values, look, strict=True)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: object) -> str:
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def to_latex(report: Report) -> bytes:
    """The report's tables, for a document with the package booktabs."""
    tables = [
        as_text(item.content, "latex", item.caption)
        for section in report.sections
        for item in section.items
        if isinstance(item.content, pd.DataFrame)
    ]
    return "\n".join(tables).encode()


def to_pdf(report: Report) -> bytes:
    """The page as Chrome prints it; ExportError says what is missing or wrong."""
    chrome = find_chrome()
    if chrome is None:
        raise ExportError("PDF takes a Chrome or Chromium on the machine that runs the app.")
    with tempfile.TemporaryDirectory() as folder:
        page, file = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_bytes(to_html(report))
        root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chrome has no sandbox for root
        command = [chrome, "--headless", "--disable-gpu", "--no-pdf-header-footer"]
        command += ["--no-sandbox"] if root else []
        command += ["--virtual-time-budget=10000", f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={file}", page.as_uri()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
            return file.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            raise ExportError(
                f"{chrome} has not printed the report: {type(error).__name__}."
            ) from error
