"""The facts of a run on the Runs page: what its method adds, and what it records of itself."""

from dataclasses import replace

from core.__main__ import main
from core.config import RunConfig
from core.data.upload import store_upload
from core.events import Diagnostics, StageTime
from core.runs.owner import new_owner
from tests.made_up import finished_run, started
from tests.pages.sessions import opened, well


def facts(id: int, heading: str = "Fact") -> dict[str, str]:
    page = well(opened("pages/runs.py", run=str(id)))
    (frame,) = [f.value for f in page.dataframe if heading in f.value.columns]
    return dict(zip(frame[heading], frame.Value, strict=True))


def test_parameters_of_a_task_and_units_in_use_are_facts(store) -> None:
    owner = new_owner()
    id = store.create(RunConfig(method="hat"), claimed_by=owner)
    store.record(id, replace(started(), task_parameters=896), owner)
    for task, share in ((0, 0.25), (1, 0.4375)):
        store.record(id, Diagnostics(task, ("units in use, decoder",), (share,)), owner)
    shown = facts(id)
    assert shown["parameters"] == "1,800,000"
    assert shown["of them each task's own"] == "896"
    assert shown["units in use, decoder"] == "0.438 after task 2"


def test_the_time_of_each_stage_and_of_recording_is_a_fact(store, capsys) -> None:
    owner = new_owner()
    id = store.create(RunConfig(), claimed_by=owner)
    store.record(id, started(), owner)
    for task, stage, seconds in (
        (0, "slow", 70),
        (1, "slow", 55),
        (0, "recording", 4),
        (1, "recording", 5),
    ):
        store.record(id, StageTime(task, stage, float(seconds), 1.0), owner)
    shown = facts(id)
    assert shown["time for slow"] == "2 min 05 s"
    assert shown["time for recording"] == "9 s"
    assert main(["show", str(id)]) == 0
    assert "slow 2 min 05 s, recording 9 s" in capsys.readouterr().out


def test_an_imported_file_is_a_setting_by_its_name(store) -> None:
    rows = [f"{task}\t{split}\tx\t( f y )\n" for task in "ab" for split in ("train", "test")]
    upload = store_upload("".join(rows).encode(), "mine.tsv")
    config = RunConfig(dataset="upload", dataset_options={"file": upload.digest})
    assert facts(finished_run(store, config), "Setting")["dataset file"] == upload.label


def test_other_runs_have_no_such_facts(store) -> None:
    shown = facts(finished_run(store, RunConfig(method="finetune")))
    assert shown["parameters"] == "1,800,000"
    assert not [name for name in shown if "own" in name or "units" in name]
