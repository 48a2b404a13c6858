"""P of actions by how many tasks were learned since: means over runs with bands."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from core.analysis.forgetting import SPECIFIC
from core.charts.marks import Mark, band
from core.charts.template import blank, plain


def since_learned(tables: Mapping[str, pd.DataFrame], marks: Mapping[str, Mark]) -> go.Figure:
    """By label, tables of analysis.arm_forgetting.by_kind: cross-task actions solid, task-specific
    ones dashed, bands of one standard deviation over runs.
    """
    figure = blank(430)
    most = 0
    for label, table in tables.items():
        for kind, rows in table.groupby("kind"):
            figure.add_trace(_band(rows, marks[label]))
            figure.add_trace(_line(rows, f"{label}, {kind}", marks[label], kind == SPECIFIC))
            most = max(most, int(rows.since.max()))
    ticks = list(range(most + 1))
    figure.update_xaxes(
        title_text="tasks learned since",
        tickvals=ticks,
        ticktext=["just learned", *map(str, ticks[1:])],
    )
    figure.update_yaxes(title_text="mean P(action | history, utterance)", range=[-0.03, 1.03])
    figure.update_layout(hovermode="closest", showlegend=True, legend={"itemwidth": 48})
    return figure


def _band(rows: pd.DataFrame, mark: Mark) -> go.Scatter:
    deviation = rows.deviation.fillna(0)
    return band(rows.since, rows.P - deviation, rows.P + deviation, mark)


def _line(rows: pd.DataFrame, name: str, mark: Mark, dashed: bool) -> go.Scatter:
    hover = [
        f"{name}: {row.P:.3f}"
        + ("" if pd.isna(row.deviation) else f" ± {row.deviation:.3f}")
        + f", n = {row.runs}, {row.since} tasks later"
        for row in rows.itertuples()
    ]
    return go.Scatter(
        x=rows.since,
        y=rows.P,
        name=plain(name),
        mode="lines+markers",
        line={"color": mark.colour(), "width": 2.5, "dash": "dash" if dashed else "solid"},
        marker={"symbol": mark.symbol, "size": 9, "color": mark.colour()},
        hovertext=[plain(text) for text in hover],
        hoverinfo="text",
    )
