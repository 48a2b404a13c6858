"""The forms on their map, their clusters, their trees."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import clusters as analysis
from core.analysis.layouts import LAYOUTS
from core.charts import clusters as charts
from core.charts.trees import tree
from pages.shared.clusters.comparison import draw_comparison
from pages.shared.clusters.map import draw_map
from pages.shared.clusters.page import Shown
from pages.shared.clusters.search import draw_search
from pages.shared.ui.address import follow, key_of, publish, read_numbers
from pages.shared.ui.clicked import selected_row
from pages.shared.ui.figures import draw_figure, present, save
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, download, draw_table, pick_row
from pages.shared.ui.text import counted
from pages.shared.ui.widgets import chosen_number, pick, pick_view

VIEWS = {
    "map": "Map",
    "search": "Search",
    "clusters": "Clusters",
    "smatch": "Productions and Smatch",
}
MOST_IN_ADDRESS = 200  # forms that a lasso may leave in the address
COLUMNS = {
    "form": NUMBER("Form", width=60),
    "logical_form": TEXT("Logical form", width=460),
    "rows": NUMBER("Rows", width=60, help="training rows with this form"),
    "cluster": NUMBER("Cluster", width=70),
    "medoid": st.column_config.CheckboxColumn("Medoid", width=70),
    "to_medoid": NUMBER("To medoid", format="%.3f", width=90, help="distance, 1 − similarity"),
    "silhouette": NUMBER("Silhouette", format="%.3f", width=90),
    "kept": TEXT("Kept by", width=120),
}


def draw_views(shown: Shown) -> None:
    """One of the views, by the address."""
    view = pick_view(VIEWS)
    table = analysis.form_table(shown.map)
    draw = {"map": _map, "search": draw_search, "clusters": _clusters, "smatch": _smatch}
    draw[view](shown, table)


def _map(shown: Shown, table: pd.DataFrame) -> None:
    of_row = shown.map.forms.of_row
    rings: dict[str, set[int]] = {}
    for memory in shown.kept:
        rings[memory.label] = set(of_row[list(memory.rows)].tolist())
    table["kept"] = [
        ", ".join(name for name, forms in rings.items() if form in forms) for form in table.form
    ]
    prose(
        f"Each mark is one of {len(table):,} distinct forms, larger for more rows; colour and "
        "symbol are its cluster unless another colour is chosen. Distances are 1 − similarity by "
        f"{_similarity(shown)}, laid on a plane by {_layout(shown)}. A lasso around "
        "forms chooses them, with *Pan* on the figure's bar a click does; a double click lets go."
    )
    points = draw_map(shown, table, {name: sorted(forms) for name, forms in rings.items()})
    forms = _chosen_forms(points, len(table), shown.key)
    listed = table[table.form.isin(forms)] if forms else table
    rows = counted(listed["rows"].sum(), "row")
    st.caption(f"{len(listed):,} of {counted(len(table), 'form')}, {rows}")
    selected = _form_table(listed.drop(columns=["x", "y"]), key="forms")
    download(listed, key="forms/csv", file_name="forms.csv")
    _tree(shown, _follow_form(selected, len(table), listed))


def _similarity(shown: Shown) -> str:
    return "Smatch" if shown.options.similarity == "smatch" else "productions"


def _layout(shown: Shown) -> str:
    if shown.map.explained is None:
        name = LAYOUTS[shown.layout]
        return f"{name}, which keeps like forms together; how far groups are apart says little"
    return f"classical scaling, which shows {100 * shown.map.explained:.0f} % of their squares"


def _chosen_forms(points: Sequence[dict[str, Any]], count: int, map_key: str) -> list[int]:
    """The forms under the lasso, else those that the address names; none: all."""
    key = follow("forms", [], read_numbers)
    picked = sorted({_number(point["customdata"]) for point in points if "customdata" in point})
    if picked != st.session_state.get(f"{key}/picked/{map_key}", []):
        st.session_state[f"{key}/picked/{map_key}"] = st.session_state[key] = picked
    forms = [form for form in st.session_state[key] if 0 <= form < count]
    publish("forms", ",".join(map(str, forms)) if 0 < len(forms) <= MOST_IN_ADDRESS else None)
    return forms


def _number(customdata: Any) -> int:
    return int(customdata[0] if isinstance(customdata, (list, tuple)) else customdata)


def _form_table(rows: pd.DataFrame, *, key: str) -> int | None:
    """A table of forms; the one that is chosen in it."""
    key = f"{key_of(key)}/{hash(tuple(rows.form))}"
    pick_row(rows, {name: COLUMNS[name] for name in rows.columns}, key=key, missing="–")
    index = selected_row(key, len(rows))
    return None if index is None else int(rows.form.iloc[index])


def _follow_form(selected: int | None, count: int, listed: pd.DataFrame) -> int:
    """The form whose tree is drawn: chosen in the table, by the address, else the commonest."""
    form = chosen_number("form", selected, range(count))
    return int(listed.form[listed["rows"].idxmax()]) if form is None else form


def _tree(shown: Shown, form: int) -> None:
    cluster = int(shown.map.clustering.labels[form])
    medoid = int(shown.map.clustering.medoids[cluster])
    st.subheader(f"Form {form}, of cluster {cluster}")
    st.code(shown.map.forms.texts[form], language=None, wrap_lines=True)
    figure = tree(shown.map.forms.trees[form])
    draw_figure(figure, key=f"tree/{shown.key}")
    nodes = analysis.node_table(shown.map.forms.trees[form])
    save(figure, nodes, key="tree", file_name=f"form_{form}.csv")
    if form == medoid:
        st.caption("It is the medoid of its cluster. Another form is drawn when its row is chosen.")
    else:
        st.caption(f"Its distance to form {medoid}, the medoid: {shown.map.to_medoid[form]:.3f}.")
        st.code(shown.map.forms.texts[medoid], language=None, wrap_lines=True)


def _clusters(shown: Shown, table: pd.DataFrame) -> None:
    clusters = analysis.cluster_table(table)
    present(
        charts.silhouettes(clusters),
        f"How well each of the {len(clusters)} clusters holds together: 1 where its forms are far "
        f"from all others, 0 where they lie between clusters (and for a form alone). The mean over "
        f"all forms is {table.silhouette.mean():.3f}.",
        clusters,
        key="silhouettes",
        file_name="clusters.csv",
    )
    columns = {
        "cluster": NUMBER("Cluster", width=70),
        "forms": NUMBER("Forms", width=70),
        "rows": NUMBER("Rows", width=70),
        "silhouette": NUMBER("Silhouette", format="%.3f", width=90),
        "to_medoid": NUMBER("To medoid", format="%.3f", width=90),
        "medoid": TEXT("Medoid", width=620),
    }
    draw_table(clusters, columns, key="clusters")
    st.subheader("Inside a cluster")
    names = {
        str(row.cluster): f"{row.cluster} ({row.forms:,} forms, {row.count_:,} rows)"
        for row in clusters.rename(columns={"rows": "count_"}).itertuples()
    }
    largest = str(clusters.cluster[clusters.forms.idxmax()])
    cluster = int(pick("cluster", "Cluster", names, largest))
    forms, distances = analysis.inside(shown.map, cluster)
    mine = table[table.cluster == cluster].drop(columns=["x", "y"]).sort_values("to_medoid")
    some = "" if len(forms) == len(mine) else f"the {len(forms)} forms nearest to the medoid, of "
    present(
        charts.distances(list(forms), distances),
        f"Distances (1 − similarity by {_similarity(shown)}) inside the cluster: {some}"
        f"{counted(len(mine), 'form')}.",
        pd.DataFrame(distances, index=forms, columns=forms).reset_index(names="form"),
        key="distances",
        file_name=f"cluster_{cluster}_distances.csv",
    )
    selected = _form_table(mine, key=f"inside/{cluster}")
    medoid = int(shown.map.clustering.medoids[cluster])
    _tree(shown, medoid if selected is None else selected)


def _smatch(shown: Shown, table: pd.DataFrame) -> None:
    draw_comparison(shown)
