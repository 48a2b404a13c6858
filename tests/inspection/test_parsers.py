"""The parsers that a run has kept: each as it was, whatever its method attaches, or why not."""

import math
import threading
from dataclasses import replace

import pytest
import torch

from core.analysis import accuracy
from core.data.base import DataError
from core.inspection.parsers import NoParser, Parsers
from core.inspection.steps import explain
from core.parser.decode import parse
from core.registry import datasets, methods
from core.runs import checkpoints
from core.runs.checkpoints import CheckpointError
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import FINISHED, Run
from core.runs.store import Store
from core.training.assembly import Learner
from core.training.sequence import train
from tests.conftest import make_toy_tasks


def learned(store: Store, config) -> Run:
    owner = new_owner()
    id = store.create(config, claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == FINISHED, run.error
    return run


@pytest.fixture
def run(store, toy_config) -> Run:
    return learned(store, toy_config.with_(method="finetune", epochs=4))


@pytest.mark.parametrize("method", list(methods))
def test_each_parser_predicts_what_the_run_predicted_with_it(toy_config, method) -> None:
    """What was kept is all that the prediction takes, whatever the method attaches or holds."""
    config = toy_config.with_(method=method)
    kept, recorded = {}, {}

    def keep(k: int, state: dict) -> None:
        kept[k] = {name: value.clone() for name, value in state["parser"].items()}

    def watch(event) -> None:
        if type(event).__name__ == "Accuracy" and event.on == event.after:
            recorded[event.after] = event.correct

    learner = train(config, watch, save_parser=keep)
    store = Store()
    id = store.create(config, claimed_by=new_owner())
    for k, state in kept.items():
        checkpoints.save_parser(id, k, {"parser": state, "task": k})
    run = replace(store.run(id), facts=learner.facts())
    parsers = Parsers(run)
    for k in kept:
        traces = [parsers.explain(k, row.utterance, k) for row in parsers.tasks[k].test]
        gold = [row.logical_form for row in parsers.tasks[k].test]
        right = [trace.logical_form for trace in traces]
        assert sum(a == b for a, b in zip(right, gold, strict=True)) == recorded[k]
    last = len(parsers.tasks) - 1
    for k, task in enumerate(parsers.tasks):
        for row in task.train:
            mine = explain(learner.parser, row.utterance, k, row.derivation)
            loaded = parsers.explain(last, row.utterance, k, row.derivation)
            assert loaded.probability == mine.probability > 0
        for row, hypothesis in zip(
            task.test, parse(learner.parser, learner.test_batches[k]), strict=True
        ):
            trace = parsers.explain(last, row.utterance, k)
            assert trace.complete == hypothesis.complete
            if hypothesis.complete:
                assert trace.probability == pytest.approx(math.exp(hypothesis.log_prob), rel=1e-3)
    store.close()


def test_parsers_differ_from_task_to_task_and_come_back_unchanged(run) -> None:
    parsers, embeddings = Parsers(run), {}
    for k in (0, 1, 2, 0, 2, 1):
        with parsers.after(k) as parser:
            assert parser.known_tasks == k
            assert not parser.training
            state = checkpoints.load_parser(run.id, k)["parser"]
            assert all(torch.equal(v, state[n]) for n, v in parser.state_dict().items())
            embeddings.setdefault(k, []).append(parser.action_embedding.detach().clone())
    assert all(torch.equal(first, second) for first, second in embeddings.values())
    assert not torch.equal(embeddings[0][0], embeddings[2][0])


def test_threads_get_the_parser_they_ask_for(run) -> None:
    parsers = Parsers(run)
    utterance = "ships that are fast"
    expected = {k: parsers.explain(k, utterance, k).probability for k in range(3)}
    wrong = []

    def ask(k: int) -> None:
        for _ in range(10):
            if parsers.explain(k, utterance, k).probability != expected[k]:
                wrong.append(k)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_run_of_word_vectors_needs_their_file_no_more(store, toy_config, tmp_path) -> None:
    file = tmp_path / "glove.txt"
    file.write_text("show 1 2 3\nships 0 1 0\n")
    run = learned(store, toy_config.with_(method="finetune", embeddings=str(file)))
    file.unlink()
    with Parsers(run).after(0) as parser:
        assert parser.word_embedding.shape[1] == 3


def test_derivations_are_those_of_the_runs_idioms(store, toy_config) -> None:
    run = learned(store, toy_config.with_(method="finetune", idioms=2))
    tasks = Parsers(run).tasks
    assert tasks == Learner(run.config).tasks
    assert tasks[0].train[0].derivation != make_toy_tasks()[0].train[0].derivation


def test_a_run_without_parsers_says_so(store, toy_config, run) -> None:
    without = store.run(store.create(toy_config))
    with pytest.raises(NoParser, match=f"Run {without.id} has kept no parser"):
        Parsers(without)
    (checkpoints.folder(run.id) / "parser-1.pt").unlink()
    with pytest.raises(NoParser, match="after task 2"):
        Parsers(run).explain(1, "show", 0)


def test_data_that_changed_since_are_said(run, monkeypatch) -> None:
    def given(tasks) -> None:
        entry = replace(datasets["toy"], value=lambda options: tasks)
        monkeypatch.setitem(datasets._entries, "toy", entry)

    zoo, port, farm = make_toy_tasks()
    given((zoo, port))
    with pytest.raises(DataError, match="no longer those"):
        Parsers(run)
    given((zoo, port, replace(farm, train=farm.train[:1])))  # fewer words and actions
    with pytest.raises(DataError, match="no longer those"):
        Parsers(run).explain(0, "show", 0)


def test_a_broken_file_is_named(run) -> None:
    (checkpoints.folder(run.id) / "parser-2.pt").write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match=r"parser-2\.pt"):
        Parsers(run)
    checkpoints.save_parser(run.id, 2, {"weights": torch.zeros(2)})
    with pytest.raises(CheckpointError, match="not a parser"):
        Parsers(run)


def test_the_tasks_whose_parser_is_kept_are_listed(run) -> None:
    assert checkpoints.saved_parsers(run.id) == (0, 1, 2)
    (checkpoints.folder(run.id) / "parser-x.pt").touch()
    assert checkpoints.saved_parsers(run.id) == (0, 1, 2)
    assert checkpoints.saved_parsers(999) == ()


@pytest.mark.parametrize("masking", [False, True])
def test_exact_match_of_the_stored_parsers_is_what_the_run_told(store, toy_config, masking) -> None:
    config = toy_config.with_(method="emr", epochs=12, task_masking=masking)
    run = learned(store, config)
    parsers, cells = Parsers(run), accuracy.cells(store, [run])
    for cell in cells.itertuples():
        assert parsers.exact(cell.after, cell.on) == (cell.correct, cell.total)
    assert cells.correct.sum() > 0
    right, total = parsers.exact(0, 2)  # not learned yet
    traces = [parsers.explain(0, row.utterance, 2) for row in parsers.tasks[2].test]
    gold = [row.logical_form for row in parsers.tasks[2].test]
    assert total == len(gold)
    assert right == sum(t.logical_form == form for t, form in zip(traces, gold, strict=True))
