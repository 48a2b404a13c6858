"""Memory figures: entropy, coverage, overlap, actions of memory and task, a sampler's search."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.analysis.memory import COUNTS, COVERED
from core.charts.cells import heat, ink, targets
from core.charts.marks import Mark, by_position
from core.charts.template import (
    ANGLES,
    NAME,
    NEUTRAL,
    TEMPLATE,
    blank,
    boundary,
    colour,
    lines,
    note,
    plain,
)
from core.text import cut_apart

Marks = Mapping[str, Mark] | None  # the memories' looks by label; None: by their positions
MOST_TEXTS = 15  # memories up to which a matrix has its values written in
MOST_STEPS = 5000
LABEL = 46  # letters of an action beside an axis


def entropies(
    measured: pd.DataFrame, whole: pd.DataFrame, marks: Marks = None, height: int | None = None
) -> go.Figure:
    """Action entropy of each memory, by frequency and by presence; a mark for each seed.

    `measured` and `whole` (one row, drawn as a dashed line) are analysis.memory.measurements'.
    """
    labels = list(measured.label.unique())
    marks = by_position(labels) if marks is None else marks
    titles = [f"by {kind}" for kind in COUNTS]
    figure = make_subplots(cols=2, rows=1, shared_yaxes=True, subplot_titles=titles)
    figure.update_layout(template=TEMPLATE, height=height or 130 + 34 * max(2, len(labels)))
    for label in labels:
        rows = measured[measured.label == label]
        for column, kind in enumerate(COUNTS, start=1):
            values = rows[f"entropy_{kind}"]
            figure.add_trace(_marks(values, rows.seed, marks[label]), row=1, col=column)
    for column, kind in enumerate(COUNTS, start=1):
        value = float(whole[f"entropy_{kind}"].iloc[0])
        line = {"color": NEUTRAL, "width": 1.5, "dash": "dash"}
        figure.add_vline(x=value, line=line, row=1, col=column)
    figure.update_xaxes(title_text="entropy (nats)")
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(showlegend=False, margin={"t": 40})
    return figure


def _marks(values: pd.Series, seeds: pd.Series, mark: Mark) -> go.Scatter:
    hover = [
        plain(f"{mark.name}, seed {seed}: {value:.3f} nats")
        for value, seed in zip(values, seeds, strict=True)
    ]
    return go.Scatter(
        x=values.to_numpy(),
        y=[plain(mark.name)] * len(values),
        mode="markers",
        marker={"size": 11, "color": mark.colour(0.75), "symbol": mark.symbol},
        hovertext=hover,
        hoverinfo="text",
    )


def coverage(measured: pd.DataFrame, marks: Marks = None, height: int = 340) -> go.Figure:
    """Shares of the task's actions, slots, forms and clusters that memories hold.

    Bars are means over the seeds of a label, lines one standard deviation.
    """
    figure = blank(height)
    columns = [f"{name}_share" for name in COVERED]
    marks = by_position(measured.label) if marks is None else marks
    for label, rows in measured.groupby("label", sort=False):
        means, deviations = 100 * rows[columns].mean(), 100 * rows[columns].std(ddof=1).fillna(0)
        figure.add_trace(
            go.Bar(
                x=list(COVERED),
                y=means.to_numpy(),
                name=plain(label),
                marker={"color": marks[label].colour()},
                error_y={
                    "type": "data",
                    "array": deviations.to_numpy(),
                    "color": NEUTRAL,
                    "visible": len(rows) > 1,
                },
                hovertemplate=plain(label) + ": %{y:.1f} % of the %{x}<extra></extra>",
            )
        )
    figure.update_yaxes(title_text="held (% of the task's)", range=[0, 103])
    figure.update_layout(barmode="group", bargap=0.25, hovermode="closest")
    return figure


def overlap(pairs: pd.DataFrame, names: Sequence[str], height: int | None = None) -> go.Figure:
    """Jaccard's index of each two memories; `pairs` is analysis.memory.overlap's."""
    count = len(names)
    grid = pairs.jaccard.to_numpy().reshape(count, count)
    figure = blank(height or 150 + 26 * max(4, count))
    figure.add_trace(heat(grid, "Jaccard"))
    hover = [
        plain(f"{names[p.left]} and {names[p.right]}: {p.shared} rows shared, {p.jaccard:.3f}")
        for p in pairs.itertuples()
    ]
    shown = [f"{value:.2f}" if count <= MOST_TEXTS else "" for value in pairs.jaccard]
    figure.add_trace(
        targets(
            pairs.right,
            pairs.left,
            hover,
            mode="markers+text",
            text=shown,
            textfont={"color": ink(pairs.jaccard)},
        )
    )
    ticks = {"tickvals": list(range(count)), "ticktext": list(map(plain, cut_apart(names, NAME)))}
    figure.update_xaxes(**ticks, title_text="memory", showgrid=False, autotickangles=ANGLES)
    figure.update_yaxes(**ticks, showgrid=False, autorange="reversed")
    figure.update_layout(showlegend=False)
    return figure


def histogram(table: pd.DataFrame, first: int, last: int, marks: Marks = None) -> go.Figure:
    """Shares of the actions ranked `first` to `last`: the task's as bars, memories' as marks.

    `table` is analysis.memory.histogram's, the whole task first.
    """
    shown = table[table["rank"].between(first, last)]
    labels = list(shown.label.unique())
    count = shown["rank"].nunique()
    figure = blank(120 + 19 * max(6, count))
    marks = by_position(labels[1:]) if marks is None else marks
    for at, label in enumerate(labels):
        rows = shown[shown.label == label]
        hover = [
            lines(f"{row.action}\n{label}: {100 * row.share:.2f} %, {row.count_:g} times")
            for row in rows.rename(columns={"count": "count_"}).itertuples()
        ]
        common = {
            "x": 100 * rows.share.to_numpy(),
            "y": rows["rank"].to_numpy(),
            "name": plain(label),
            "hovertext": hover,
            "hoverinfo": "text",
        }
        if at == 0:
            bar = {"color": "rgba(128,128,128,0.35)"}
            figure.add_trace(go.Bar(**common, orientation="h", marker=bar))
        else:
            look = marks[label]
            marker = {"size": 8, "color": look.colour(), "symbol": look.symbol}
            figure.add_trace(go.Scatter(**common, mode="markers", marker=marker))
    reference = shown[shown.label == labels[0]] if labels else shown
    figure.update_xaxes(title_text="share of all action counts (%)", rangemode="tozero")
    figure.update_yaxes(
        tickvals=reference["rank"],
        ticktext=list(map(plain, cut_apart(list(reference.action), LABEL))),
        range=[last + 0.6, first - 0.6] if count == last - first + 1 else None,
        autorange=None if count == last - first + 1 else "reversed",
        showgrid=False,
    )
    figure.update_layout(bargap=0.2, hovermode="closest")
    return figure


def trajectory(table: pd.DataFrame, height: int = 320) -> go.Figure:
    """Entropy after each step of a sampler's search, the ends of its sweeps marked off.

    `table` is analysis.memory_rows.trajectory's.
    """
    figure = blank(height)
    shown = table[:: max(1, -(-len(table) // MOST_STEPS))]
    hover = [
        plain(
            f"step {row.step}, {row.kind}: {row.entropy:.4f} nats"
            + ("" if pd.isna(row.row_out) else f", row {row.row_out} out")
            + ("" if pd.isna(row.row_in) else f", row {row.row_in} in")
        )
        for row in shown.itertuples()
    ]
    figure.add_trace(
        go.Scatter(
            x=shown.step,
            y=shown.entropy,
            mode="lines+markers",
            line={"color": colour(0), "width": 2, "shape": "hv"},
            marker={"size": 5, "color": colour(0)},
            hovertext=hover,
            hoverinfo="text",
            showlegend=False,
        )
    )
    _mark_sweeps(figure, table)
    figure.update_xaxes(title_text="steps")
    figure.update_yaxes(title_text="entropy (nats)")
    figure.update_layout(margin={"t": 28})
    return figure


def _mark_sweeps(figure: go.Figure, table: pd.DataFrame) -> None:
    """A line at the end of each sweep, its number above it where there is room."""
    room = len(table) / 40  # steps that a number takes
    labelled = -2 * room
    sweeps, numbers = [], []  # added together: one by one takes the square of their number
    for sweep, last in table.dropna(subset=["sweep"]).groupby("sweep").step.max().items():
        sweeps.append(boundary(last + 0.5))
        if last - labelled >= room:
            text = f"sweep {sweep}" if labelled < 0 else str(sweep)
            numbers.append(note(text, last + 0.5, xanchor="right"))
            labelled = last
    figure.update_layout(shapes=sweeps, annotations=numbers)
