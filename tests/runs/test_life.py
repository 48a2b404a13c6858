"""The life of a run in the store: legal moves, times, names, deletion."""

import pytest
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import select

from core.config import RunConfig
from core.runs.owner import new_owner
from core.runs.run import STATUSES, TRANSITIONS, StoreError, default_name
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from core.text import NAME_LENGTH
from tests.runs.samples import SAMPLES, progress

CONFIG = RunConfig()
WAYS = {  # how a run comes to a status
    "queued": (),
    "running": ("running",),
    "finished": ("running", "finished"),
    "failed": ("running", "failed"),
    "stopped": ("running", "stopped"),
    "interrupted": ("running", "interrupted"),
}


def in_status(store: Store, status: str) -> int:
    id = store.create(CONFIG)
    for step in WAYS[status]:
        store.set_status(id, step)
    return id


@pytest.mark.parametrize("old", STATUSES)
@pytest.mark.parametrize("new", STATUSES)
def test_a_run_moves_only_as_the_table_says(store: Store, old: str, new: str) -> None:
    id = in_status(store, old)
    if new in TRANSITIONS[old]:
        store.set_status(id, new)
        assert store.run(id).status == new
    else:
        with pytest.raises(StoreError, match=f"is {old}.*not {new}"):
            store.set_status(id, new)
        assert store.run(id).status == old


def test_the_table_is_the_documented_life() -> None:
    ends = {"finished", "failed", "stopped", "interrupted"}
    assert set(TRANSITIONS["running"]) == ends
    assert {status for status in STATUSES if "queued" in TRANSITIONS[status]} == ends - {"finished"}
    assert set(TRANSITIONS["queued"]) == {"running", "stopped"}


def test_unknown_runs_and_statuses_are_named(store: Store) -> None:
    for act in (store.run, store.delete, store.request_stop, store.resume, store.stop_requested):
        with pytest.raises(StoreError, match="no run 99"):
            act(99)
    with pytest.raises(StoreError, match="'asleep' is not a status"):
        store.set_status(store.create(CONFIG), "asleep")


def test_a_run_keeps_what_it_was_created_with(store: Store) -> None:
    config = RunConfig(method="emr", method_options={"x": 1}, seed=4, learning_rate=0.1)
    run = store.run(store.create(config, "  mine "))
    assert (run.name, run.config, run.status, run.attempts) == ("mine", config, "queued", 0)
    assert run.created.utcoffset().total_seconds() == 0
    assert (run.started, run.ended, run.seconds, run.seconds_left) == (None, None, 0.0, None)
    assert store.run(store.create(config)).name == "EMR on Demo, seed 4"


def test_seconds_add_up_over_attempts(store: Store, clock) -> None:
    id = store.create(CONFIG)
    for spent, status in ((10, "stopped"), (7, "failed"), (5, "finished")):
        clock.pass_(1000)  # waiting does not count
        store.set_status(id, "running")
        began = clock.moment
        clock.pass_(spent)
        store.set_status(id, status, error="why" if status == "failed" else "")
        if status != "finished":
            assert store.run(id).error == ("why" if status == "failed" else "")
            store.set_status(id, "queued")
            assert store.run(id).error == ""
    run = store.run(id)
    assert run.seconds == 22
    assert run.attempts == 3
    assert run.progress == 1.0
    assert run.started < began < run.ended == clock.moment


def test_seconds_left_follow_the_rate_of_this_attempt(store: Store, clock) -> None:
    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    store.record(id, progress(10, epoch=10), owner)
    assert store.run(id).seconds_left is None  # no rate yet
    clock.pass_(100)
    store.record(id, progress(20, epoch=10), owner)
    assert store.run(id).seconds_left == 800  # 80 units at 10 in 100 s
    clock.pass_(50)
    assert store.run(id).seconds_left == 750
    store.set_status(id, "stopped")
    assert store.run(id).seconds_left is None
    store.resume(id, claimed_by=owner)
    store.record(id, progress(20, epoch=10, task=1), owner)
    clock.pass_(10)
    store.record(id, progress(60, epoch=10, task=1), owner)
    assert store.run(id).seconds_left == 10  # 40 units at 40 in 10 s: the first attempt is past


def test_a_waiting_run_is_stopped_at_once_and_a_running_one_is_asked(store: Store) -> None:
    waiting, running = in_status(store, "queued"), in_status(store, "running")
    store.request_stop(waiting)
    store.request_stop(running)
    assert store.run(waiting).status == "stopped"
    assert store.run(running).status == "running"
    assert store.stop_requested(running)
    store.set_status(running, "stopped")
    store.resume(running)
    assert not store.stop_requested(running)
    with pytest.raises(StoreError, match="is finished"):
        store.request_stop(in_status(store, "finished"))


def test_delete_takes_all_records_and_is_refused_while_running(store: Store) -> None:
    id = store.create(CONFIG)
    for event, _ in SAMPLES:
        store.record(id, event)
    store.set_status(id, "running")
    with pytest.raises(StoreError, match="stop it before"):
        store.delete(id)
    store.set_status(id, "finished")
    store.delete(id)
    assert store.runs() == []
    with store.engine.connect() as connection:
        for table in EVENT_TABLES.values():
            assert connection.execute(select(table)).all() == []


def test_a_deleted_run_s_number_is_not_given_again(store: Store) -> None:
    first = store.create(CONFIG)
    store.delete(first)
    assert store.create(CONFIG) > first


def test_rename(store: Store) -> None:
    id = store.create(CONFIG)
    store.rename(id, " better ")
    assert store.run(id).name == "better"
    with pytest.raises(StoreError, match="empty"):
        store.rename(id, " ")
    with pytest.raises(StoreError, match="no run 9"):
        store.rename(9, "x")


def test_names_are_cleaned_and_bounded_in_the_store(store: Store) -> None:
    id = store.create(CONFIG, "one\ntwo\x1b[2J\0" + "x" * 100_000)
    for _ in range(2):
        name = store.name(id)
        assert name == store.run(id).name
        assert name.startswith("one two [2J x")
        assert len(name) == NAME_LENGTH
        store.rename(id, "one\u2028two\x1b[2J\t" + "x" * 100_000)
    assert store.run(store.create(CONFIG, "\n\0")).name == default_name(CONFIG)
    with pytest.raises(StoreError, match="empty"):
        store.rename(id, "\u202e\n")


def test_runs_are_newest_first_in_one_query(store: Store) -> None:
    ids = [store.create(CONFIG.with_(seed=seed)) for seed in range(5)]
    store.set_status(ids[1], "running")
    seen = []
    sqlalchemy_event.listen(
        store.engine, "after_cursor_execute", lambda *arguments: seen.append(arguments[2])
    )
    assert [run.id for run in store.runs()] == ids[::-1]
    assert len([text for text in seen if text.startswith("SELECT")]) == 1
    assert [run.id for run in store.runs(limit=2, offset=1)] == [ids[3], ids[2]]
    assert [run.id for run in store.runs(offset=4)] == [ids[0]]
    assert [run.id for run in store.runs(statuses=["running"])] == [ids[1]]


def test_what_a_run_was_configured_with_is_parsed_once(store: Store, monkeypatch) -> None:
    for seed in range(20):
        store.create(CONFIG.with_(seed=1000 + seed))
    parsed = []
    parse = RunConfig.from_json
    monkeypatch.setattr(RunConfig, "from_json", lambda text: parsed.append(text) or parse(text))
    for _ in range(3):
        assert len(store.runs()) == 20
        assert store.unreadable() == []
    assert len(parsed) == len(set(parsed)) <= 20


def test_what_is_looked_up_has_an_index(store: Store) -> None:
    if store.engine.dialect.name != "sqlite":
        pytest.skip("how another database finds rows is its own affair")
    for table in EVENT_TABLES.values():
        query = select(table).where(table.c.run_id.in_([1, 2]))
        text = str(query.compile(store.engine, compile_kwargs={"literal_binds": True}))
        with store.engine.connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()
        assert plan[0][-1].startswith(f"SEARCH {table.name} USING")
