"""Tables as LaTeX, Markdown and CSV."""

import io

import pandas as pd

from core.analysis.table_text import as_text, escape, markdown_row
from core.experiments.presets import presets

TABLE = pd.DataFrame(
    {"Arm": ["A & B_1", "50 % | c"], "ACC": ["1.00 ± 0.50", "–"], "n": [3, 4], "x": [1.5, None]}
)


def test_markdown() -> None:
    assert as_text(TABLE, "markdown").splitlines() == [
        "| Arm | ACC | n | x |",
        "| --- | --- | ---: | ---: |",
        "| A & B_1 | 1.00 ± 0.50 | 3 | 1.50 |",
        "| 50 % \\| c | – | 4 | – |",
    ]


def test_latex_has_booktabs_and_no_character_that_it_would_read() -> None:
    text = as_text(TABLE, "latex", "10 % of it")
    for line in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{llrr}"):
        assert line in text
    assert r"A \& B\_1 & 1.00 $\pm$ 0.50 & 3 & 1.50 \\" in text
    assert r"50 \% | c & -- & 4 & -- \\" in text
    assert r"\caption{10 \% of it}" in text


def test_latex_has_no_letter_that_it_does_not_know() -> None:
    """What headings and the presets' arms are made of; Greek letters stop a compiler."""
    labels = {arm.label for entry in presets.values() for arm in entry.value().arms}
    assert {"Δ", "λ", "…"} <= set("".join(labels) + "Δ avg")
    for text in [*labels, "Δ avg", "ACC_avg − EMR", "52.31 ± 1.07"]:
        assert escape(text).isascii()


def test_csv_is_read_back() -> None:
    back = pd.read_csv(io.StringIO(as_text(TABLE, "csv")))
    pd.testing.assert_frame_equal(back, TABLE, check_dtype=False)


def test_no_cell_of_a_markdown_row_ends_it() -> None:
    cells = ["a|b", "c\nd", r"e\|f", "g\\", "|", ""]
    row = markdown_row(cells)
    assert "\n" not in row
    assert cut(row) == ["a|b", "c d", r"e\|f", "g\\", "|", ""]


def cut(row: str) -> list[str]:
    """The cells as a reader of Markdown has them: a backslash takes the meaning of what follows."""
    cells, at = [""], 1
    while at < len(row):
        if row[at] == "\\":
            at += 1
            cells[-1] += row[at]
        elif row[at] == "|":
            cells.append("")
        else:
            cells[-1] += row[at]
        at += 1
    return [cell.strip() for cell in cells[:-1]]
