"""`show`: what a run has recorded of itself."""

from dataclasses import replace

import pytest

from core.__main__ import main
from core.config import RunConfig
from core.events import Diagnostics
from core.runs.owner import new_owner
from tests.made_up import record_training, started


def shown(id: int, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["show", str(id)]) == 0
    return capsys.readouterr().out


def test_a_tasks_own_parameters_are_told_where_there_are_any(store, capsys) -> None:
    owner = new_owner()
    id = store.create(RunConfig(), claimed_by=owner)
    assert "parameters" not in shown(id, capsys)
    store.record(id, started(), owner)
    assert "1,800,000 parameters\n" in shown(id, capsys)
    store.record(id, replace(started(), task_parameters=196_608), owner)
    assert "1,800,000 parameters, 196,608 for each task alone" in shown(id, capsys)


def test_what_a_method_records_stands_below_its_task(store, capsys) -> None:
    owner = new_owner()
    id = store.create(RunConfig(method="hat"), claimed_by=owner)
    record_training(store, id, owner=owner)
    store.record(
        id, Diagnostics(1, ("units in use, decoder", "broken"), (0.4375, float("nan"))), owner
    )
    store.record(
        id, Diagnostics(1, ("units in use, decoder", "broken"), (0.5, float("nan"))), owner
    )
    lines = shown(id, capsys).splitlines()
    (after,) = [number for number, line in enumerate(lines) if line.startswith("after 2 ")]
    assert lines[after + 2 : after + 4] == ["   broken: nan", "   units in use, decoder: 0.5"]
