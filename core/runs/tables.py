"""The tables of the run store. Everything here is portable SQL.

A run is a row of `runs`; what it records (core.events) goes to one table a kind of event, under the
event's key, and disappears with its run. To store another kind of event, add its table with the
event's type in `info`; columns bear the names of the event's fields, or say theirs in `info`. A
column made with `many` takes a field that holds a sequence: the event becomes as many rows.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    false,
)

from core.events import (
    Accuracy,
    ActionProbabilities,
    ActionsKnown,
    Diagnostics,
    Epoch,
    ErrorCounts,
    MemoryStored,
    Predictions,
    StageTime,
)
from core.runs.column_types import StoredJson, UtcTime, key, many

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("config", Text, nullable=False),  # RunConfig.to_json
    Column("digest", String(64), nullable=False, server_default="", index=True),  # runs.digest
    Column("status", String(16), nullable=False, index=True),
    Column("stop_requested", Boolean, nullable=False, default=False),
    Column("error", Text, nullable=False, default=""),
    Column("wanted_device", String(32), nullable=False),  # as configured: who may claim it
    Column("device", String(32), nullable=False),
    Column("versions", StoredJson, nullable=False, default=dict),
    Column("facts", StoredJson, nullable=False, default=dict),  # events.RunStarted
    Column("progress", Float, nullable=False, default=0.0),
    Column("progress_text", StoredJson, nullable=False, default=dict),  # events.Progress
    Column("progress_time", UtcTime),
    Column("created", UtcTime, nullable=False),
    Column("queued", UtcTime, nullable=False),  # its place in the queue
    Column("priority", Integer, nullable=False, server_default="0"),  # higher ones go first
    Column("position", Integer, nullable=False, server_default="0"),  # then lower: a cell's pair
    Column("is_cell", Boolean, nullable=False, server_default=false()),  # an experiment queued it
    Column("started", UtcTime),
    Column("ended", UtcTime),
    Column("seconds", Float, nullable=False, default=0.0),  # of the attempts that have ended
    Column("attempts", Integer, nullable=False, default=0),
    Column("attempt_started", UtcTime),
    Column("first_done", Float),  # Progress.done as this attempt first recorded it, and when
    Column("first_time", UtcTime),
    Column("heartbeat", UtcTime),
    Column("owner_host", String(255), nullable=False, default=""),
    Column("owner_pid", Integer, nullable=False, default=0),
    Column("owner_started", String(255), nullable=False, default=""),
    Column("owner_token", String(64), nullable=False, default=""),
    Column("tags", Text, nullable=False, server_default=""),  # runs.labels, with commas between
    Column("note", Text, nullable=False, server_default=""),
    Column("archived", Boolean, nullable=False, server_default=false()),
    sqlite_autoincrement=True,  # a number is never given again: checkpoints bear it
)

experiments = Table(
    "experiments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    Column("definition", Text, nullable=False),  # TOML, see core.experiments.toml
    Column("paused", Boolean, nullable=False),
    Column("priority", Integer, nullable=False),  # of the runs that it queues
    Column("created", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)

experiment_cells = Table(
    "experiment_cells",
    metadata,
    Column("experiment_id", ForeignKey(experiments.c.id, ondelete="CASCADE"), primary_key=True),
    Column("pair", Integer, primary_key=True, autoincrement=False),  # both from 0
    Column("arm", Integer, primary_key=True, autoincrement=False),
    Column("digest", String(64), nullable=False, index=True),  # by which its run is found
    Column("run_id", Integer),  # the run last seen behind it, which may be deleted by now
)

workers = Table(  # what takes runs off the queue, here or elsewhere, and its last sign of life
    "workers",
    metadata,
    Column("token", String(64), primary_key=True),  # as in runs.owner_token
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_started", String(255), nullable=False),
    Column("device", String(32), nullable=False),
    Column("kind", String(16), nullable=False),  # core.runs.worker_list
    Column("since", UtcTime, nullable=False),
    Column("seen", UtcTime, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", String(255), primary_key=True),
    Column("value", StoredJson, nullable=False),
)


def _event_table(name: str, event: type, *columns: Column[Any]) -> Table:
    """A table for one kind of event; its key is the run and the columns made by `key`."""
    run: Column[int] = Column("run_id", ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True)
    return Table(name, metadata, run, *columns, info={"event": event})


epochs = _event_table(
    "epochs",
    Epoch,
    key("task"),
    key("stage", String(64)),
    key("epoch"),
    Column("loss", Float),  # empty where it was not a number
    Column("rows", Integer, nullable=False, info={"field": "n_examples"}),
    Column("seconds", Float, nullable=False),
    Column("parts", StoredJson, nullable=False),
    Column("stage_number", Integer, nullable=False, server_default="0"),
)

accuracies = _event_table(
    "accuracies",
    Accuracy,
    key("after"),
    key("on_task", field="on"),
    Column("correct", Integer, nullable=False),
    Column("total", Integer, nullable=False),
)

memories = _event_table(
    "memories",
    MemoryStored,
    key("task"),
    Column("rows", StoredJson, nullable=False, info={"field": "indices"}),
    Column("trace", StoredJson, nullable=False),
)

stage_times = _event_table(
    "stage_times",
    StageTime,
    key("task"),
    key("stage", String(64)),
    Column("seconds", Float, nullable=False),
    Column("work", Float, nullable=False),
)

actions = _event_table("actions", ActionsKnown, key("action", many=True), many("text", Text))

action_probabilities = _event_table(
    "action_probabilities",
    ActionProbabilities,
    key("after"),
    key("on_task", field="on"),
    key("action", many=True),
    many("mean", Float),
    many("count", Integer),
)

predictions = _event_table(
    "predictions",
    Predictions,
    key("after"),
    key("on_task", field="on"),
    key("row", many=True),
    many("correct", Boolean),
    many("parse", StoredJson),
    many("complete", Boolean),
    many("log_prob", Float, nullable=True),
    many("first_wrong", Integer, nullable=True),
    many("gold", StoredJson),
)

errors = _event_table(
    "errors",
    ErrorCounts,
    key("task"),
    key("stage", String(64)),
    key("epoch"),
    key("on_task", field="on", many=True),
    key("split", String(8), many=True),
    many("correct", Integer),
    many("total", Integer),
    many("nll", Float, nullable=True),
    many("writable", Integer, field="covered"),
    Column("stage_number", Integer, nullable=False, server_default="0"),
)

diagnostics = _event_table(
    "measures",
    Diagnostics,
    key("task"),
    key("name", String(64), many=True),
    many("value", Float, nullable=True),
)

EVENT_TABLES: Mapping[type, Table] = MappingProxyType(
    {table.info["event"]: table for table in metadata.tables.values() if "event" in table.info}
)
