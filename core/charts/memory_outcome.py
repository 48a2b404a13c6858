"""The figure of memories and their outcome: entropy of actions against final accuracy."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from core.charts.marks import Mark
from core.charts.template import LEGEND, blank, lines, plain
from core.text import middle_cut


def outcome(
    table: pd.DataFrame, marks: Mapping[int, Mark], *, measure: str, name: str, height: int = 400
) -> go.Figure:
    """A mark for each run of analysis.memory_outcome.outcomes, with the run's number as
    `customdata`, runs of one name once in the legend; `measure` is whole or avg, `name` what people
    call it.
    """
    figure, named = blank(height), set[str]()
    for row in table.to_dict("records"):
        mark, value = marks[row["run"]], 100 * row[measure]
        hover = (
            f"{mark.name} (run {row['run']})\n"
            f"entropy {row['entropy']:.3f} nats, {name} {value:.2f} %"
        )
        figure.add_trace(
            go.Scatter(
                x=[row["entropy"]],
                y=[value],
                name=plain(middle_cut(mark.name, LEGEND)),
                legendgroup=plain(mark.name),
                showlegend=mark.name not in named,
                mode="markers",
                marker={"size": 13, "symbol": mark.symbol, "color": mark.colour()},
                unselected={"marker": {"opacity": 1}},
                customdata=[row["run"]],
                hovertext=[lines(hover)],
                hoverinfo="text",
            )
        )
        named.add(mark.name)
    figure.update_xaxes(title_text="entropy of actions in memory (nats, mean over tasks)")
    figure.update_yaxes(title_text=f"{name} after the last task (%)")
    figure.update_layout(hovermode="closest", showlegend=True)
    return figure
