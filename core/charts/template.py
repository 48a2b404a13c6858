"""The look of every figure: palette, symbols, type, and text that can't turn into markup.

Colours: Okabe and Ito (2008), the lighter ones darkened until each stands out (contrast 3:1 and
more) on white and on the dark theme alike. Line styles and symbols repeat what colour says.
"""

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.text import middle_cut

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b0548a", "#c28000", "#3d9bd1", "#7a7a7a")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
NEUTRAL = "#808080"  # for what is not data of a run: upper bounds, boundaries, published values
FAINT = "#5f6670"  # notes in a figure's file, which is on white; on pages the theme's text is
NAME = 26  # letters of a name beside an axis; marks show the whole of it
LEGEND = 60  # letters of a name in a legend
ANGLES = (0, -30, -90)  # of names below an axis: the first at which they fit

TEMPLATE = go.layout.Template(
    layout={
        "colorway": PALETTE,
        "font": {"family": "'Source Sans 3', 'Source Sans Pro', Helvetica, sans-serif", "size": 14},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "hoverlabel": {"align": "left"},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "xaxis": {
            "gridcolor": "rgba(128,128,128,0.18)",
            "zeroline": False,
            "automargin": True,
            "ticklabeloverflow": "allow",  # else names wider than the margin are left out
        },
        "yaxis": {"gridcolor": "rgba(128,128,128,0.18)", "zeroline": False, "automargin": True},
    }
)


def plain(text: str) -> str:
    """Text as plotly shows it letter for letter: `<` and `&` would be read as markup."""
    return html.escape(text, quote=False)


def lines(text: str) -> str:
    """Text of several lines as plotly shows it letter for letter."""
    return plain(text).replace("\n", "<br>")


def tick(name: str, most: int = NAME) -> str:
    """A name beside an axis: its middle is left out where it is long."""
    return plain(middle_cut(name, most))


def colour(index: int, alpha: float = 1.0) -> str:
    """The index-th colour of the palette, round and round, as CSS."""
    value = PALETTE[index % len(PALETTE)].lstrip("#")
    red, green, blue = (int(value[at : at + 2], 16) for at in (0, 2, 4))
    return f"rgba({red},{green},{blue},{alpha:g})"


def blank(height: int = 380) -> go.Figure:
    """An empty figure in the project's look, whose zoom stays when it is drawn again."""
    figure = go.Figure()
    figure.update_layout(template=TEMPLATE, height=height, uirevision="kept")
    return figure


def task_axis(figure: go.Figure, names: Sequence[str], first: int = 0) -> None:
    """Ticks at the tasks from number `first` (from 0) on; an empty name leaves the number alone."""
    labels = {
        number: f"{number} · {middle_cut(name, NAME)}" if name else str(number)
        for number, name in enumerate(names, start=first + 1)
    }
    figure.update_xaxes(
        title_text="tasks learned, in order",
        tickvals=list(labels),
        ticktext=list(map(plain, labels.values())),
        autotickangles=ANGLES,
        range=[first + 0.65, first + len(names) + 0.5],
    )


def boundary(x: float, dash: str = "dot") -> dict[str, Any]:
    """A line over the whole height, for a figure's shapes."""
    line = {"color": NEUTRAL, "width": 1, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def note(text: str, x: float, **more: Any) -> dict[str, Any]:
    """Small text above the figure at `x`, for its annotations."""
    where = {"x": x, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    look = {"text": plain(text), "showarrow": False, "font": {"size": 12, "color": FAINT}}
    return where | look | more
