"""From actions to rows to steps: what the tables list, how parses are laid beside gold."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis import alignment, drilldown
from core.analysis.alignment import ABSENT, OTHER, SAME, WRONG, align
from core.config import RunConfig
from core.data.base import DataError, FormReader
from core.events import ActionsKnown
from core.inspection.parsers import Parsers
from core.language.derivation import Action, actions_to_logical_form
from core.language.tree import Node, read
from core.runs.execution import execute
from core.runs.owner import new_owner
from tests.conftest import make_toy_tasks
from tests.made_up import finished_run, recorded_run
from tests.parser.reference import greedy

TOY = RunConfig(dataset="toy")
BIG = Action(read("( size big )", "s_expression"))
SMALL = Action(read("( size small )", "s_expression"))
NAMES = ["zoo", "port", "farm"]


@pytest.fixture
def run(store):
    return store.run(recorded_run(store, TOY))


# --- rows -------------------------------------------------------------------------------------


def test_the_rows_of_an_action_are_those_whose_derivation_has_it(store, run):
    task = make_toy_tasks()[0]
    predictions = drilldown.predictions_on(store, run.id, 0)
    table = drilldown.row_table(predictions, task, NAMES, BIG)
    assert sorted(table.row) == [
        row for row, example in enumerate(task.test) if "size big" in example.logical_form
    ]
    assert len(drilldown.row_table(predictions, task, NAMES)) == len(task.test)
    assert drilldown.row_table(predictions, task, NAMES, Action(Node("none"))).empty


def test_p_of_a_row_is_that_of_the_actions_step_or_of_all_steps(store, run):
    task = make_toy_tasks()[0]
    predictions = drilldown.predictions_on(store, run.id, 0)
    of_action = drilldown.row_table(predictions, task, NAMES, BIG).set_index("row")
    whole = drilldown.row_table(predictions, task, NAMES).set_index("row")
    for line in predictions.itertuples():
        example = task.test[line.row]
        assert whole.curve[line.row][line.after] == pytest.approx(math.prod(line.gold))
        if line.row in of_action.index:
            (step_index,) = [t for t, step in enumerate(example.derivation) if step.action == BIG]
            assert of_action.curve[line.row][line.after] == line.gold[step_index]
    assert of_action.final.is_monotonic_increasing  # the worst first
    assert whole.final.is_monotonic_increasing
    assert (of_action["first"] == [curve[0] for curve in of_action.curve]).all()


def test_right_and_wrong_after_each_task_and_since_when(store, run):
    predictions = drilldown.predictions_on(store, run.id, 0)
    table = drilldown.row_table(predictions, make_toy_tasks()[0], NAMES).set_index("row")
    for row, line in table.iterrows():
        right = predictions[predictions.row == row].sort_values("after").correct.tolist()
        assert line.outcomes == "".join("✓" if correct else "✗" for correct in right)
        assert line.correct == right[-1]
        assert line.wrong_since == (
            ""
            if right[-1]
            else NAMES[1 + max((k for k, correct in enumerate(right) if correct), default=-1)]
        )
        wrong = predictions[(predictions.row == row) & (predictions.after == 2)].first_wrong.iloc[0]
        assert (line.first_wrong is not None) == (not right[-1])
        if not right[-1]:
            assert line.first_wrong == wrong + 1
    assert set(table.outcomes) == {"✓✗✗"}  # each row of zoo needs an action of its own
    last = drilldown.row_table(
        drilldown.predictions_on(store, run.id, 2), make_toy_tasks()[2], NAMES
    )
    assert set(last.outcomes) == {"✓"}
    assert set(last.wrong_since) == {""}


def test_rows_whose_form_the_grammar_cannot_write_have_no_p_and_come_last(store, run, monkeypatch):
    reader = FormReader()
    strange = reader.example("what glows", "( list ( all ( type lamp ) ) )")
    task = make_toy_tasks()[0]
    task = type(task)(task.name, task.train, (), (strange, *task.test[1:]))
    predictions = drilldown.predictions_on(store, run.id, 0)
    predictions["gold"] = [
        [] if row == 0 else gold
        for row, gold in zip(predictions.row, predictions.gold, strict=True)
    ]
    table = drilldown.row_table(predictions, task, NAMES)
    assert table.row.iloc[-1] == 0
    assert math.isnan(table.final.iloc[-1])
    grammar = drilldown.read_learned(TOY).grammar
    assert drilldown.why_not_covered(grammar, strange.derivation, 2, NAMES) == [
        "",
        "",
        "not in the grammar",
    ]


def test_a_step_that_a_later_task_shows_is_not_known_before(store):
    grammar = drilldown.read_learned(TOY).grammar
    steps = make_toy_tasks()[2].train[3].derivation  # the longest field
    before = drilldown.why_not_covered(grammar, steps, 1, NAMES)
    assert set(before) == {"", "not known before farm"}
    assert set(drilldown.why_not_covered(grammar, steps, 2, NAMES)) == {""}


def test_what_is_not_told_is_not_there(store, run):
    older = finished_run(store, RunConfig())
    assert drilldown.predicted(store, [run.id, older]) == {run.id}
    assert drilldown.predicted_tasks(store, run.id) == (0, 1, 2)
    assert drilldown.predicted_tasks(store, older) == ()
    assert drilldown.row_table(
        drilldown.predictions_on(store, older, 0), make_toy_tasks()[0], NAMES
    ).empty


def test_other_data_than_the_run_learned_are_noticed(store, run):
    learned = drilldown.read_learned(TOY)
    drilldown.check_same(store, run, learned)
    with pytest.raises(DataError, match="not those that run"):
        drilldown.check_same(store, run, drilldown.read_learned(TOY.with_(order_seed=2)))
    store.record(run.id, ActionsKnown((0,), ("something else",)))
    with pytest.raises(DataError, match="not those that run"):
        drilldown.check_same(store, run, learned)


@pytest.mark.slow
def test_the_recorded_predictions_are_what_the_kept_parsers_parse(store, toy_config):
    owner = new_owner()
    id = store.create(toy_config.with_(method="finetune", epochs=6), claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == "finished", run.error
    parsers = Parsers(run)
    for on in range(3):
        predictions = [drilldown.predictions_on(store, id, on, row) for row in range(5)]
        for row, example in enumerate(parsers.tasks[on].test):
            for line in predictions[row].itertuples():
                with parsers.after(line.after) as parser:
                    actions, log_prob, complete = greedy(parser, example.words, on)
                    assert list(line.parse) == actions
                    assert line.log_prob == pytest.approx(log_prob, abs=1e-4)
                    assert line.complete == complete
                    tree = alignment.written(parser.grammar, line.parse)
                assert line.correct == (complete and str(tree) == example.logical_form)


# --- alignment --------------------------------------------------------------------------------

SEQUENCES = st.lists(st.sampled_from("abcd"), max_size=9)


@given(SEQUENCES.filter(bool), st.lists(SEQUENCES, min_size=1, max_size=3))
def test_every_column_of_an_alignment_reads_as_its_sequence(gold, parses):
    alignment_table = align(gold, dict(enumerate(parses)))
    assert [text for text in alignment_table.texts.gold if text] == gold
    assert alignment_table.texts.step.dropna().tolist() == list(range(1, len(gold) + 1))
    for k, parse in enumerate(parses):
        assert [text for text in alignment_table.texts[k] if text] == parse
        marks = alignment_table.marks[k].tolist()
        same = 0
        while same < min(len(gold), len(parse)) and gold[same] == parse[same]:
            same += 1
        if gold == parse:
            assert set(marks) <= {SAME, ABSENT}
            continue
        assert marks.count(WRONG) == 1
        wrong = marks.index(WRONG)
        before = alignment_table.texts[:wrong]
        assert [text for text in before[k] if text] == parse[:same]
        if same < len(gold):  # it stands beside the gold step that it should have been
            assert alignment_table.texts.step[wrong] == same + 1
        for mark, mine, expected in zip(
            marks, alignment_table.texts[k], alignment_table.texts.gold, strict=True
        ):
            assert (mark == SAME) == bool(expected and mine == expected)
            assert mark in (SAME, WRONG) or (mark == OTHER) == bool(mine)


def test_after_the_first_wrong_step_equal_steps_meet_again():
    table = align("abcdef", {0: list("abXYdef"), 1: list("abdef"), 2: list("ab")})
    lines = table.texts.fillna(0).to_numpy().tolist()
    assert [line[1] for line in lines if line[1]] == list("abcdef")
    (d,) = table.texts.index[table.texts.gold == "d"]
    assert table.texts[0][d] == "d"
    assert table.marks[2].tolist().count(WRONG) == 1


def test_a_parse_gone_astray_does_not_fill_the_page():
    long = align(["a"], {0: ["b", *["x"] * 500]})
    assert len(long.texts) == 1 + alignment.MOST_EXTRA
    assert long.texts[0].iloc[-1] == f"… and {501 - alignment.MOST_EXTRA} more"
    whole = align(["a"], {0: ["b", *["x"] * alignment.MOST_EXTRA]})
    assert whole.texts[0].tolist() == ["b", *["x"] * alignment.MOST_EXTRA]
    cut = align(["a"], {0: ["b", *["x"] * (alignment.MOST_EXTRA + 1)]})
    assert cut.texts[0].tolist()[-2:] == ["x", "… and 2 more"]


# --- trees ------------------------------------------------------------------------------------


def form(text: str) -> Node:
    return read(text, "s_expression")


def test_a_parse_that_never_ended_is_written_with_its_gaps():
    grammar = drilldown.read_learned(TOY).grammar
    for task in make_toy_tasks():
        for row in task.train:
            numbers = [grammar.action_ids[step.action] for step in row.derivation]
            assert str(alignment.written(grammar, numbers)) == row.logical_form
            for cut in range(len(numbers)):
                text = str(alignment.written(grammar, numbers[:cut]))
                still = 1 + sum(len(grammar.actions[n].slots) - 1 for n in numbers[:cut])
                assert text.count(alignment.OPEN) == still


@pytest.mark.parametrize(
    ("gold", "parse", "mine", "theirs"),
    [
        ("( f ( g x ) y )", "( f ( g x ) y )", set(), set()),
        ("( f ( g x ) y )", "( f ( g z ) y )", {2}, {2}),
        ("( f ( g x ) y )", "( f ( h x ) y )", {1}, {1}),
        ("( f ( g x ) y )", "( f ( g x ) )", {3}, set()),
        ("( f x )", "( f x ( g y ) )", set(), {2, 3}),
        ("( f ( g x ) )", "( h ( g x ) ( g x ) )", {0, 1, 2}, {0, 1, 2, 3, 4}),
        ("x", "( x y )", set(), {1}),
    ],
)
def test_nodes_that_the_other_tree_lacks_are_marked(gold, parse, mine, theirs):
    assert alignment.differing_nodes(form(gold), form(parse)) == (mine, theirs)
    assert alignment.differing_nodes(form(parse), form(gold)) == (theirs, mine)


def test_the_gold_tree_is_that_of_the_derivation():
    row = make_toy_tasks()[0].test[1]
    assert (
        str(actions_to_logical_form([step.action for step in row.derivation])) == row.logical_form
    )
