"""One bad cell takes out its own run and says so; all others are read as ever."""

import socket
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select

from core.analysis import accuracy, error_curves
from core.analysis.progress import times
from core.config import RunConfig
from core.runs import estimate
from core.runs.owner import new_owner
from core.runs.run import StoreError, Unreadable
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES, epochs
from tests.made_up import finished_run, record_errors
from tests.runs.conftest import OTHER_DATABASE
from tests.runs.samples import MANY, SAMPLES

pytestmark = pytest.mark.skipif(bool(OTHER_DATABASE), reason="other databases check their types")

CELLS = [
    ("facts", "{oops"),
    ("facts", "[1, 2]"),
    ("facts", '{"tasks": 5}'),
    ("facts", '{"tasks": ["a"]}'),
    ("progress_text", "{oops"),
    ("progress_text", '{"done": "much"}'),
    ("versions", "7"),
    ("versions", "[" * 100_000),
    ("created", "yesterday"),
    ("started", "2030-99-01 00:00:00"),
    ("ended", "\x00"),
    ("progress", "half"),
    ("seconds", "long"),
    ("attempts", "many"),
    ("status", "asleep"),
    ("config", "{"),
    ("config", "[" * 100_000),
    ("config", b"\xff\xfe"),
    ("error", b"\x00\x01"),
]


def spoil(home: Path, table: str, column: str, value: object, where: str = "id = 2") -> None:
    with sqlite3.connect(home / "runs.sqlite") as connection:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
    connection.close()


@pytest.fixture
def three(store: Store) -> Store:
    for seed in range(3):
        finished_run(store, RunConfig(seed=seed))
    return store


@pytest.mark.parametrize(("column", "value"), CELLS, ids=lambda value: str(value)[:12])
def test_a_bad_cell_of_a_run_flags_that_run(three: Store, home, column: str, value) -> None:
    spoil(home, "runs", column, value)
    assert [run.id for run in three.runs()] == [3, 1]
    (sentence,) = three.unreadable()
    assert sentence.startswith("Run 2 can't be read: ")
    assert len(sentence) < 300
    with pytest.raises(Unreadable, match="Run 2 can't be read"):
        three.run(2)
    assert three.name(2)
    assert three.mark_interrupted() == []
    three.delete(2)  # it can still be got rid of
    assert three.unreadable() == []


def test_a_name_that_is_no_text_is_shown_as_far_as_it_is_and_flagged(three: Store, home) -> None:
    with sqlite3.connect(home / "runs.sqlite") as connection:
        connection.execute("UPDATE runs SET name = CAST(X'61FF62' AS TEXT) WHERE id = 2")
    connection.close()
    assert [run.name for run in three.runs()][1] == three.name(2) == "a\ufffdb"
    assert three.unreadable() == ["Run 2 has a damaged name, shown as 'a\ufffdb': give it another."]
    three.rename(2, "mended")
    assert three.unreadable() == []


@pytest.mark.parametrize("column", ["heartbeat", "attempt_started", "first_time", "seconds"])
def test_a_running_run_with_a_bad_cell_can_end(store: Store, home, column: str) -> None:
    for _ in range(3):
        store.create(RunConfig(), claimed_by=new_owner())
    spoil(home, "runs", column, "never")
    assert [run.id for run in store.runs()] == [3, 1]
    assert store.mark_interrupted() == []
    store.set_status(2, "stopped")
    store.delete(2)


def test_a_queued_run_that_cannot_be_read_fails_and_the_next_is_taken(store: Store, home) -> None:
    for _ in range(3):
        store.create(RunConfig())
    spoil(home, "runs", "facts", "{oops", "id = 1")
    with pytest.raises(Unreadable, match="Run 1"):
        store.claim(new_owner())
    assert store.claim(new_owner()).id == 2


BAD = {"Integer": "many", "Float": "much", "StoredJson": "{oops", "Text": b"\xff"}


@pytest.mark.parametrize(
    "event", [event for event, _ in SAMPLES + MANY], ids=lambda e: type(e).__name__
)
def test_a_bad_cell_of_a_record_takes_out_that_run_s_records(store: Store, home, event) -> None:
    table = EVENT_TABLES[type(event)]
    for column in table.c:
        value = BAD.get(type(column.type).__name__)
        if column.primary_key or value is None:
            continue
        for id in [run.id for run in store.runs()]:
            store.delete(id)
        ids = [store.create(RunConfig()) for _ in range(3)]
        for id in ids:
            store.record(id, event)
        spoil(home, table.name, column.name, value, f"run_id = {ids[1]}")
        query = select(table.c.run_id, column)
        assert {row.run_id for row in store.fetch(query)} == {ids[0], ids[2]}
        assert set(store.frame(query).run_id) == {ids[0], ids[2]}
        (sentence,) = store.unreadable()
        assert sentence.startswith(f"Run {ids[1]} can't be read in full: its {column.name}")
        with pytest.raises(Unreadable, match="damaged"):
            store.frame(select(column).where(table.c.run_id == ids[1]))


def test_a_loss_that_is_text_is_no_number(three: Store, home) -> None:
    spoil(home, "epochs", "loss", "abc", "run_id = 2 AND task = 1")
    assert set(three.frame(select(epochs.c.run_id, epochs.c.loss)).run_id) == {1, 3}


def ends(store: Store) -> set[int]:
    return set(accuracy.latest(store, [1, 2, 3]).run)


def with_times(store: Store) -> set[int]:
    return {id for id in (1, 2, 3) if times(store, id)}


def estimated_from(store: Store) -> set[int]:
    return {config.seed + 1 for config, _ in estimate._past(store, RunConfig(device="cpu"))}


def with_errors(store: Store) -> set[int]:
    return set(error_curves.curves(store, store.runs()).table.run)


@pytest.mark.parametrize(
    ("read", "table", "column"),
    [
        (ends, "accuracies", "correct"),
        (ends, "accuracies", "total"),
        (with_times, "stage_times", "seconds"),
        (estimated_from, "stage_times", "seconds"),
        (estimated_from, "stage_times", "work"),
        *((with_errors, "errors", column) for column in error_curves.COUNTS.values()),
    ],
)
def test_text_is_not_summed_as_0(three: Store, home, read, table: str, column: str) -> None:
    for id in (1, 2, 3):
        record_errors(three, id, stages={"slow": 1}, tasks=2)
    with sqlite3.connect(home / "runs.sqlite") as link:
        link.execute("UPDATE runs SET device = 'cpu', owner_host = ?", (socket.gethostname(),))
    link.close()
    assert read(three) == {1, 2, 3}
    key = "after" if table == "accuracies" else "task"
    cell = f"(SELECT MIN(rowid) FROM {table} WHERE run_id = 2 AND {key} = 1)"
    for value in ("abc", b"1"):
        spoil(home, table, column, value, f"rowid = {cell}")
        assert read(three) == {1, 3}
    (sentence,) = three.unreadable()
    assert sentence == f"Run 2 can't be read in full: its {column} is damaged."


@pytest.mark.parametrize("id", [0, -1, 10**9 * 4, 10**30, -(10**30)])
def test_numbers_beyond_any_database_name_no_run(store: Store, id: int) -> None:
    acts = [store.run, store.name, store.delete, store.request_stop, store.resume, store.release]
    acts += [store.stop_requested, lambda n: store.rename(n, "x")]
    acts += [lambda n: store.record(n, SAMPLES[0][0]), lambda n: store.note_versions(n, {})]
    acts.append(lambda n: store.set_status(n, "stopped"))
    for act in acts:
        with pytest.raises(StoreError, match=rf"^There is no run {id}\.$"):
            act(id)
    assert not store.heartbeat(id, new_owner())
    assert store.claim(new_owner(), id=id) is None


def test_limits_beyond_any_database_are_limits(store: Store) -> None:
    ids = [store.create(RunConfig()) for _ in range(3)]
    assert len(store.runs(limit=10**30)) == len(ids)
    assert store.runs(limit=0) == store.runs(limit=-5) == []
    assert store.runs(offset=10**30) == []
