"""What a report of runs says: settings, accuracy, forgetting, errors, versions, addresses."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlencode

import pandas as pd

from core.analysis import accuracy, error_curves, forgetting, glance, transfer_tables
from core.analysis.accuracy import MEASURES, Group
from core.analysis.command_line import command_line
from core.analysis.settings import in_words, method_name, settings, show_setting
from core.analysis.short_names import named_groups
from core.analysis.transfer import MEASURES as GAINS
from core.charts import accuracy as accuracy_charts
from core.charts import error_curves as error_charts
from core.charts import glance as glance_charts
from core.charts.marks import Mark, of_groups, of_runs
from core.charts.matrix import difference, matrix
from core.charts.report import Item, Report, Section
from core.data.naming import dataset_name
from core.runs.run import Run
from core.runs.store import Store
from core.text import counted

MOST_GRIDS = 6  # grids of forgetting, one a run
PAGES = (
    "accuracy", "forgetting", "drilldown", "error_curves", "playground", "memories", "report"
)  # fmt: skip
MORE = {"memories": {"source": "runs"}}  # what else an address says
SINGLE = ("forgetting", "drilldown", "playground")  # pages of one run and another beside it


def run_report(
    store: Store,
    runs: Sequence[Run],
    base: str = "",
    marks: Mapping[int, Mark] | None = None,
    selected: int | None = None,
) -> Report:
    """The report of these runs; `base` is the app's address, before those of its pages, `marks`
    what the runs look like (None: by their positions), `selected` the run that pages of one run
    show (None: the first).
    """
    marks = of_runs(runs) if marks is None else marks
    groups = named_groups(runs, {id: mark.name for id, mark in marks.items()})
    sections = [
        _settings(runs, marks),
        _accuracy(store, runs, groups, of_groups(groups, marks)),
        _transfer(store, runs, groups),
        _forgetting(store, runs, marks),
        _errors(store, runs, marks),
        _how(runs, addresses(runs, base, marks, selected), marks),
    ]
    names = ", ".join(dict.fromkeys(dataset_name(run.config) for run in runs))
    return Report(
        f"Total Recall: {counted(len(runs), 'run')} on {names}",
        f"Made {datetime.now(UTC):%Y-%m-%d %H:%M} UTC from the store of runs.",
        tuple(section for section in sections if section.items),
    )


def _settings(runs: Sequence[Run], marks: Mapping[int, Mark]) -> Section:
    tables = [settings(run.config) for run in runs]
    names = list(dict.fromkeys(name for table in tables for name in table))
    titles = [marks[run.id].name for run in runs]
    rows = {
        in_words(name): [show_setting(name, t[name]) if name in t else "–" for t in tables]
        for name in names
    }
    differ = {name: values for name, values in rows.items() if len(set(values)) > 1}
    same = {name: values[0] for name, values in rows.items() if len(set(values)) == 1}
    overview = pd.DataFrame(
        {
            "Run": [run.id for run in runs],
            "Called here": titles,
            "Name": [run.name for run in runs],
            "Method": [method_name(run.config) for run in runs],
            "Status": [_status(run) for run in runs],
            "Tasks": [" → ".join(run.tasks) for run in runs],
            "Seconds": [round(run.seconds) for run in runs],
        }
    )
    items = [Item("The runs.", overview)]
    if differ:
        frame = pd.DataFrame(differ, index=titles).T.reset_index(names="Setting")
        items.append(Item("Settings in which the runs differ.", frame))
    frame = pd.DataFrame({"Setting": list(same), "Value": list(same.values())})
    items.append(Item("Settings that all runs share.", frame))
    return Section("Runs and settings", tuple(items))


def _status(run: Run) -> str:
    return run.status if run.progress >= 1 else f"{run.status}, {100 * run.progress:.0f} %"


def _accuracy(
    store: Store, runs: Sequence[Run], groups: Sequence[Group[Run]], looks: Mapping[str, Mark]
) -> Section:
    cells = accuracy.cells(store, runs)
    if cells.empty:
        return Section("Accuracy", ())
    spread = accuracy.spread(accuracy.curves(cells), groups)
    items = []
    for measure, name in MEASURES.items():
        figure = accuracy_charts.curves(spread, measure=measure, name=name, marks=looks)
        items.append(Item(f"{name} after each task: means over seeds, one SD as a band.", figure))
    ends = spread.groupby("group", sort=False).tail(1)
    table = pd.DataFrame({"Runs": ends.group, "n": ends.runs, "Tasks": ends.after + 1})
    for measure, name in MEASURES.items():
        table[f"{name} (%)"] = 100 * ends[measure]
        table[f"SD of {name}"] = 100 * ends[f"{measure}_deviation"]
    items.insert(0, Item("Exact match after the last task, in percent.", table))
    for group in groups:
        (table,), note = _matrices(cells, group)
        text = f"acc[k, i] of {group.label} (%): task tested (across) after task learned (down)."
        items.append(Item(text + note, matrix(table)))
    if len(groups) == 2:
        (left, right), note = _matrices(cells, *groups)
        less, (first, second) = accuracy.subtracted(right, left), [each.label for each in groups]
        if len(less):
            text = f"acc[k, i] of {second} less that of {first}, in points.{note}"
            items.append(Item(text, difference(less, second, first)))
    return Section("Accuracy", tuple(items))


def _matrices(cells: pd.DataFrame, *groups: Group[Run]) -> tuple[list[pd.DataFrame], str]:
    """acc[k, i] of each, and what is to be said of runs in different orders."""
    in_orders = accuracy.in_orders(cells, *groups)
    make = accuracy.by_position if in_orders else accuracy.pooled
    note = " By position: each run learns in its own order, task i is the i-th." * in_orders
    return [make(cells, group) for group in groups], note


def _transfer(store: Store, runs: Sequence[Run], groups: Sequence[Group[Run]]) -> Section:
    cells = accuracy.cells(store, runs)
    if cells.empty:
        return Section("Forgetting and transfer", ())
    ended = accuracy.latest(store, [run.id for run in runs])
    learned = ended.set_index("run").after.add(1).to_dict()
    table = transfer_tables.final(transfer_tables.trajectories(cells), groups, learned)
    shown = {"Measure": [each.label for each in GAINS.values()]}
    shown["As defined by"] = [each.source for each in GAINS.values()]
    for row in table.to_dict("records"):
        shown[row["group"]] = [_points(row[name], row[f"{name}_deviation"]) for name in GAINS]
    text = "Forgetting and transfer after the last task, in percentage points (mean ± SD)."
    return Section("Forgetting and transfer", (Item(text, pd.DataFrame(shown)),))


def _points(mean: float, deviation: float) -> str:
    if pd.isna(mean):
        return "n/a"
    return f"{100 * mean:.2f}" + ("" if pd.isna(deviation) else f" ± {100 * deviation:.2f}")


def _forgetting(store: Store, runs: Sequence[Run], marks: Mapping[int, Mark]) -> Section:
    known = forgetting.recorded(store, [run.id for run in runs])
    items = []
    for run in [run for run in runs if run.id in known][:MOST_GRIDS]:
        rows = glance.grid(glance.all_actions(store, run), "kind", run.tasks)
        text = (
            f"{marks[run.id].name}: mean P(action | history, utterance) of each task's actions by "
            "kind (down) after each task (across)."
        )
        items.append(Item(text, glance_charts.grid(rows, run.tasks)))
    return Section("Forgotten actions", tuple(items))


def _errors(store: Store, runs: Sequence[Run], marks: Mapping[int, Mark]) -> Section:
    known = error_curves.recorded(store, [run.id for run in runs])
    chosen = [run for run in runs if run.id in known]
    if not chosen:
        return Section("Error curves", ())
    curves = error_curves.curves(store, chosen)
    figure = error_charts.errors(
        curves,
        {run.id: marks[run.id] for run in chosen},
        error_curves.task_names(chosen),
        measure="match",
        name=error_curves.MEASURES["match"],
    )
    text = "Exact match error after every epoch, on training rows (dotted) and test rows (solid)."
    return Section("Error curves", (Item(text, figure),))


def _how(runs: Sequence[Run], views: Sequence[str], marks: Mapping[int, Mark]) -> Section:
    lines = [command_line(run.config, keeps_memory=run.keeps_memory) for run in runs]
    names = list(dict.fromkeys(name for run in runs for name in run.versions))
    versions = pd.DataFrame(
        {"Package": names}
        | {marks[run.id].name: [run.versions.get(name, "–") for name in names] for run in runs}
    )
    items = [
        Item("The same runs by command line.", "\n".join(dict.fromkeys(lines))),
        Item("Where these views are in the app.", "\n".join(views)),
        Item("What the runs were trained with.", versions),
    ]
    return Section("To do it again", tuple(items if names else items[:2]))


def addresses(
    runs: Sequence[Run],
    base: str = "",
    marks: Mapping[int, Mark] | None = None,
    selected: int | None = None,
) -> list[str]:
    """The addresses of the pages with these runs, each in the slot that its mark has; pages of one
    run show the selected one (None: the first), beside each of the others in turn.
    """
    slots = {mark.slot: id for id, mark in (of_runs(runs) if marks is None else marks).items()}
    lying = [str(slots.get(slot, "")) for slot in range(max(slots, default=-1) + 1)]
    ids = [run.id for run in runs]
    first = selected if selected in ids else ids[0]
    query = {"runs": ",".join(lying), "run": str(first)}
    queries = []
    for page in PAGES:
        others = [id for id in ids if id != first] if page in SINGLE else []
        beside = [{"other": str(id)} for id in others] or [MORE.get(page, {})]
        queries += [(page, query | each) for each in beside]
    return [f"{base}/{page}?{urlencode(query, safe=',')}" for page, query in queries]
