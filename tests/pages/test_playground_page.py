"""The playground: what is typed or picked, parsed by the parser after each task of a run or two."""

import json
import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from core.config import RunConfig
from core.inspection.parsers import Parsers
from core.inspection.steps import BEST
from core.paths import PROJECT
from core.runs import checkpoints
from core.runs.store import Store
from pages.shared.access import parsers as shared
from pages.shared.ui.text import escape, visible
from tests.conftest import make_toy_tasks
from tests.made_up import SMALL, finished_run, keep_parsers, recorded_run
from tests.pages.sessions import frames, numbers, opened, texts, well, widget

PAGE = "pages/playground.py"
TOY = RunConfig(dataset="toy", method="finetune", **SMALL)
NASTY = "<b>all</b> :red[animals] *x* $a$ [q](http://x) `c` 🦊 \x07 \u202eships"


def kept_run(store: Store, config: RunConfig = TOY, name: str = "") -> int:
    id = recorded_run(store, config, name)
    keep_parsers(store, id)
    return id


def parsed(page: AppTest) -> AppTest:
    return well(widget(page, "button", "Parse").click().run())


def test_without_a_parser_it_says_what_to_do(store):
    page = well(opened(PAGE))
    assert "No run yet" in texts(page.info)
    finished_run(store, RunConfig())  # one whose files were deleted
    page = well(opened(PAGE))
    assert "No run has kept a parser" in texts(page.info)
    assert len(page.get("page_link")) >= 2


def test_nothing_is_loaded_before_a_click_and_then_it_opens_at_once(store, monkeypatch):
    kept_run(store)
    made = []
    monkeypatch.setattr(shared, "Parsers", lambda run: made.append(run.id) or Parsers(run))
    page = well(opened(PAGE, utterance="show all animals"))
    assert not frames(page)
    assert made == []
    page = parsed(page)
    assert made == [1]
    again = well(opened(PAGE, utterance="show all animals"))
    for before, after in zip(frames(page), frames(again), strict=True):
        assert before.equals(after)
    assert made == [1]


@pytest.mark.slow
def test_the_page_alone_loads_no_torch():
    code = "import sys, pages.shared.playground.views as v; assert 'torch' not in sys.modules, v"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)


def test_every_parser_of_the_run_answers(store):
    id = kept_run(store)
    page = parsed(opened(PAGE, utterance="Ships that are  BIG", after="2"))
    parses, _gold, steps = frames(page)
    parsers = Parsers(store.run(id))
    traces = [parsers.explain(k, "ships that are big", 1) for k in range(3)]
    assert list(parses.after) == ["1 · zoo", "2 · port", "3 · farm"]
    assert parses.probability.to_numpy() == pytest.approx([t.probability for t in traces])
    for trace, form, complete in zip(traces, parses.logical_form, parses.complete, strict=True):
        assert (form == trace.logical_form) == trace.complete
        assert complete == ("✓" if trace.complete else "✗")
    assert list(steps.action) == [step.action for step in traces[1].steps]
    for row, step in zip(steps.to_dict("records"), traces[1].steps, strict=True):
        assert row["slot"] == step.slot
        assert row["probability"] == pytest.approx(step.probability)
        for rank in range(BEST):
            cell = row[str(rank + 1)]
            if rank < len(step.best):
                name, probability = step.best[rank]
                assert cell == f"{probability:.3f}  {name}"
            else:
                assert cell == ""
    (figure,) = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    assert figure["data"][0]["type"] == "heatmap"


def test_a_picked_row_brings_its_form_and_its_task(store):
    kept_run(store)
    row = make_toy_tasks()[1].test[2]
    address = {"source": "test", "task": "port", "row": "2"}
    page = parsed(opened(PAGE, **address))
    assert row.logical_form in texts(page.code)
    assert list(frames(page)[0].read_as) == ["1 · zoo", "2 · port", "2 · port"]
    assert set(frames(page)[0].right) <= {"✓", "✗"}
    page = parsed(opened(PAGE, **address | {"as": "zoo"}))
    assert set(frames(page)[0].read_as) == {"1 · zoo"}
    page = opened(PAGE, source="train", task="farm", find="LONGEST")
    assert len(widget(page, "selectbox", "Row").options) == 2
    page = well(opened(PAGE, source="train", find="no such words"))
    assert "No row has this in it" in texts(page.info)


def test_the_form_of_the_row_is_recognised(store):
    id = kept_run(store)
    tasks, parsers = make_toy_tasks(), Parsers(store.run(id))
    for at, row in enumerate(tasks[0].test):
        right = [parsers.explain(k, row.utterance, 0).logical_form for k in range(3)]
        page = parsed(opened(PAGE, source="test", task="zoo", row=str(at)))
        marks = list(frames(page)[0].right)
        assert marks == ["✓" if form == row.logical_form else "✗" for form in right]


def test_two_runs_stand_side_by_side_and_no_more(store):
    ids = [kept_run(store, TOY.with_(seed=s), f"run {s}") for s in range(3)]
    page = parsed(opened(PAGE, run="3,1,2", utterance="show all fields"))
    assert widget(page, "selectbox", "Beside it").value == "1"
    assert len(frames(page)) == 6
    assert len(page.get("plotly_chart")) == 2
    for frame, id in zip(frames(page)[:2], (ids[2], ids[0]), strict=True):
        trace = Parsers(store.run(id)).explain(0, "show all fields", 2)
        assert frame.probability[0] == pytest.approx(trace.probability)


def test_unknown_words_are_marked(store):
    kept_run(store)
    page = parsed(opened(PAGE, utterance="show all unicorns"))
    (line,) = [m.value for m in page.markdown if "unicorns" in m.value]
    assert line == "show all :orange-background[unicorns]"
    assert "one unknown word" in texts(page.caption)
    assert "one unknown word" not in texts(parsed(opened(PAGE, utterance="show all ships")).caption)


def test_words_behind_a_transformers_limit_are_counted(store, monkeypatch):
    kept_run(store)
    monkeypatch.setattr("core.inspection.steps.unread", lambda parser, words: 1)
    page = parsed(opened(PAGE, utterance="show all ships"))
    assert "of the last 1 word nothing is known" in texts(page.warning)


@pytest.mark.parametrize(
    "typed",
    [NASTY, "🦊 🦊", "\x00\x1b[31m", "w" * 10_000, "all animals " * 900],
    ids=["markup", "emoji", "control", "one long word", "many words"],
)
def test_whatever_is_typed_is_shown_as_text_and_parsed(store, typed):
    kept_run(store)
    page = well(opened(PAGE))
    widget(page, "text_area", "Utterance").set_value(typed).run()
    page = parsed(page)
    assert len(frames(page)[0]) == 3
    words = typed.lower().split()
    (line,) = [m.value for m in page.markdown if escape(visible(words[0]))[:40] in m.value]
    for mark in ("<b>", ":red[", "\x07", "\x00", "\x1b", "\u202e", "](http"):
        assert mark not in line
    assert ("at most 100 words" in texts(page.warning)) == (len(typed) > 5000)


@pytest.mark.parametrize("typed", ["", "   ", "\n\n"])
def test_nothing_typed_is_nothing_to_parse(store, typed):
    kept_run(store)
    page = well(opened(PAGE))
    widget(page, "text_area", "Utterance").set_value(typed).run()
    assert "Type an utterance" in texts(well(page).info)
    assert "Parse" not in [button.label for button in page.button]


def test_a_parser_that_cannot_be_read_is_said_and_the_others_answer(store):
    id = kept_run(store)
    (checkpoints.folder(id) / "parser-1.pt").write_bytes(b"nothing")
    page = parsed(opened(PAGE, utterance="show all ships", after="2"))
    assert "can't be read" in texts(page.warning).replace("\\", "")
    assert list(frames(page)[0].after) == ["1 · zoo", "3 · farm"]
    assert "can't be read" in texts(page.info).replace("\\", "")


def test_a_run_that_kept_its_last_parser_only_shows_that(store):
    id = kept_run(store)
    last_only = kept_run(store, TOY.with_(seed=1))
    for k in (0, 1):
        (checkpoints.folder(last_only) / f"parser-{k}.pt").unlink()
    page = parsed(opened(PAGE, run=f"{id},{last_only}", utterance="show all ships", after="1"))
    assert [len(frame) for frame in frames(page)[:2]] == [3, 1]
    assert f"Run {last_only} has kept no parser after task 1" in texts(page.info).replace("\\", "")


def test_what_is_chosen_stands_in_the_address(store):
    kept_run(store)
    page = well(opened(PAGE))
    widget(page, "text_area", "Utterance").set_value("show  all\nships").run()
    assert numbers(page.query_params["utterance"]) == "show all ships"
    page = parsed(page)
    widget(page, "selectbox", "Step by step, after task").set_value("1").run()
    assert numbers(page.query_params["after"]) == "1"


@pytest.mark.parametrize(
    "address",
    [
        {"as": "nowhere"},
        {"after": "99"},
        {"source": "x", "row": "-3"},
        {"source": "test", "task": "x", "row": "1000"},
    ],
)
def test_a_nonsensical_address_is_no_accident(store, address):
    kept_run(store)
    page = well(opened(PAGE, **{"utterance": "show all ships"} | address))
    assert frames(parsed(page))


def test_the_gold_steps_have_their_rank_and_probability_however_improbable(store):
    id = kept_run(store)
    row = make_toy_tasks()[0].test[1]
    page = parsed(opened(PAGE, source="test", task="zoo", row="1"))
    _parses, gold, _steps = frames(page)
    parsers = Parsers(store.run(id))
    traces = [parsers.explain(k, row.utterance, 0, row.derivation) for k in range(3)]
    assert list(gold.action) == [str(step.action) for step in row.derivation]
    for k, trace in enumerate(traces):
        expected = [f"{s.probability:.3f} · {s.rank} of {s.applicable}" for s in trace.steps]
        assert list(gold[str(k)]) == expected
    assert max(step.rank for trace in traces for step in trace.steps) > 1


def test_a_typed_utterance_that_is_a_row_has_its_gold_form(store):
    kept_run(store)
    page = parsed(opened(PAGE, utterance="SHOW all  Animals"))
    assert make_toy_tasks()[0].test[0].logical_form in texts(page.code)
    page = parsed(opened(PAGE, utterance="show all animals at sea"))
    assert "The row's logical form" not in texts(page.markdown)


def test_three_examples_are_offered_and_one_click_fills_the_field(store):
    kept_run(store)
    page = well(opened(PAGE))
    offered = [b for b in page.button if "example" in b.key]
    assert len(offered) == 3
    known = {row.utterance for task in make_toy_tasks() for row in task.test}
    assert {button.label for button in offered} <= known
    wanted = offered[1].label
    page = well(offered[1].click().run())
    assert widget(page, "text_area", "Utterance").value == wanted
    assert numbers(page.query_params["utterance"]) == wanted


def test_a_word_is_changed_and_both_parses_are_shown(store):
    id = kept_run(store)
    page = well(opened(PAGE, utterance="ships that are big"))
    page = well(widget(page, "button", "Change a word").click().run())
    field = widget(page, "text_input", "Beside it, with a word changed")
    assert field.value == "ships that are big"
    field.set_value("ships that are fast").run()
    assert numbers(page.query_params["changed"]) == "ships that are fast"
    page = parsed(page)
    changed = frames(page)[1]
    parsers = Parsers(store.run(id))
    for k, row in enumerate(changed.to_dict("records")):
        left = parsers.explain(k, "ships that are big", 1)
        right = parsers.explain(k, "ships that are fast", 1)
        assert row["p"] == pytest.approx(left.probability)
        assert row["p_changed"] == pytest.approx(right.probability)
        assert row["same"] == ("=" if left.logical_form == right.logical_form else "≠")
    assert "ships that are :blue-background[fast]" in texts(page.markdown)
    page = well(widget(page, "button", "Leave out").click().run())
    assert "changed" not in page.query_params


def test_the_chosen_task_stays_when_another_utterance_is_parsed(store):
    ids = [kept_run(store, TOY.with_(seed=s)) for s in range(2)]
    page = parsed(opened(PAGE, run=f"{ids[0]},{ids[1]}", utterance="show all ships"))
    widget(page, "selectbox", "Step by step, after task").set_value("2").run()
    widget(page, "text_area", "Utterance").set_value("show all fields").run()
    page = parsed(page)
    assert widget(page, "selectbox", "Step by step, after task").value == "2"
    assert numbers(page.query_params["after"]) == "2"


def test_read_as_says_the_task_at_once(store):
    kept_run(store)
    page = well(opened(PAGE, source="test", task="zoo"))
    assert "Read as one of zoo" in texts(page.caption)
    widget(page, "selectbox", "Task").set_value("port").run()
    assert "Read as one of port" in texts(page.caption)
    label = widget(page, "selectbox", "Read as an utterance of task").options[0]
    assert (
        label == widget(well(opened(PAGE)), "selectbox", "Read as an utterance of task").options[0]
    )
