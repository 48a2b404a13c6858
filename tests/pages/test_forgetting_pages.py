"""The forgetting page: empty, filled, with runs that recorded nothing, each view by its address."""

import json

import numpy as np
import pytest

from core.analysis import forgetting as analysis
from core.config import RunConfig
from core.events import ActionProbabilities, ActionsKnown, MemoryStored, RunStarted
from core.runs.owner import new_owner
from core.runs.store import Store
from pages.shared.ui import tables
from tests.conftest import make_toy_tasks
from tests.made_up import finished_run, recorded_run
from tests.pages.sessions import figures, key_of, numbers, opened, texts, well, widget

PAGE = "pages/forgetting.py"
TOY = RunConfig(dataset="toy", method="emr", sampler="random")


def named(figure: dict) -> list[dict]:
    return [trace for trace in figure["data"] if trace.get("name")]


def table_of(store: Store, run: int, origin: int = 0):
    return analysis.action_table(store, store.run(run), origin)


def test_nothing_told_says_what_to_do(store):
    page = well(opened(PAGE))
    assert "No run yet" in texts(page.info)
    finished_run(store, RunConfig())
    page = well(opened(PAGE))
    assert "Record actions" in texts(page.info)
    assert len(page.get("page_link")) >= 2


def test_the_curves_are_the_papers_figure(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, view="actions"))
    (figure,) = figures(page)
    four = analysis.extremes(table_of(store, id), 2)
    assert [trace["customdata"][0] for trace in named(figure)] == list(four.action)
    dashes = [trace["line"]["dash"] for trace in named(figure)]
    assert dashes == ["dash", "dash", "solid", "solid"]
    assert len(page.dataframe[0].value) == len(table_of(store, id))
    assert "the paper's figure" in texts(page.markdown)


@pytest.mark.parametrize("view", ["glance", "actions", "heatmap", "memory", "drops", "runs"])
def test_every_view_has_its_address(store, view):
    first, second = recorded_run(store, TOY), recorded_run(store, TOY.with_(seed=1), kept=0.6)
    address = {"run": str(first), "other": str(second), "task": "port", "view": view}
    page = well(opened(PAGE, **address))
    assert len(figures(page)) == {"runs": 1, "memory": 0}.get(view, 2)  # both runs
    again = well(opened(PAGE, **{k: numbers(page.query_params[k]) for k in page.query_params}))
    assert figures(again) == figures(page)


def test_what_is_chosen_is_drawn_described_and_leads_on(store):
    id = recorded_run(store, TOY)
    table = table_of(store, id)
    middle = table.iloc[len(table) // 2]
    page = well(opened(PAGE, run=str(id), action=str(middle.action)))
    assert named(figures(page)[0])[-1]["customdata"][0] == middle.action
    assert middle.text in texts(page.code)
    (link,) = [each for each in page.get("page_link") if each.proto.label == "The rows that use it"]
    assert link.proto.page == "drilldown"
    assert f"action={middle.action}" in link.proto.query_string
    assert "task=zoo" in link.proto.query_string


@pytest.mark.parametrize("where", ["figure", "table"])
def test_a_click_chooses_an_action_and_stands_in_the_address(store, where):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), view="actions"))
    wanted = table_of(store, id).iloc[1]
    if where == "figure":
        key = key_of(page.get("plotly_chart"), "Forgetting/curves")
        state = {"selection": {"points": [{"customdata": int(wanted.action)}]}}
    else:
        key = key_of(page.dataframe, "Forgetting/table")
        state = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page.session_state[key] = state
    page = well(page.run())
    assert numbers(page.query_params["action"]) == str(wanted.action)
    assert wanted.text in texts(page.code)


def test_filters_hold_for_figure_and_table(store):
    recorded_run(store, TOY)
    page = well(opened(PAGE, kind="specific", find="KEEPER", view="actions"))
    shown = page.dataframe[0].value
    assert set(shown.kind) == {analysis.SPECIFIC}
    assert list(shown.text) == ["GEN ( kind keeper )"]
    assert len(named(figures(page)[0])) == 1
    page = well(opened(PAGE, find="no such action"))
    assert "loosen the filters" in texts(page.info)


def test_actions_are_limited_by_how_often_they_occur_and_an_empty_field_is_no_limit(store):
    counts = table_of(store, recorded_run(store, TOY), 0)["count"]
    address = {"task": "fire", "view": "actions"}
    page = well(opened(PAGE, **address))
    limit = widget(page, "number_input", "Count at most")
    assert (limit.value, limit.placeholder) == (None, "any")
    page = well(limit.set_value(2).run())
    assert f"{(counts <= 2).sum()} of {len(counts)} actions" in texts(page.markdown)
    assert numbers(page.query_params["most"]) == "2"
    page = well(widget(page, "number_input", "Count at most").set_value(None).run())
    assert "most" not in page.query_params
    for none in ("0", "-3", "x"):  # 0 meant no limit once
        page = well(opened(PAGE, **address, most=none))
        assert widget(page, "number_input", "Count at most").value is None
        assert len(page.dataframe[0].value) == len(counts)


def test_the_memory_covers_what_its_rows_derivations_use(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, view="actions"))
    assert "keeps no memory" in texts(page.markdown)
    assert "memory" not in page.dataframe[0].value
    store.record(id, MemoryStored(0, (1, 3), {}))
    page = well(opened(PAGE, view="actions"))
    rows = [make_toy_tasks()[0].train[row] for row in (1, 3)]
    uses = {str(step.action) for row in rows for step in row.derivation}
    shown = page.dataframe[0].value
    assert set(shown.text[shown.memory == analysis.COVERED]) == uses
    page = well(opened(PAGE, memory="out", view="actions"))
    assert not uses & set(page.dataframe[0].value.text)


def test_a_memory_whose_data_are_not_here_is_said(store):
    id = recorded_run(store, TOY)
    store.record(id, ActionsKnown((0,), ("another grammar",)))
    store.record(id, MemoryStored(0, (1, 3), {}))
    page = well(opened(PAGE, view="actions"))
    assert "covers can't be said" in texts(page.markdown).replace("\\", "")
    assert len(figures(page)) == 1
    page = well(opened(PAGE, view="drops"))
    assert "n/a" in texts(page.markdown)


def test_groups_of_drops_are_tested_or_say_why_not(store):
    recorded_run(store, TOY.with_(task_order=("farm", "zoo", "port")))
    page = well(opened(PAGE, view="drops"))
    assert page.dataframe[0].value.comparison.iloc[0] == "Kind"
    said = texts(page.markdown)
    assert "p = " in said
    assert "n/a; the run keeps no memory" in said
    last = well(opened(PAGE, view="drops", task="port"))
    assert "Nothing has been learned since" in texts(last.info)


def test_a_second_run_is_offered_where_it_learns_the_task_and_two_runs_where_there_is_one(store):
    first = recorded_run(store, TOY)
    page = well(opened(PAGE, view="runs"))  # of one run: the first of its views
    assert numbers(page.query_params["view"]) == "glance"
    recorded_run(store, TOY.with_(dataset="demo"))
    page = well(opened(PAGE, run=str(first)))
    assert len(widget(page, "selectbox", "Beside it").options) == 1  # other tasks don't compare


def grids(page) -> list[dict]:
    return [f for f in figures(page) if f["data"][0]["type"] == "heatmap"]


def test_the_grid_has_the_mean_of_each_tasks_actions_after_each_task(store):
    ids = recorded_run(store, TOY), recorded_run(store, TOY.with_(seed=1), kept=0.6)
    page = well(opened(PAGE, run=str(ids[0]), other=str(ids[1])))
    assert len(grids(page)) == 2
    for figure, id in zip(grids(page), ids, strict=True):
        texts_of = iter(figure["data"][1]["text"])
        for origin in range(3):
            curves = np.array([*table_of(store, id, origin).curve])
            for value in curves.mean(axis=0):
                assert next(texts_of) == f"{value:.2f}"
        assert next(texts_of, None) is None
    page = well(opened(PAGE, run=str(ids[0]), group="kind", kind="specific"))
    (figure,) = grids(page)
    counts = [
        len(t[t.kind == analysis.SPECIFIC]) for t in (table_of(store, 1, k) for k in range(3))
    ]
    shown = [text.rpartition(" (")[2] for text in figure["layout"]["yaxis"]["ticktext"]]
    assert shown == [f"{count})" for count in counts]


def test_a_cell_of_the_grid_leads_to_its_tasks_actions_and_a_row_to_its_curve(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), group="kind"))
    key = key_of(page.get("plotly_chart"), "Forgetting/glance")
    page.session_state[key] = {"selection": {"points": [{"customdata": 3}]}}
    page = well(page.run())
    assert numbers(page.query_params["view"]) == "heatmap"
    assert numbers(page.query_params["task"]) == "port"
    assert numbers(page.query_params["kind"]) == "specific"
    page = well(opened(PAGE, run=str(id), group="count", task="fire"))
    key = key_of(page.get("plotly_chart"), "Forgetting/glance")
    page.session_state[key] = {"selection": {"points": [{"customdata": 0}]}}
    page = well(page.run())
    least, most = (int(numbers(page.query_params.get(name, "0"))) for name in ("least", "most"))
    counts = table_of(store, id, 0)["count"]
    inside = counts.between(least, most or counts.max())
    assert 0 < inside.sum() < len(counts)
    page = well(opened(PAGE, run=str(id), view="actions", least=str(least), most=str(most)))
    assert f"{inside.sum()} of {len(counts)} actions" in texts(page.markdown)
    page = well(opened(PAGE, run=str(id)))
    row = page.dataframe[0].value.iloc[2]
    key = key_of(page.dataframe, "Forgetting/all")
    page.session_state[key] = {"selection": {"rows": [2], "columns": [], "cells": []}}
    page = well(page.run())
    assert numbers(page.query_params["view"]) == "actions"
    assert numbers(page.query_params["task"]) == row.task
    assert row.text in texts(page.code)


@pytest.mark.parametrize("view", ["glance", "actions", "runs"])
def test_columns_of_actions_are_as_wide_as_their_texts(store, monkeypatch, view):
    first, second = recorded_run(store, TOY), recorded_run(store, TOY.with_(seed=1), kept=0.6)
    monkeypatch.setattr(tables, "LETTER", 15.0)
    page = well(opened(PAGE, run=str(first), other=str(second), view=view))
    table = next(frame for frame in page.dataframe if "text" in frame.value)
    width = json.loads(table.proto.columns)["text"]["width"]
    assert width == tables.fitting(table.value.text, 300) > 300


def test_drops_stand_against_occurrences_in_memory(store):
    recorded_run(store, TOY.with_(seed=1))
    assert "keeps no memory" in texts(well(opened(PAGE, view="memory")).info)
    id = recorded_run(store, TOY)
    kept = {0: (1, 3), 1: (0, 2, 4)}
    for task, rows in kept.items():
        store.record(id, MemoryStored(task, rows, {}))
    (figure,) = figures(well(opened(PAGE, view="memory", run=str(id))))
    marks, _line = figure["data"]
    expected = set()
    for task, rows in kept.items():
        used = [str(s.action) for r in rows for s in make_toy_tasks()[task].train[r].derivation]
        for row in table_of(store, id, task).itertuples():
            expected.add((task, row.action, used.count(row.text), f"{row.drop:.3f}"))
    shown = set()
    for (task, action), text in zip(marks["customdata"], marks["hovertext"], strict=True):
        count = int(text.partition(", ")[2].partition(" in memory")[0])
        shown.add((task, action, count, text.rpartition(" ")[2]))
    assert shown == expected


def test_beside_it_draws_the_other_run_in_every_view_that_is_offered(store):
    ids = recorded_run(store, TOY), recorded_run(store, TOY.with_(seed=1), kept=0.6)
    for id in ids:
        for task in range(2):
            store.record(id, MemoryStored(task, (1, 3), {}))
    address = {"run": str(ids[0]), "other": str(ids[1])}
    page = well(opened(PAGE, **address))
    for name in ("glance", "actions", "heatmap", "memory", "drops", "runs"):
        page = well(opened(PAGE, **address, view=name))
        said = (
            " ".join(spec for spec in map(str, figures(page)))
            + texts(page.markdown)
            + texts(page.subheader)
        )
        said += " ".join(each.proto.body for each in page.get("html"))
        assert "EMR, seed 1" in said.replace("\\", ""), name


def test_a_running_run_and_its_last_task(store):
    recorded_run(store, TOY, until=1)
    page = well(opened(PAGE, view="actions"))
    assert "Follows a run" in texts(page.caption)
    (figure,) = figures(page)
    assert all(len(trace["customdata"]) == 1 for trace in named(figure))
    for view in ("heatmap", "drops", "runs"):
        well(opened(PAGE, view=view))


def test_a_run_that_learns_all_at_once_opens(store):
    owner = new_owner()
    id = store.create(TOY, claimed_by=owner)
    store.record(id, ActionsKnown((0, 1), ("a", "b")), owner)
    for on in range(3):
        store.record(id, ActionProbabilities(2, on, (0, 1), (0.5, 0.25), (3, 4)), owner)
    for view in ("actions", "heatmap", "drops", "runs"):
        well(opened(PAGE, view=view))


@pytest.mark.slow
def test_thousands_of_actions_make_no_message_of_5_mb_and_few_marks(store):
    count = 5186  # those of NLMap(qt), here all in one task
    rng = np.random.default_rng(0)
    for seed in range(2):
        owner = new_owner()
        id = store.create(TOY.with_(seed=seed), claimed_by=owner)
        store.record(id, RunStarted(("a", "b"), (9, 9), (9, 9), (), count, 9, 9, "cpu"), owner)
        texts = tuple(f"keyval ( 'name' , 'A place of some name {n}' )" for n in range(count))
        store.record(id, ActionsKnown(tuple(range(count)), texts), owner)
        for k, i in ((0, 0), (1, 0), (1, 1)):
            columns = (tuple(range(count)), tuple(rng.random(count).tolist()), (7,) * count)
            store.record(id, ActionProbabilities(k, i, *columns), owner)
    for view, rows in (("actions", "40"), ("heatmap", "300"), ("drops", "40"), ("runs", "40")):
        page = well(opened(PAGE, run="1", other="2", view=view, rows=rows))
        drawn = page.get("plotly_chart")
        elements = [*drawn, *page.dataframe, *page.selectbox]
        sizes = [each.proto.ByteSize() for each in elements]
        assert sum(sizes) < 5e6, view
        assert len(drawn)
        if view == "heatmap":
            assert len(figures(page)[0]["layout"]["yaxis"]["ticktext"]) == 300


def test_a_run_that_told_nothing_is_named_and_another_offered(store):
    older = finished_run(store, RunConfig(), "<old> *one*")
    recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(older)))
    assert "recorded no probabilities of actions" in texts(page.info)
    assert "<old>" not in texts(page.info)
    page = well(page.button(key="offer/2").click().run())
    assert len(figures(page)) == 1


@pytest.mark.parametrize(
    "address",
    [
        {"run": "x", "other": "1", "task": "none", "view": "?", "action": "-1", "each": "99"},
        {
            "action": "many",
            "kind": "x",
            "memory": "in",
            "least": "-5",
            "most": "-1",
            "each": "x",
            "find": "<b>",
        },
        {"view": "heatmap", "order": "x", "rows": "1e9", "action": "999999"},
        {"view": "runs", "other": "999"},
    ],
)
def test_a_nonsensical_address_is_no_accident(store, address):
    recorded_run(store, TOY)
    well(opened(PAGE, **address))
