"""`experiment import FILE.json`: finished cells of a file count, and come out as they were."""

from pathlib import Path

import pytest

from core.__main__ import main
from core.analysis import exported_runs, imported_runs
from core.analysis.accuracy import cells, curves
from core.experiments import catalog, work
from core.experiments.outlook import outlook
from core.experiments.status import status
from core.paths import PROJECT
from core.runs.digest import digest
from core.runs.recordings import IMPORTED, newest_of
from core.runs.run import FINISHED
from core.runs.store import Store
from tests.commands.exports import CONFIG, export
from tests.made_up import finished_run

RESULTS = PROJECT / "assets" / "results.json"


def output_of(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["experiment", *map(str, words)]) == 0
    return capsys.readouterr().out


def test_this_projects_cells_give_its_table_and_come_out_again(capsys, tmp_path: Path) -> None:
    before = output_of(capsys, "table", "main-overnight", "--from", RESULTS)
    records = exported_runs.load(RESULTS)
    assert f"{len(records)} finished runs imported" in output_of(capsys, "import", RESULTS)
    assert output_of(capsys, "table", "main-overnight") == before
    assert "0 finished runs imported" in output_of(capsys, "import", RESULTS)
    file = tmp_path / "again.json"
    for experiment in ("main", "anchors", "lambda", "ingredients"):
        output_of(capsys, "export", f"{experiment}-overnight", file)
    assert exported_runs.load(file) == records


def test_configurations_mean_what_was_run_in_either_format(tmp_path: Path) -> None:
    text = RESULTS.read_text(encoding="utf-8")
    unsaid = text.replace('"format": 2', '"format": 1').replace(
        '"anchors": "last", "penalty"', '"penalty"'
    )
    assert unsaid.count('"anchors": "last"') < text.count('"anchors": "last"')
    for record in (*exported_runs.read(text, "today's"), *exported_runs.read(unsaid, "earlier")):
        assert digest(record.config) == record.digest


def test_only_the_cells_that_are_missing_are_queued(store, capsys) -> None:
    output_of(capsys, "import", RESULTS)
    output_of(capsys, "new", "main-overnight", "--pairs", 12)
    stored = catalog.load(store, "main-overnight")
    now = status(store, stored.id)
    assert (now.counts[FINISHED], now.from_file, now.cells) == (60, 60, 72)
    ahead = outlook(store, stored)
    assert (ahead.finished, ahead.left, ahead.seconds, ahead.disk) == (60, 12, None, None)
    queued = work.enqueue(store, "main-overnight")
    assert (queued.new, queued.used) == (12, 60)
    assert status(store, stored.id).seconds_left() is None  # no cell was carried out here


def test_an_imported_run_is_marked_and_its_accuracies_are_the_files(store, tmp_path) -> None:
    carried_out = store.run(finished_run(store, CONFIG))
    path = export(tmp_path / "one.json")
    store.delete(carried_out.id)
    (record,) = exported_runs.load(path)
    assert imported_runs.put_in(store, [record]) == imported_runs.Imported(1, 0)
    (run,) = store.runs()
    assert IMPORTED in run.versions
    assert run.name.endswith("(imported)")
    assert (run.attempts, run.progress, run.tasks) == (0, 1.0, carried_out.tasks)
    assert run.facts.covered == carried_out.facts.covered
    unknown = (run.facts.actions, run.facts.slots, run.facts.parameters, *run.facts.n_train)
    assert set(unknown) == {0}
    assert newest_of(store, CONFIG) is None
    assert exported_runs.of_runs(store, [run]) == [record]
    assert not curves(cells(store, [run])).bound_avg.isna().any()


def test_what_has_finished_here_is_not_imported_over(store, tmp_path) -> None:
    here = finished_run(store, CONFIG, kept=0.9)
    records = exported_runs.load(export(tmp_path / "one.json"))
    assert imported_runs.put_in(store, records) == imported_runs.Imported(0, 1)
    assert [run.id for run in store.runs()] == [here]


def test_runs_of_an_earlier_revision_are_no_cells_of_today(store) -> None:
    (record, *_) = exported_runs.load(PROJECT / "assets" / "one_order.json")
    imported_runs.put_in(store, [record])
    assert record.digest not in ("", digest(record.config))


def test_a_file_that_is_none_is_said_in_a_sentence(capsys, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"format": 1, "runs": [{}]}', encoding="utf-8")
    assert main(["experiment", "import", str(path)]) == 2
    assert "a run in it can't be read" in capsys.readouterr().err
    assert Store().runs() == []


def test_the_papers_table_takes_the_settings_with_the_fewest_options(capsys) -> None:
    output_of(
        capsys, "import", RESULTS
    )  # EWC with one anchor, the default, and with one for each task
    runs = [run.config for run in exported_runs.load(RESULTS) if run.config.method == "ewc"]
    default = sum(config.options("method").anchors == "last" for config in runs)
    assert 0 < default < len(runs)
    lines = output_of(capsys, "paper", 1).splitlines()
    (ewc,) = [line for line in lines if line.startswith("| EWC ")]
    assert f"(n = {default})" in ewc
    assert "26.79" not in ewc
