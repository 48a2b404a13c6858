"""The drill-down page: rows of an action, a row after every task, what is missing said."""

import json

import pytest

from core.analysis import drilldown as analysis
from core.config import RunConfig
from core.data.base import FormReader, Task
from core.events import ActionsKnown, Predictions
from core.registry import datasets
from core.runs.execution import execute
from core.runs.owner import new_owner
from pages.shared.ui import tables
from tests.conftest import make_toy_tasks
from tests.made_up import finished_run, recorded_run
from tests.pages.sessions import figures, key_of, numbers, opened, texts, well, widget

PAGE = "pages/drilldown.py"
TOY = RunConfig(dataset="toy")


def number_of(text: str) -> int:
    actions = analysis.read_learned(TOY).grammar.actions
    (match,) = [number for number, action in enumerate(actions) if str(action) == text]
    return match


def test_nothing_told_says_what_to_do(store):
    assert "No run yet" in texts(well(opened(PAGE)).info)
    older = finished_run(store, RunConfig())
    page = well(opened(PAGE, run=str(older)))
    assert "Record predictions" in texts(page.info)
    recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(older)))
    assert "recorded no predictions" in texts(page.info)


def test_the_rows_of_an_action_and_the_worst_of_them_are_shown(store):
    id = recorded_run(store, TOY)
    action = number_of("GEN ( size big )")
    page = well(opened(PAGE, run=str(id), task="zoo", action=str(action)))
    rows = page.dataframe[0].value
    examples = make_toy_tasks()[0].test
    assert [row for row in rows.row] == [
        at for at, example in enumerate(examples) if "size big" in example.logical_form
    ]
    worst = int(rows.row.iloc[0])
    assert f"Test row {worst} of zoo" in texts(page.subheader)
    assert examples[worst].utterance in texts(page.text)
    assert examples[worst].logical_form in texts(page.code)
    assert len(figures(page)) == 2  # the strip, the trees


def test_the_first_wrong_step_is_marked_in_strip_and_table(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), task="zoo", row="1"))
    predictions = analysis.predictions_on(store, id, 0, 1)
    steps = page.dataframe[1].value
    assert steps.step.dropna().tolist() == [1, 2, 3, 4, 5]
    for line in predictions.itertuples():
        cells = steps[str(line.after)].tolist()
        marked = [step for step, cell in zip(steps.step, cells, strict=True) if "✗" in str(cell)]
        assert marked == ([] if line.correct else [line.first_wrong + 1])
    (strip, _) = figures(page)
    marks = strip["data"][1]["text"]
    wrong = predictions.first_wrong.dropna()
    assert [at % 5 for at, text in enumerate(marks) if text] == wrong.tolist()


def test_columns_of_steps_are_as_wide_as_their_texts(store, monkeypatch):
    id = recorded_run(store, TOY)
    monkeypatch.setattr(tables, "LETTER", 22.0)
    steps = well(opened(PAGE, run=str(id), task="zoo", row="1")).dataframe[1]
    columns = json.loads(steps.proto.columns)
    assert columns["gold"]["width"] == 22 * steps.value.gold.str.len().max() + tables.AROUND


def test_what_is_chosen_comes_back_from_the_address(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), task="zoo", row="3", after="port", show="wrong"))
    assert "Test row 3 of zoo" in texts(page.subheader)
    assert widget(page, "selectbox", "The parser after task").value == "port"
    assert "Parse after port" in json.dumps(figures(page)[1])
    again = well(opened(PAGE, **{k: numbers(page.query_params[k]) for k in page.query_params}))
    assert figures(again) == figures(page)


def test_clicks_choose_a_row_and_then_the_task_after_which(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), task="zoo"))
    second = int(page.dataframe[0].value.row.iloc[1])
    key = key_of(page.dataframe, "Drill-down/rows")
    page.session_state[key] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page = well(page.run())
    assert numbers(page.query_params["row"]) == str(second)
    assert f"Test row {second} of zoo" in texts(page.subheader)
    key = key_of(page.get("plotly_chart"), "Drill-down/strip")
    page.session_state[key] = {"selection": {"points": [{"customdata": 0}]}}
    page = well(page.run())
    assert numbers(page.query_params["after"]) == "zoo"


def test_filters_of_rows(store):
    id = recorded_run(store, TOY)
    assert len(opened(PAGE, run=str(id), task="port").dataframe[0].value) == 5
    matches = well(opened(PAGE, run=str(id), task="port", find="CAPTAIN")).dataframe[0].value
    assert ["captain" in text for text in matches.utterance] == [True]
    forgotten = well(opened(PAGE, run=str(id), task="port", show="forgotten")).dataframe[0].value
    assert set(forgotten.outcomes) == {"✓✗"}
    page = well(opened(PAGE, run=str(id), task="farm", show="wrong"))
    assert "No row is like that" in texts(page.info)
    assert "0 of 5 test rows that are wrong at the end" in texts(page.markdown)
    assert not page.subheader  # no analysis of a row that is not listed
    assert not len(page.dataframe)


def test_an_action_that_no_test_row_uses_is_said(store):
    @datasets.register("lopsided", label="Lopsided", rank=1001)
    def lopsided(options: object) -> tuple[Task, ...]:
        """Toy tasks the first of which tests a single row."""
        first, *rest = make_toy_tasks()
        return (Task(first.name, first.train, (), first.test[:1]), *rest)

    try:
        id = recorded_run(store, TOY.with_(dataset="lopsided"))
        action = number_of("GEN ( size big )")
        page = well(opened(PAGE, run=str(id), task="zoo", action=str(action)))
        assert "No test row of this task uses this action; its training rows do so 2" in texts(
            page.info
        )
        assert "GEN ( size big )" in texts(page.code)
    finally:
        datasets._entries.pop("lopsided")


def test_a_form_that_the_grammar_cannot_write_has_its_step_marked(store):
    @datasets.register("strange", label="Strange", rank=1001)
    def strange(options: object) -> tuple[Task, ...]:
        """Toy tasks with a test row whose form no training row helps to write."""
        first, *rest = make_toy_tasks()
        lamp = FormReader().example("which lamps", "( list ( all ( type lamp ) ) )")
        return (Task(first.name, first.train, (), (lamp, *first.test)), *rest)

    try:
        id = recorded_run(store, TOY.with_(dataset="strange"))
        page = well(opened(PAGE, run=str(id), task="zoo", row="0"))
        steps = page.dataframe[1].value
        assert list(steps.grammar[steps.step == 3]) == ["not in the grammar"]
        assert set(steps.grammar[steps.step != 3]) == {""}
        assert "can't write this form" in texts(page.info)
        assert len(figures(page)) == 1  # the trees
        rows = page.dataframe[0].value
        assert rows.row.iloc[-1] == 0
    finally:
        datasets._entries.pop("strange")


def test_other_data_than_the_runs_are_said(store):
    id = recorded_run(store, TOY)
    store.record(id, ActionsKnown((0,), ("another grammar",)))
    page = well(opened(PAGE))
    assert "are not those that run" in texts(page.info)
    assert not figures(page)


def test_attention_is_computed_on_a_click_only_and_says_where_no_parser_is_kept(store):
    id = recorded_run(store, TOY)
    page = well(opened(PAGE, run=str(id), task="zoo"))
    (button,) = [b for b in page.button if b.label.startswith("Look into")]
    page = well(button.click().run())
    assert "has kept no parser" in texts(page.error)


@pytest.mark.slow
@pytest.mark.parametrize("along", ["parse", "gold"])
def test_attention_of_a_kept_parser(store, toy_config, along):
    owner = new_owner()
    id = store.create(toy_config.with_(method="finetune"), claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == "finished", run.error
    page = well(opened(PAGE, run=str(id), task="zoo", row="1", after="zoo", along=along))
    assert len(figures(page)) == 2
    (button,) = [b for b in page.button if b.label.startswith("Look into")]
    page = well(button.click().run())
    heat = figures(page)[2]["data"][0]
    predictions = analysis.predictions_on(store, id, 0, 1)
    parse = predictions.parse[predictions.after == 0].iloc[0]
    count = 5 if along == "gold" else len(parse)
    assert len(figures(page)[2]["layout"]["yaxis"]["ticktext"]) == count
    assert len(figures(page)[2]["layout"]["xaxis"]["ticktext"]) == 4  # animals that are big
    assert heat["type"] == "heatmap"
    best = page.dataframe[-1].value
    assert best.p.is_monotonic_decreasing
    again = well(opened(PAGE, run=str(id), task="zoo", row="1", after="zoo", along=along))
    assert len(figures(again)) == 3  # what was computed once opens at once


def test_a_running_run_shows_what_it_told_so_far(store):
    recorded_run(store, TOY, until=2)
    page = well(opened(PAGE))
    assert widget(page, "selectbox", "Test rows of task").options == ["zoo", "port"]
    assert len(figures(page)) == 2


def test_nothing_is_told_of_a_parse_that_is_empty(store):
    id = recorded_run(store, TOY)
    row = ((0,), (False,), ((),), (False,), (-3.0,), (0,), ((0.0, 0.0, 0.0),))
    store.record(id, Predictions(0, 0, *row))
    well(opened(PAGE, run=str(id), task="zoo", row="0", after="zoo"))


@pytest.mark.parametrize(
    "address",
    [
        {"run": "x", "task": "none", "action": "-1", "row": "-1", "after": "?", "show": "?"},
        {"action": "999", "row": "999", "along": "x", "find": "<b>", "step": "x"},
        {"row": "many", "action": "many"},
    ],
)
def test_a_nonsensical_address_is_no_accident(store, address):
    recorded_run(store, TOY)
    page = well(opened(PAGE, **address))
    if "run" in address:  # none that is there
        page = well(page.button(key="offer/1").click().run())
    assert "Test row" in texts(page.subheader) or "No row is like that" in texts(page.info)


def test_what_is_listed_is_said(store):
    id = recorded_run(store, TOY)
    said = lambda **address: texts(well(opened(PAGE, run=str(id), task="port", **address)).markdown)  # noqa: E731
    assert "All 5 test rows, the worst first" in said()
    assert "1 of 5 test rows with “captain” in them, the worst first" in said(find="captain")
    wrong = said(show="wrong")
    assert "of 5 test rows that are wrong at the end, the worst first" in wrong
    assert "all test rows" not in wrong.lower()


def test_two_runs_are_looked_at_on_the_same_row(store):
    kept = recorded_run(store, TOY, kept=1.0)
    lost = recorded_run(store, TOY.with_(seed=1), kept=0.2)
    address = {"run": str(kept), "other": str(lost), "task": "zoo"}
    rows = {show: well(opened(PAGE, **address, show=show)) for show in ("all", "lost")}
    table = rows["all"].dataframe[0].value
    alone = analysis.predictions_on(store, lost, 0)
    last = alone[alone.after == alone.after.max()].set_index("row").correct
    first = analysis.predictions_on(store, kept, 0)
    right = first[first.after == first.after.max()].set_index("row").correct
    expected = {row for row in last.index if right[row] and not last[row]}
    assert expected
    page = rows["lost"]
    assert set(page.dataframe[0].value.row) == expected
    assert set(table.beside.str[-1]) == {"✓" if r else "✗" for r in last}
    html = "".join(each.proto.body for each in page.get("html"))
    assert "<mark>" in html
    assert "TR, seed 0, after farm" in html
    assert "TR, seed 1, after farm" in html
    assert len(figures(page)) == 4  # gold steps and trees of both
    page = well(opened(PAGE, **address, show="won"))
    assert not page.subheader
    assert "No row is like that" in texts(page.info)
