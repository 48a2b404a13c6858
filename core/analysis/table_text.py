"""Tables as text to copy: LaTeX (booktabs), Markdown, CSV."""

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

FORMATS = ("markdown", "latex", "csv")
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
    "…": r"\dots{}",
    "×": r"$\times$",
    "σ": r"$\sigma$",
    "λ": r"$\lambda$",
    "Δ": r"$\Delta$",
    "·": r"$\cdot$",
    "→": r"$\rightarrow$",
}


def as_text(table: pd.DataFrame, format: str, caption: str = "") -> str:
    """The table of texts and numbers in one of FORMATS, numbers to the right."""
    if format == "csv":
        return str(table.to_csv(index=False))
    right = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    texts = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    names = [str(name) for name in table.columns]
    if format == "latex":
        return _latex(names, texts, right, caption)
    lines = [names, *texts]
    marks = ["---:" if numbers else "---" for numbers in right]
    shown = [markdown_row(line) for line in lines]
    return "\n".join([shown[0], f"| {' | '.join(marks)} |", *shown[1:]]) + "\n"


def _cell(value: Any) -> str:
    """A value as text; a dash where it is missing."""
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def markdown_row(cells: Sequence[str]) -> str:
    """A line of a Markdown table: what a cell holds ends neither the cell nor the line."""
    texts = (" ".join(cell.split()).replace("\\", r"\\").replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(texts)} |"


def _latex(names: list[str], texts: list[list[str]], right: list[bool], caption: str) -> str:
    columns = "".join("r" if numbers else "l" for numbers in right)
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(f"{' & '.join(map(escape, names))} \\\\")
    lines.append(r"\midrule")
    lines += [f"{' & '.join(map(escape, row))} \\\\" for row in texts]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\caption{{{escape(caption)}}}"] if caption else []
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def escape(text: str) -> str:
    """Text in which LaTeX sees no command."""
    return re.sub("|".join(map(re.escape, _LATEX)), lambda match: _LATEX[match.group()], text)
