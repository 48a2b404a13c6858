"""Error curves: training and test error after every epoch, stages and tasks marked off."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.analysis.error_curves import SPLITS, Curves
from core.charts.marks import Mark
from core.charts.template import (
    ANGLES,
    FAINT,
    LEGEND,
    blank,
    boundary,
    note,
    plain,
    tick,
)
from core.text import middle_cut

COLUMN = {"match": "match", "nll": "nll_mean"}
UNIT = {"match": "%", "nll": "nats a row"}
DASH = {"train": "dot", "test": "solid"}
MAX_POINTS = 1000  # a trace, so that a figure stays small


def errors(
    curves: Curves,
    marks: Mapping[int, Mark],
    tasks: Sequence[str],
    *,
    measure: str,
    name: str,
    height: int = 470,
) -> go.Figure:
    """Error after every epoch: a colour for each run, test rows solid, training rows dotted.

    `curves` is analysis.error_curves.curves', `marks` are its runs' looks, `tasks` the
    names of the tasks in order (empty where runs differ); `measure` is match or nll, `name` what
    people call it. Solid lines stand between tasks, dotted ones between stages.
    """
    figure = blank(height)
    for run, mark in marks.items():
        for split, called in SPLITS.items():
            rows = curves.table[(curves.table.run == run) & (curves.table.split == split)]
            if len(rows):
                rows = rows[:: -(-len(rows) // MAX_POINTS)]
                trace = _curve(rows, f"{mark.name}, {called}", mark, measure, tasks)
                figure.add_trace(trace)
    _axis(figure, curves.sections, tasks)
    limits = {"range": [-2, 102]} if measure == "match" else {"rangemode": "tozero"}
    figure.update_yaxes(title_text=f"{name} ({UNIT[measure]})", **limits)
    figure.update_layout(hovermode="closest", margin={"t": 40}, uirevision=measure)
    return figure


def _curve(
    rows: pd.DataFrame, name: str, mark: Mark, measure: str, tasks: Sequence[str]
) -> go.Scatter:
    """One run's errors on rows of one kind; the line is broken where the run skips a section."""
    epoch = rows["at"].to_numpy(dtype=float)
    value = rows[COLUMN[measure]].to_numpy() * (100 if measure == "match" else 1)
    hover = [
        plain(f"{name}: {_value(row, measure)}, {_where(row, tasks)}")
        for row in rows.to_dict("records")
    ]
    step = np.diff(epoch).min(initial=np.inf)
    gaps = np.flatnonzero(np.diff(epoch) > max(step, 1)) + 1
    split = rows.split.iloc[0]
    return go.Scatter(
        x=np.insert(epoch, gaps, np.nan),
        y=np.insert(value, gaps, np.nan),
        name=plain(middle_cut(name, LEGEND)),
        mode="lines+markers" if len(rows) <= MAX_POINTS / 4 else "lines",
        line={
            "color": mark.colour(),
            "width": 2.2 if split == "test" else 1.8,
            "dash": DASH[split],
        },
        marker={"size": 5, "symbol": mark.symbol if split == "test" else f"{mark.symbol}-open"},
        hovertext=np.insert(np.array(hover, dtype=object), gaps, ""),
        hoverinfo="text",
    )


def _value(row: dict[str, Any], measure: str) -> str:
    if measure == "match":
        wrong = int(row["total"] - row["correct"])
        return f"{100 * row['match']:.1f} % ({wrong} of {int(row['total'])} rows wrong)"
    return f"{row['nll_mean']:.3f} nats a row (n = {int(row['covered'])})"


def _where(row: dict[str, Any], tasks: Sequence[str]) -> str:
    task = f"task {row['task'] + 1} {_task(row['task'], tasks)}".strip()
    return f"{task}, {row['stage']} stage, epoch {row['epoch'] + 1}"


def _task(k: int, tasks: Sequence[str]) -> str:
    return tasks[k] if k < len(tasks) else ""


def _axis(figure: go.Figure, sections: pd.DataFrame, tasks: Sequence[str]) -> None:
    """Epochs, with the tasks named below; above, the stages of the first."""
    spans = sections.groupby("task").agg(start=("start", "min"), end=("end", "max"))
    texts = [f"{k + 1} · {_task(k, tasks)}".removesuffix(" · ") for k in spans.index]
    shapes, notes = [], []
    for row in sections.itertuples():
        first = row.start == spans.start[row.task]
        if row.start:
            shapes.append(boundary(row.start + 0.5, "solid" if first else "dot"))
        if row.task == spans.index[0]:  # of every task they would stand on one another
            notes.append(note(row.stages, row.start + 0.5, font={"size": 11, "color": FAINT}))
    end = int(spans.end.max()) if len(spans) else 1
    figure.update_xaxes(
        title_text="epochs of each task learned, stage after stage",
        tickvals=((spans.start + spans.end + 1) / 2).tolist(),
        ticktext=[tick(text) for text in texts],
        autotickangles=ANGLES,
        range=[0.3, end + 0.7],
        showgrid=False,
    )
    figure.update_layout(shapes=shapes, annotations=notes, legend={"y": 1.08})
