"""The report page: which runs, and the files that are made of them on a click."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from core.charts.export import ExportError, find_chrome
from core.charts.marks import Mark
from core.charts.report import Report, to_html, to_latex, to_pdf
from core.charts.run_report import addresses, run_report
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, store, warn_of_other_data
from pages.shared.tray import draw_label, marks, slots, tray_runs, with_records
from pages.shared.ui.exports import export_name
from pages.shared.ui.figures import NO_CHROME
from pages.shared.ui.glossary import prose

HOLDS = """
- **Runs and settings**: what differs, and what all share
- **Accuracy**: ACC_whole and ACC_avg after each task, the task × task matrices, their difference
- **Forgetting and transfer**: each measure under its author's name
- **Forgotten actions**: every task's actions by kind, after each task
- **Error curves**: training and test error after every epoch
- **To do it again**: command lines, addresses of the views, versions
"""


def draw_report() -> None:
    """Let runs be chosen and offer the files."""
    runs = store().runs(limit=SHOWN)
    learned = with_records(
        runs, {run.id for run in runs if run.tasks}, "No run has read its data yet."
    )
    chosen = tray_runs(learned, "tasks")
    for look in marks(chosen).values():
        draw_label(look)
    warn_of_other_data(chosen)
    prose(HOLDS)
    _offer(chosen)
    st.caption("The addresses in it, for this app:")
    st.code("\n".join(_addresses(chosen)), language=None, wrap_lines=True)


def _offer(runs: Sequence[Run]) -> None:
    offers: list[tuple[str, str, str, Callable[[Report], bytes]]] = [
        ("Report (HTML)", "html", "text/html", to_html),
        ("Tables (LaTeX)", "tex", "application/x-tex", to_latex),
    ]
    if find_chrome() is not None:
        offers.insert(1, ("Report (PDF)", "pdf", "application/pdf", to_pdf))
    looks, base = marks(runs), _base()  # a click's thread knows no address
    with st.container(horizontal=True, gap="small"):
        for at, (label, ending, mime, make) in enumerate(offers):
            st.download_button(
                label,
                partial(_made, runs, base, looks, slots().run, make),
                file_name=export_name(f"report.{ending}"),
                mime=mime,
                icon=":material/download:",
                type="primary" if at == 0 else "secondary",
                key=f"report/{ending}",
                on_click="ignore",
            )
        if find_chrome() is None:
            st.button("Report (PDF)", disabled=True, help=NO_CHROME)


def _addresses(runs: Sequence[Run]) -> list[str]:
    return addresses(runs, _base(), marks(runs), slots().run)


def _made(
    runs: Sequence[Run],
    base: str,
    looks: Mapping[int, Mark],
    selected: int | None,
    make: Callable[[Report], bytes],
) -> bytes:
    """The file; a page of one line where it can't be made."""
    try:
        return make(run_report(store(), runs, base, looks, selected))
    except ExportError as error:
        return str(error).encode()


def _base() -> str:
    """The app's address, before its pages'."""
    url = urlsplit(st.context.url or "")
    return f"{url.scheme}://{url.netloc}" if url.netloc else ""
