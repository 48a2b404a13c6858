"""What a run records: once under its key, progress thinned out."""

from dataclasses import replace

import pytest
from sqlalchemy import Table, select
from sqlalchemy import event as sqlalchemy_event

from core.config import RunConfig
from core.events import Accuracy, Epoch, Event, Progress, RunStarted, StageTime
from core.runs.event_writer import Throttle
from core.runs.owner import new_owner
from core.runs.run import StoreError
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from tests.runs.samples import MANY, SAMPLES, progress

CONFIG = RunConfig()


@pytest.mark.parametrize(("event", "changes"), SAMPLES, ids=lambda part: type(part).__name__)
def test_an_event_is_kept_once_under_its_key(store: Store, event, changes) -> None:
    id, other_run = store.create(CONFIG), store.create(CONFIG)
    store.record(other_run, event)
    store.record(id, event)
    store.record(id, replace(event, **changes))
    table = EVENT_TABLES[type(event)]
    with store.engine.connect() as connection:
        rows = connection.execute(select(table).where(table.c.run_id == id)).mappings().all()
        untouched = connection.execute(select(table).where(table.c.run_id == other_run)).mappings()
        assert len(rows) == 1
        columns = {c.info.get("field", c.name): c.name for c in table.c}
        for field, value in changes.items():
            name = columns[field]
            assert rows[0][name] == (list(value) if isinstance(value, tuple) else value)
            assert untouched.one()[name] != rows[0][name]


def as_kept(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("event", "changes"), MANY, ids=lambda part: type(part).__name__)
def test_an_event_of_many_records_becomes_a_row_each(store: Store, event, changes) -> None:
    id, other_run = store.create(CONFIG), store.create(CONFIG)
    store.record(other_run, event)
    store.record(id, event)
    changed = replace(event, **changes)
    store.record(id, changed)
    table = EVENT_TABLES[type(event)]
    query = select(table).order_by(*table.primary_key)
    with store.engine.connect() as connection:
        for run, recorded in ((id, changed), (other_run, event)):
            rows = connection.execute(query.where(table.c.run_id == run)).mappings().all()
            assert len(rows) == 3
            for column in table.c:
                name = column.info.get("field", column.name)
                if column.name != "run_id":
                    value = getattr(recorded, name)
                    many = value if column.info.get("many") else [value] * 3
                    expected = sorted(zip(order(table, recorded), map(as_kept, many), strict=True))
                    assert [row[column.name] for row in rows] == [kept for _, kept in expected]


def order(table: Table, event: Event) -> list[tuple]:
    """The keys of an event's records."""
    keys = [c for c in table.primary_key if c.info.get("many")]
    return list(zip(*(getattr(event, c.info["field"]) for c in keys), strict=True))


@pytest.mark.parametrize(("event", "changes"), MANY, ids=lambda part: type(part).__name__)
def test_records_that_a_second_event_has_no_longer_are_gone(store: Store, event, changes) -> None:
    id, table = store.create(CONFIG), EVENT_TABLES[type(event)]
    store.record(id, event)
    many = {c.info.get("field", c.name) for c in table.c if c.info.get("many")}
    for left in (1, 0):
        store.record(id, replace(event, **{name: getattr(event, name)[:left] for name in many}))
        with store.engine.connect() as connection:
            assert len(connection.execute(select(table)).all()) == left


def test_every_kind_of_event_has_a_table_with_its_fields() -> None:
    for event, _ in SAMPLES + MANY:
        table = EVENT_TABLES[type(event)]
        fields = {c.info.get("field", c.name) for c in table.c if c.name != "run_id"}
        assert fields == set(event.__dataclass_fields__)


def test_facts_name_the_device(store: Store) -> None:
    id = store.create(CONFIG)
    assert store.run(id).device == "auto"
    store.record(id, RunStarted(("a", "b"), (5, 6), (2, 3), ((2,), (2, 3)), 9, 4, 77, "cpu"))
    run = store.run(id)
    assert run.device == "cpu"
    assert run.facts.covered == ((2,), (2, 3))
    assert store.claim(new_owner(), devices=["auto"]).id == id  # it is still configured as auto


def test_progress_is_thinned_out_but_its_last_word_arrives(store: Store) -> None:
    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    written = []
    sqlalchemy_event.listen(store.engine, "commit", lambda connection: written.append(1))
    for done in range(50):
        store.record(id, progress(done), owner)
    assert 1 <= len(written) <= 3
    store.record(id, SAMPLES[0][0], owner)
    assert store.run(id).last_progress.done == 49
    store.record(id, progress(60), owner)
    store.record(id, progress(70, epoch=10), owner)
    assert store.run(id).progress == 0.7  # the end of a stage is recorded at once
    store.record(id, progress(71, task=1), owner)
    assert store.run(id).progress == 0.71  # and so is the beginning of one
    store.record(id, progress(72, task=1), owner)
    store.record(id, progress(73, task=1), owner)
    store.set_status(id, "stopped", owner=owner)
    assert store.run(id).last_progress.done == 73


def test_a_number_that_is_none_is_stored_as_missing(store: Store) -> None:
    id = store.create(CONFIG)
    store.record(id, Epoch(0, "slow", 0, float("nan"), 1, 1.0, {"replay": float("inf")}))
    store.record(id, Progress(1, 2, 0, "slow", 0, 1, float("nan")))
    assert store.run(id).last_progress.loss is None
    table = EVENT_TABLES[Epoch]
    with store.engine.connect() as connection:
        row = connection.execute(select(table.c.loss, table.c.parts)).one()
    assert tuple(row) == (None, {"replay": None})


def test_recording_for_no_run_says_so(store: Store) -> None:
    with pytest.raises(StoreError, match="no run 5"):
        store.record(5, SAMPLES[0][0])


def test_events_of_a_series_are_written_with_what_ends_it(store: Store, monkeypatch) -> None:
    monkeypatch.setattr("core.runs.event_writer.time.monotonic", lambda: 0.0)
    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)

    def kept() -> int:
        table = EVENT_TABLES[Accuracy]
        return len(store.fetch(select(table).where(table.c.run_id == id)))

    store.record(id, progress(done=10.0), owner, in_series=True)
    for on in range(3):
        store.record(id, Accuracy(2, on, 1, 2), owner, in_series=True)
        store.record(id, progress(done=11.0 + on), owner, in_series=True)
    assert (kept(), store.run(id).progress) == (0, 0.1)
    store.record(id, StageTime(2, "evaluation", 1.0, 1.0), owner, in_series=True)
    assert kept() == 3
    assert store.run(id).progress == 0.13
    store.record(id, Accuracy(3, 0, 1, 2), owner, in_series=True)
    store.set_status(id, "stopped", owner=owner)
    assert kept() == 4


def test_a_long_series_is_written_from_time_to_time(store: Store, monkeypatch) -> None:
    moments = iter([0.0, 0.2, 0.7])
    monkeypatch.setattr("core.runs.event_writer.time.monotonic", lambda: next(moments))
    throttle = Throttle()
    events = [Accuracy(0, on, 1, 1) for on in range(3)]
    due = [throttle.due(1, event, None, in_series=True) for event in events]
    assert due == [(), (), tuple(events)]
