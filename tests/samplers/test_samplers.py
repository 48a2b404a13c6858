"""What holds for every sampler there is."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.data.base import Example, FormReader, Task
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser.batch import Vocabulary
from core.parser.model import Parser
from core.registry import samplers
from core.samplers.base import Selection, select

NAMES = list(samplers)
READ = FormReader().example


def parser_for(examples: Sequence[Example]) -> Parser | None:
    """A small parser that knows these rows as its only task; none where there are no rows."""
    if not examples:
        return None
    config = RunConfig(word_size=5, hidden_size=6, action_size=4)
    vocabulary = Vocabulary([row.words for row in examples])
    return Parser(
        config, vocabulary, Grammar([[row.derivation for row in examples]]), Generators(0)
    )


def choose(name: str, examples: Sequence[Example], size: int, seed: int = 0) -> Selection:
    parser = parser_for(examples) if samplers[name].parser else None
    config = RunConfig(sampler=name, memory_size=size)
    return select(config, examples, np.random.default_rng(seed), parser)


def rows_of(*forms: str) -> list[Example]:
    return [READ(f"row {number}", form) for number, form in enumerate(forms)]


def global_state() -> tuple:
    drawn = tuple(np.random.get_state()[1])  # noqa: NPY002 - is it left alone?
    return random.getstate(), drawn, tuple(torch.get_rng_state().tolist())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [0, 1, 2, 4, 7, 10])
def test_selection_is_distinct_rows_of_the_size_asked_for(
    name: str, size: int, toy_tasks: tuple[Task, ...]
):
    rows = choose(name, toy_tasks[0].train, size).indices
    assert len(rows) == len(set(rows)) == size
    assert all(type(row) is int and 0 <= row < 10 for row in rows)


@pytest.mark.parametrize("name", NAMES)
def test_fewer_rows_than_asked_for_are_all_kept(name: str, toy_tasks: tuple[Task, ...]):
    assert sorted(choose(name, toy_tasks[0].train, 99).indices) == list(range(10))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "forms",
    [
        ["( f x )"] * 6,  # all alike, one action only
        ["( f x )"] * 5 + ["( g x )"],
        ["x"] * 3 + ["y"] * 3,  # no internal node
    ],
)
def test_forms_that_hardly_differ_fill_the_memory(name: str, forms: list[str]):
    for size in (1, 2, 4):
        assert len(set(choose(name, rows_of(*forms), size).indices)) == size


@pytest.mark.parametrize("name", NAMES)
def test_slots_and_actions_never_seen_are_no_hindrance(name: str, toy_tasks: tuple[Task, ...]):
    entry = samplers[name]
    parser = parser_for(toy_tasks[0].train)
    strange = rows_of("( new ( slot ( of x ) ) )", "( new ( slot ( of y ) ) )")
    for rows in (strange, [*toy_tasks[0].train, *strange]):
        for size in (1, len(rows) - 1):
            chosen = entry.value(rows, size, entry.options(), np.random.default_rng(0), parser)
            assert len(set(chosen.indices)) == size


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_are_no_memory(name: str):
    assert choose(name, [], 5).indices == ()


@pytest.mark.parametrize("name", NAMES)
def test_same_input_same_choice_and_no_global_randomness(name: str, toy_tasks: tuple[Task, ...]):
    before = global_state()
    first, second = (choose(name, toy_tasks[1].train, 3, seed=4) for _ in range(2))
    assert first == second
    assert global_state() == before


@pytest.mark.parametrize("name", [name for name in NAMES if samplers[name].parser])
def test_parser_is_left_as_it_was(name: str, toy_tasks: tuple[Task, ...]):
    rows, entry = toy_tasks[0].train, samplers[name]
    parser = parser_for(rows).train()
    before = {name: value.clone() for name, value in parser.state_dict().items()}
    rng = parser.rng.get_state()
    entry.value(rows, 3, entry.options(), np.random.default_rng(0), parser)
    assert all((before[name] == value).all() for name, value in parser.state_dict().items())
    assert all(parameter.grad is None for parameter in parser.parameters())
    assert all(module.training for module in parser.modules())
    assert (parser.rng.get_state() == rng).all()  # no dropout was drawn


@pytest.mark.parametrize("name", NAMES)
def test_trace_goes_into_json_and_back(name: str, toy_tasks: tuple[Task, ...]):
    trace = choose(name, toy_tasks[0].train, 3).trace
    assert json.loads(json.dumps(trace)) == trace


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (
            Selection((0, 1)),
            "sampler 'bad': of the numbers from 0 to 9 expected 3, each once, found 2",
        ),
        (Selection((0, 1, 1)), "found 3, of which 2 differ"),
        (Selection((0, 1, 10)), "of the numbers from 0 to 9 expected 3"),
        (Selection((0, 1, 2), {"n": np.zeros(2)}), "sampler 'bad': its trace holds more than"),
    ],
)
def test_a_selection_that_cannot_be_kept_is_said(selection, message, toy_tasks, monkeypatch):
    def bad(examples, size, options, rng, parser):
        """Bad."""
        return selection

    monkeypatch.setitem(
        samplers._entries, "bad", replace(samplers["random"], name="bad", value=bad)
    )
    with pytest.raises(ValueError, match=message):
        choose("bad", toy_tasks[0].train, 3)
