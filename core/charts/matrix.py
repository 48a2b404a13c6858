"""The matrix acc[k, i]: how much of each task is left after each task learned."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from core.charts.cells import DIVERGING, diverging, heat, ink, targets
from core.charts.template import ANGLES, blank, lines, plain, tick


def matrix(cells: pd.DataFrame, height: int | None = None, tasks: Sequence[str] = ()) -> go.Figure:
    """acc[k, i] of one run: a row for each task learned, a column for each task tested.

    `cells` is analysis.accuracy.cells'. What lies over the cells has (after, on) as `customdata`.
    With `tasks`, all of the run's, there is room for those still to be learned.
    """
    learned = cells.drop_duplicates("after").sort_values("after")
    figure = blank(height or 130 + 34 * max(3, len(learned)))
    share = (cells.correct / cells.total).rename("share")
    grid = cells.assign(share=share).pivot_table(index="after", columns="on", values="share")
    if tasks:
        grid = grid.reindex(index=range(len(tasks)), columns=range(len(tasks)))
    figure.add_trace(heat(100 * grid.to_numpy(), "acc (%)", 100, x=grid.columns, y=grid.index))
    figure.add_trace(_values(cells, share))
    _axes(figure, cells)
    if tasks:
        _room_for(figure, tasks)
    return figure


def _room_for(figure: go.Figure, tasks: Sequence[str]) -> None:
    """Axes over all of the tasks, from the start."""
    names = [_tick(at, name) for at, name in enumerate(tasks)]
    ends = (-0.5, len(tasks) - 0.5)
    for update, span in ((figure.update_xaxes, ends), (figure.update_yaxes, ends[::-1])):
        update(tickvals=list(range(len(tasks))), ticktext=names, range=span, autorange=False)


def difference(table: pd.DataFrame, left: str, right: str) -> go.Figure:
    """acc[k, i] of one run (or group) less that of another, in points; `table` is
    analysis.accuracy.subtracted's.
    """
    points = 100 * table.difference
    most = max(10.0, float(points.abs().max()))
    grid = table.assign(points=points).pivot(index="after", columns="on", values="points")
    figure = blank(130 + 34 * max(3, table.after.nunique()))
    figure.add_trace(diverging(grid.to_numpy(), "points", most, x=grid.columns, y=grid.index))
    hover = [
        lines(
            f"after {row.after_task}, on {row.on_task}: {100 * row.difference:+.1f} points\n"
            f"{left}: {100 * row.left:.1f} %\n{right}: {100 * row.right:.1f} %"
        )
        for row in table.itertuples()
    ]
    shares = 0.5 + 0.5 * points / most
    figure.add_trace(
        targets(
            table.on,
            table.after,
            hover,
            mode="markers+text",
            text=list(map(_signed, points)),
            textfont={"color": ink(shares, DIVERGING), "size": 14},
        )
    )
    _axes(figure, table)
    return figure


def _signed(points: float) -> str:
    """In whole points; `0` without a sign."""
    whole = round(points)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _axes(figure: go.Figure, cells: pd.DataFrame) -> None:
    learned = cells.drop_duplicates("after").sort_values("after")
    tested = cells.drop_duplicates("on").sort_values("on")
    figure.update_xaxes(
        title_text="tested on task",
        tickvals=tested.on,
        ticktext=[_tick(row.on, row.on_task) for row in tested.itertuples()],
        showgrid=False,
        autotickangles=ANGLES,
    )
    figure.update_yaxes(
        title_text="after learning task",
        tickvals=learned.after,
        ticktext=[_tick(row.after, row.after_task) for row in learned.itertuples()],
        showgrid=False,
        autorange="reversed",
    )
    figure.update_layout(showlegend=False)


def _tick(position: int, name: str) -> str:
    """`1 · cinema`; the name alone where it says no more than the position."""
    return tick(name if name == f"task {position + 1}" else f"{position + 1} · {name}")


def _values(cells: pd.DataFrame, share: pd.Series) -> go.Scatter:
    counts = pd.api.types.is_integer_dtype(cells.total)  # else means over runs
    hover = []
    for row in cells.itertuples():
        percent = f"{100 * row.correct / max(1, row.total):.1f} %"
        said = f"{row.correct} of {row.total} correct ({percent})" if counts else percent
        hover.append(plain(f"after {row.after_task}, on {row.on_task}: {said}"))
    return targets(
        cells.on,
        cells.after,
        hover,
        mode="markers+text",
        text=[f"{100 * value:.0f}" for value in share],
        textfont={"color": ink(share), "size": 14},
        customdata=cells[["after", "on"]].to_numpy(),
    )
