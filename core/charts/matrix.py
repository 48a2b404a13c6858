"""The matrix acc[k, i]: how much of each task is left after each task learned."""

import pandas as pd
import plotly.graph_objects as go

from core.charts.cells import heat, ink, targets
from core.charts.template import ANGLES, blank, plain, tick


def matrix(cells: pd.DataFrame, height: int | None = None) -> go.Figure:
    """acc[k, i] of one run: a row for each task learned, a column for each task tested.

    `cells` is analysis.accuracy.cells'. What lies over the cells has (after, on) as `customdata`.
    """
    learned = cells.drop_duplicates("after").sort_values("after")
    tested = cells.drop_duplicates("on").sort_values("on")
    figure = blank(height or 130 + 34 * max(3, len(learned)))
    share = (cells.correct / cells.total).rename("share")
    grid = cells.assign(share=share).pivot_table(index="after", columns="on", values="share")
    figure.add_trace(heat(100 * grid.to_numpy(), "acc (%)", 100, x=grid.columns, y=grid.index))
    figure.add_trace(_values(cells, share))
    figure.update_xaxes(
        title_text="tested on task",
        tickvals=tested.on,
        ticktext=[tick(f"{row.on + 1} · {row.on_task}") for row in tested.itertuples()],
        showgrid=False,
        autotickangles=ANGLES,
    )
    figure.update_yaxes(
        title_text="after learning task",
        tickvals=learned.after,
        ticktext=[tick(f"{row.after + 1} · {row.after_task}") for row in learned.itertuples()],
        showgrid=False,
        autorange="reversed",
    )
    figure.update_layout(showlegend=False)
    return figure


def _values(cells: pd.DataFrame, share: pd.Series) -> go.Scatter:
    hover = [
        plain(
            f"after {row.after_task}, on {row.on_task}: {row.correct} of {row.total} correct "
            f"({100 * row.correct / max(1, row.total):.1f} %)"
        )
        for row in cells.itertuples()
    ]
    return targets(
        cells.on,
        cells.after,
        hover,
        mode="markers+text",
        text=[f"{100 * value:.0f}" for value in share],
        textfont={"color": ink(share), "size": 14},
        customdata=cells[["after", "on"]].to_numpy(),
    )
