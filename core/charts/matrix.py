"""The matrix acc[k, i]: how much of each task is left after each task learned."""

import pandas as pd
import plotly.graph_objects as go

from core.charts.accuracy import ANGLES
from core.charts.template import DARK, blank, heat, plain

_PALE_CELL = 0.57  # from this share on a cell is pale and takes dark text


def matrix(cells: pd.DataFrame, height: int | None = None) -> go.Figure:
    """acc[k, i] of one run: a row for each task learned, a column for each task tested.

    `cells` is analysis.accuracy.cells'. Invisible markers lie over the cells, with (after, on) as
    `customdata`: a heatmap alone can't be selected from.
    """
    learned = cells.drop_duplicates("after").sort_values("after")
    tested = cells.drop_duplicates("on").sort_values("on")
    figure = blank(height or 130 + 34 * max(3, len(learned)))
    share = (cells.correct / cells.total).rename("share")
    grid = cells.assign(share=share).pivot_table(index="after", columns="on", values="share")
    figure.add_trace(
        heat(
            100 * grid.to_numpy(),
            "acc (%)",
            100,
            x=grid.columns,
            y=grid.index,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
        )
    )
    for pale in (False, True):
        figure.add_trace(_cell_texts(cells[(share >= _PALE_CELL) == pale], pale))
    figure.add_trace(_cell_markers(cells))
    figure.update_xaxes(
        title_text="tested on task",
        tickvals=tested.on,
        ticktext=[plain(name) for name in tested.on_task],
        showgrid=False,
        autotickangles=ANGLES,
    )
    figure.update_yaxes(
        title_text="after learning task",
        tickvals=learned.after,
        ticktext=[plain(f"{row.after + 1} · {row.after_task}") for row in learned.itertuples()],
        showgrid=False,
        autorange="reversed",
    )
    figure.update_layout(showlegend=False)
    return figure


def _cell_texts(cells: pd.DataFrame, pale: bool) -> go.Scatter:
    return go.Scatter(
        x=cells.on,
        y=cells.after,
        text=[f"{100 * c / t:.0f}" for c, t in zip(cells.correct, cells.total, strict=True)],
        mode="text",
        textfont={"color": DARK if pale else "#ffffff", "size": 14},
        hoverinfo="skip",
    )


def _cell_markers(cells: pd.DataFrame) -> go.Scatter:
    hover = [
        plain(
            f"after {row.after_task}, on {row.on_task}: {row.correct} of {row.total} correct "
            f"({100 * row.correct / row.total:.1f} %)"
        )
        for row in cells.itertuples()
    ]
    return go.Scatter(
        x=cells.on,
        y=cells.after,
        mode="markers",
        marker={"symbol": "square", "size": 26, "opacity": 0},
        customdata=cells[["after", "on"]].to_numpy(),
        hovertext=hover,
        hoverinfo="text",
    )
