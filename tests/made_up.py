"""Runs as the store would hold them, of made-up events: for tests that only look at runs."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from core.config import RunConfig
from core.data.base import Task
from core.data.deriving import derived_tasks
from core.events import (
    Accuracy,
    ActionProbabilities,
    ActionsKnown,
    Epoch,
    ErrorCounts,
    MemoryStored,
    Predictions,
    Progress,
    RunStarted,
    StageTime,
)
from core.language.grammar import Grammar
from core.runs import checkpoints
from core.runs.owner import Owner, new_owner
from core.runs.run import FINISHED, RUNNING
from core.runs.store import Store
from tests.conftest import make_toy_tasks

SMALL = {"word_size": 12, "hidden_size": 16, "action_size": 8, "device": "cpu"}
DEMO = RunConfig(
    dataset="demo", method="finetune", task_order=("library", "events"), **SMALL
)  # a small parser on two tasks of the demo
TASKS = ("calendar", "blocks", "housing")
ROWS = (40, 60, 50)  # test rows of each task


def started(tasks: Sequence[str] = TASKS, rows: Sequence[int] = ROWS) -> RunStarted:
    """The facts of a run over these tasks; nine of ten test rows are covered."""
    covered = tuple(tuple(r * 9 // 10 for r in rows[: k + 1]) for k in range(len(tasks)))
    return RunStarted(
        tasks=tuple(tasks),
        n_train=tuple(4 * r for r in rows),
        n_test=tuple(rows),
        covered=covered,
        actions=120,
        slots=30,
        parameters=1_800_000,
        device="cpu",
    )


def matrix(kept: float, rows: Sequence[int] = ROWS, seed: int = 0) -> list[list[int]]:
    """Correct rows [k][i]: 80 % when just learned, times `kept` for each task learned since."""
    rng = np.random.default_rng(seed)
    return [
        [int(rng.binomial(rows[i], 0.8 * kept ** (k - i))) for i in range(k + 1)]
        for k in range(len(rows))
    ]


def record_training(
    store: Store,
    run: int,
    *,
    kept: float = 0.7,
    tasks: Sequence[str] = TASKS,
    rows: Sequence[int] = ROWS,
    until: int | None = None,
    seed: int = 0,
    owner: Owner | None = None,
) -> None:
    """Record the events of a run from its start to its end, or to the middle of task `until`."""
    facts = started(tasks, rows)
    store.record(run, facts, owner)
    acc, epochs, total = matrix(kept, rows, seed), 4, 15.0 * sum(facts.n_train)
    done = 0.0
    for k in range(len(tasks)):
        for number, stage in enumerate(("fast", "slow")):
            for epoch in range(epochs):
                if until == k and stage == "slow" and epoch == 2:
                    return
                done += 15.0 * facts.n_train[k] / (2 * epochs)
                loss = 12.0 / (1 + epoch + epochs * (stage == "slow")) + 0.1 * k
                parts = {"current": loss * 0.7, "replay": loss * 0.3} if k else {"current": loss}
                store.record(run, Progress(done, total, k, stage, epoch + 1, epochs, loss), owner)
                event = Epoch(k, stage, epoch, loss, facts.n_train[k], 1.5, parts, number)
                store.record(run, event, owner)
            store.record(run, StageTime(k, stage, 1.5 * epochs, done), owner)
        trace = {"entropy": [3.0, 3.2], "sweeps": [3.0, 3.2]}
        store.record(run, MemoryStored(k, tuple(range(10)), trace), owner)
        for i in range(k + 1):
            store.record(run, Accuracy(k, i, acc[k][i], rows[i]), owner)


def finished_run(store: Store, config: RunConfig, name: str = "", **recorded) -> int:
    """A run that has recorded everything and has ended."""
    owner = new_owner()
    id = store.create(config, name, claimed_by=owner)
    record_training(store, id, owner=owner, **recorded)
    store.set_status(id, FINISHED)
    return id


def running_run(store: Store, config: RunConfig, name: str = "", **recorded) -> int:
    """A run in the midst of its second task."""
    owner = new_owner()
    id = store.create(config, name, claimed_by=owner)
    record_training(store, id, until=1, owner=owner, **recorded)
    assert store.run(id).status == RUNNING
    return id


def record_parses(
    store: Store,
    run: int,
    *,
    until: int | None = None,
    kept: float = 0.3,
    owner: Owner | None = None,
) -> None:
    """Record the actions and predictions of a run on the data of its config, made up.

    Just learned, every gold step has P = 0.9; with each task learned since, a task-specific one
    loses all but `kept` of it and a cross-task one goes down and up by a tenth. Where a row's step
    falls below a half, the parse takes another action of that slot, or ends there.
    """
    tasks = derived_tasks(store.run(run).config)
    grammar = Grammar([[row.derivation for row in task.train] for task in tasks])
    texts = tuple(map(str, grammar.actions))
    store.record(run, ActionsKnown(tuple(range(len(texts))), texts), owner)
    specific = (grammar.counts > 0).sum(axis=0) == 1
    for k in range(len(tasks) if until is None else until):
        for i in range(k + 1):
            shown = np.flatnonzero(grammar.counts[i])
            p = np.where(specific, 0.9 * kept ** (k - i), 0.9 - 0.1 * ((k - i) % 2))
            counts = grammar.counts[i, shown].tolist()
            columns = (tuple(shown.tolist()), tuple(p[shown].tolist()), tuple(counts))
            store.record(run, ActionProbabilities(k, i, *columns), owner)
            store.record(run, _predictions(grammar, tasks[i], k, i, p), owner)


def _predictions(grammar: Grammar, task: Task, k: int, i: int, p: np.ndarray) -> Predictions:
    columns: list[list] = [[] for _ in range(6)]
    for row in task.test:
        numbers = [grammar.action_ids.get(step.action, -1) for step in row.derivation]
        writable = grammar.first_writable_task(row.derivation) <= k
        gold = [float(p[number]) for number in numbers] if writable else []
        wrong = next((t for t, n in enumerate(numbers) if n < 0 or p[n] < 0.5), None)
        parse = numbers if wrong is None else numbers[:wrong]
        complete = wrong is None
        if wrong is not None and numbers[wrong] >= 0:
            slot, mine = row.derivation[wrong].slot, row.derivation[wrong].action
            alternatives = [
                a for a in grammar.applicable(slot, k) if a != mine and a.slots == mine.slots
            ]
            if alternatives:
                parse = [*parse, grammar.action_ids[alternatives[0]], *numbers[wrong + 1 :]]
                complete = all(number >= 0 for number in numbers)
        for column, value in zip(
            columns,
            (complete and wrong is None, tuple(parse), complete, -1.0, wrong, tuple(gold)),
            strict=True,
        ):
            column.append(value)
    return Predictions(k, i, tuple(range(len(task.test))), *map(tuple, columns))


def recorded_run(
    store: Store, config: RunConfig, name: str = "", *, until: int | None = None, **recorded
) -> int:
    """A run on the data of its config that has recorded actions and predictions; it has ended, or
    goes on after `until` tasks.
    """
    tasks, owner = derived_tasks(config), new_owner()
    id = store.create(config, name, claimed_by=owner)
    counts = tuple(len(task.train) for task in tasks)
    tests = tuple(len(task.test) for task in tasks)
    names = tuple(task.name for task in tasks)
    store.record(id, RunStarted(names, counts, tests, (), 9, 9, 9, "cpu"), owner)
    record_parses(store, id, until=until, owner=owner, **recorded)
    if until is None:
        store.set_status(id, FINISHED)
    return id


def keep_parsers(store: Store, run: int) -> None:
    """Keep a parser after each task of the run, untrained, another one each time."""
    from core.training.assembly import Learner  # torch, which only these need

    config = store.run(run).config
    for k in range(len(store.run(run).tasks)):
        parser = Learner(config.with_(seed=config.seed + 100 * k)).parser
        parser.action_embedding.data.mul_(20)  # large enough that probabilities differ
        checkpoints.save_parser(run, k, {"parser": parser.state_dict(), "task": k})


def record_errors(
    store: Store,
    run: int,
    *,
    stages: Mapping[str, int] = MappingProxyType({"fast": 2, "slow": 4}),
    tasks: int = len(TASKS),
    until: int | None = None,
    rows: int = 20,
) -> None:
    """Record errors after every epoch: of the newest task fewer with each, of older ones more with
    each task; a test row is wrong a little oftener than a training row. `until` epochs in all.
    """
    done = 0
    for k in range(tasks):
        for number, (stage, epochs) in enumerate(stages.items()):
            for epoch in range(epochs):
                if done == until:
                    return
                done += 1
                learned = (epoch + 1 + sum(stages.values()) * (stage != "fast")) / 20
                parts = [(i, split) for i in range(k + 1) for split in ("train", "test")]
                right = [
                    max(
                        0,
                        round(rows * (learned if i == k else 0.9 - 0.2 * (k - i))) - (s == "test"),
                    )
                    for i, s in parts
                ]
                on, splits = zip(*parts, strict=True)
                n = len(parts)
                nll = tuple(3.0 * (rows - count) for count in right)
                counts = (tuple(right), (rows,) * n, nll, (rows - 1,) * n)
                store.record(run, ErrorCounts(k, stage, epoch, on, splits, *counts, number))


def full_run(store: Store, config: RunConfig, name: str = "", kept: float = 0.3) -> int:
    """A finished run on the data of its config that has recorded all that pages show."""
    id = recorded_run(store, config, name, kept=kept)
    tasks = store.run(id).facts
    for k in range(len(tasks.tasks)):
        for i in range(k + 1):
            right = round(0.8 * kept ** (k - i) * tasks.n_test[i])
            store.record(id, Accuracy(k, i, right, tasks.n_test[i]))
        store.record(id, MemoryStored(k, tuple(range(id, id + 5)), {"entropy": [3.0, 3.2]}))
    record_errors(store, id, tasks=len(tasks.tasks))
    return id


def stored_run(store: Store, rows=((0, 4, 2), (1, 2, 3)), name: str = "", **settings) -> int:
    """A run on the toy tasks that has stored a memory after its first tasks."""
    tasks = make_toy_tasks()
    counts = tuple(len(task.train) for task in tasks)
    facts = RunStarted(tuple(t.name for t in tasks), counts, counts, (), 9, 9, 9, "cpu")
    owner = new_owner()
    id = store.create(RunConfig(dataset="toy", **settings), name, claimed_by=owner)
    store.record(id, facts, owner)
    for task, kept in enumerate(rows):
        store.record(id, MemoryStored(task, kept, {}), owner)
    return id
