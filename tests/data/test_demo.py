"""The demo: as many rows as said, no two meanings of one utterance, hard and varied enough."""

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict

import numpy as np
import pytest

from core.config import RunConfig
from core.data.base import Example, Task
from core.data.demo import VALID_ROWS, DemoOptions, demo
from core.data.demo.domains import DOMAINS
from core.data.demo.schema import Flag
from core.events import Accuracy, ErrorCounts
from core.language.grammar import Grammar
from core.options import ConfigError
from core.paths import PROJECT
from core.training.sequence import train

SEEDS = [0, 1, 7]


def every_row(tasks: tuple[Task, ...]) -> list[Example]:
    return [row for task in tasks for row in (*task.train, *task.valid, *task.test)]


@pytest.fixture(params=SEEDS)
def tasks(request: pytest.FixtureRequest) -> tuple[Task, ...]:
    return demo(DemoOptions(seed=request.param))


def test_there_are_as_many_rows_as_said(tasks) -> None:
    assert len(tasks) >= 6
    for task, domain in zip(tasks, DOMAINS, strict=True):
        counts = (len(task.train), len(task.valid), len(task.test))
        assert counts == (domain.train, VALID_ROWS, domain.test)
        assert 250 <= counts[0] <= 400
        assert 60 <= counts[2] <= 80


def test_no_utterance_is_said_twice_so_none_has_two_meanings(tasks) -> None:
    said = Counter(" ".join(row.words) for row in every_row(tasks))
    assert max(said.values()) == 1


def test_most_test_forms_occur_in_training_and_some_do_not(tasks) -> None:
    for task in tasks:
        known = sum(row.logical_form in set(task.forms) for row in task.test) / len(task.test)
        assert 0.7 < known < 0.95


def test_nearly_every_test_form_can_be_written_after_training(tasks) -> None:
    for task in tasks:
        grammar = Grammar([[row.derivation for row in task.train]])
        writable = sum(grammar.encode(row.derivation) is not None for row in task.test)
        assert writable / len(task.test) > 0.95


def test_actions_are_shared_and_specific_in_good_numbers(tasks) -> None:
    grammar = Grammar([[row.derivation for row in task.train] for task in tasks])
    specific = grammar.specific_to(len(tasks) - 1)
    assert (specific.sum(axis=1) >= 12).all()
    assert (~specific.any(axis=0)).sum() >= 40
    by_rows = np.array([grammar.unseen(k).sum() for k in range(len(tasks))])
    assert (by_rows >= 12).all()  # every task brings something to learn


def test_forms_are_about_as_long_as_overnights(tasks) -> None:
    lengths = [len(row.derivation) for row in every_row(tasks)]
    assert 8 < sum(lengths) / len(lengths) < 14
    assert 18 <= max(lengths) <= 40


@pytest.mark.parametrize(
    "pattern",
    [
        r"\( op [<>]=? \)",  # comparatives
        r"\( superlative ",
        r"\( count \(",
        r"\( filter \( all en.\w+ \) \( property \w+ \) \( op = \) \( filter ",  # relations
        r"\( exclude |\( op != \)",  # negation
        r"\( filter \( filter ",
        r"\( either ",
    ],
)
def test_every_kind_of_question_comes_up(tasks, pattern: str) -> None:
    per_task = [sum(bool(re.search(pattern, row.logical_form)) for row in t.train) for t in tasks]
    assert sum(count > 0 for count in per_task) >= len(tasks) - 1
    assert sum(per_task) >= 30


def test_a_question_is_worded_in_many_ways(tasks) -> None:
    words_of = defaultdict(list)
    for row in every_row(tasks):
        words_of[row.logical_form].append(row.words)
    often = [rows for rows in words_of.values() if len(rows) >= 8]
    assert len(often) >= 30
    for rows in often:
        shared = set.intersection(*map(set, rows))
        assert len({word for words in rows for word in words}) > 2 * len(shared)
    assert sum(len({len(words) for words in rows}) >= 3 for rows in often) > 0.9 * len(often)


def test_some_test_words_are_unknown_to_training(tasks) -> None:
    known = {word for task in tasks for row in task.train for word in row.words}
    unknown = [row for t in tasks for row in t.test if set(row.words) - known]
    assert 0 < len(unknown) < 0.2 * sum(len(task.test) for task in tasks)


NEGATION = {"not", "aren't", "don't", "no", "without", "other"}


def test_negated_forms_are_negated_in_words(tasks) -> None:
    for row in every_row(tasks):
        if re.search(r"\( exclude |\( op != \)", row.logical_form):
            assert NEGATION & set(row.words), row


def test_entities_of_a_form_are_named_in_its_utterance(tasks) -> None:
    names: dict[str, list[str]] = defaultdict(list)
    for domain in DOMAINS:
        for kind in domain.types:
            for prop in kind.properties:
                if not isinstance(prop, Flag):
                    wordings = getattr(prop, "entities", None) or prop.values
                    for symbol, words in wordings.items():
                        names[symbol] += words.split("|")
            for symbol, words in kind.entities.items():
                names[symbol] += words.split("|")
    rows = every_row(tasks)
    named = 0
    for row in rows:
        text = " ".join(row.words)
        used = [symbol for symbol in names if f" {symbol} " in row.logical_form]
        named += all(
            any(_without_small_words(w) in _without_small_words(text) for w in names[s])
            for s in used
        )
    assert named / len(rows) > 0.95  # the rest are slips of the pen


def _without_small_words(text: str) -> str:
    return " ".join(word for word in text.split() if word not in {"the", "a", "of", "is"})


def test_a_seed_gives_the_same_rows_in_any_process() -> None:
    code = (
        "import hashlib\nfrom core.data.demo import DemoOptions, demo\n"
        "print(hashlib.sha256(str(demo(DemoOptions(seed=3))).encode()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    here = hashlib.sha256(str(demo(DemoOptions(seed=3))).encode()).hexdigest()
    assert done.stdout.strip() == here


def test_another_seed_gives_other_rows() -> None:
    said = [{row.utterance for row in every_row(demo(DemoOptions(seed=s)))} for s in SEEDS[:2]]
    assert len(said[0] & said[1]) < 0.2 * len(said[0])


def test_it_is_made_in_well_under_a_second_and_once() -> None:
    start = time.process_time()
    first = demo(DemoOptions(seed=12345))
    assert time.process_time() - start < 1.0
    assert demo(DemoOptions(seed=12345)) is first


def test_the_seed_is_an_option_with_a_range(toy_config) -> None:
    config = toy_config.with_(dataset="demo", dataset_options={"seed": -1})
    with pytest.raises(ConfigError, match=r"demo.seed = -1: expected a whole number from 0"):
        config.options("dataset")


@pytest.mark.slow
def test_it_is_not_learned_at_once_and_fine_tuning_forgets_it() -> None:
    config = RunConfig(
        dataset="demo", task_order=("music", "hotels"), method="finetune", epochs=12, device="cpu",
        word_size=64, hidden_size=96, action_size=64, learning_rate=0.005, error_rows=20,
        record_actions=False, record_predictions=False,
    )  # fmt: skip
    events: list = []
    train(config, events.append)
    accuracy = {(e.after, e.on): e.correct / e.total for e in events if isinstance(e, Accuracy)}
    assert 0.1 < accuracy[0, 0] < 1
    assert accuracy[1, 0] < accuracy[0, 0] / 2
    early = [e for e in events if isinstance(e, ErrorCounts) and e.task == 0 and e.epoch < 3]
    assert len(early) == 3
    assert all(sum(e.correct) < 0.5 * sum(e.total) for e in early)
