"""`python -m core experiment`: define, queue, look, and what is wrong said in a sentence."""

import io
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from core.__main__ import main
from core.commands.experiment.words import Line
from core.experiments import catalog, toml, work
from core.experiments.presets import presets
from core.runs.owner import new_owner
from core.runs.run import FAILED
from core.runs.store import Store
from tests.experiments.samples import finished_cells

TOY = """
name = "toys"
pairs = 2
[base]
dataset = "toy"
memory_size = 3
epochs = 1
device = "cpu"
[[arms]]
label = "plain"
method = "finetune"
[[arms]]
label = "replay"
method = "emr"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "toys.toml"
    path.write_text(TOY)
    return path


def output_of(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["experiment", *map(str, words)]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["experiment", *map(str, words)]) in (1, 2)
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_presets_are_listed(capsys) -> None:
    out = output_of(capsys, "presets")
    assert all(name in out for name in presets)


def test_new_of_a_preset_with_less_of_it(capsys) -> None:
    output_of(
        capsys, "new", "demo", "--name", "mine", "--set", "epochs=2", "--arms", "EMR", "Fine-tune",
        "--orders", 3, 4, "--seeds", 7,
    )  # fmt: skip
    experiment = catalog.load(Store(), "mine").experiment
    assert experiment.base.epochs == 2
    assert [arm.label for arm in experiment.arms] == ["EMR", "Fine-tune"]
    assert [(pair.order_seed, pair.seed) for pair in experiment.pairs] == [(3, 7), (4, 7)]


@pytest.mark.parametrize("action", ["new", "import"])
def test_arms_of_one_label_are_refused_and_none_is_lost(capsys, file: Path, action: str) -> None:
    read = toml.read_file(file)
    twice = read.with_(arms=tuple(replace(arm, label="same") for arm in read.arms))
    file.write_text(toml.write(twice))
    assert f"Arm 'same' is there {len(read.arms)} times" in refused(capsys, action, file)
    assert catalog.names(Store()) == []


def test_from_file_to_file_without_loss(capsys, file: Path, tmp_path: Path) -> None:
    assert "4 cells; no earlier run here tells how long" in output_of(capsys, "import", file)
    out = tmp_path / "out.toml"
    output_of(capsys, "export", "toys", out)
    assert toml.read_file(out) == toml.read_file(file)


def test_resume_add_status_retry_cancel_delete(capsys, file: Path) -> None:
    output_of(capsys, "import", file)
    assert "4 cells queued" in output_of(capsys, "resume", "toys")
    store = Store()
    run = store.claim(new_owner())
    store.set_status(run.id, FAILED, error="the loss is not finite.")
    out = output_of(capsys, "status", "toys")
    assert "toys: 0 of 4 cells" in out
    assert "Arm 'plain', order 1, seed 1: run 1 has failed: the loss is not finite." in out
    assert "To be tried again: 1 cell." in output_of(capsys, "retry", "toys")
    output_of(capsys, "add", "toys", "--arm", "gem", "--set", "method=gem", "--pairs", 3)
    assert "5 cells queued, 4 wait" in output_of(capsys, "resume", "toys")
    assert "Out of the queue: 9 cells." in output_of(capsys, "cancel", "toys")
    assert "paused" not in output_of(capsys, "status")
    output_of(capsys, "pause", "toys")
    assert "paused" in output_of(capsys, "status")
    output_of(capsys, "delete", "toys")
    assert "There are no experiments" in output_of(capsys, "status")


def test_ctrl_c_in_between_leaves_a_paused_experiment(capsys, file: Path, monkeypatch) -> None:
    class NoPool:
        def __init__(self, *words: object, experiment: str) -> None: ...
        def watch(self) -> None: ...
        def end(self) -> None: ...

    from core.commands.experiment import steer

    monkeypatch.setattr(steer, "Pool", NoPool)
    monkeypatch.setattr(steer, "_LOOK_SECONDS", 0.01)

    def interrupt(store, id, name, pool, stop, workers) -> None:
        stop.set()

    monkeypatch.setattr(steer, "_watch", interrupt)
    assert main(["experiment", "run", str(file), "--workers", "1"]) == 3
    out = capsys.readouterr().out
    assert out.index("4 cells; ") < out.index("1 worker; Ctrl-C")
    assert "Paused" in out
    assert catalog.load(Store(), "toys").paused
    assert Store().claim(new_owner()) is None


def test_a_terminal_shows_a_bar_in_one_line_and_a_file_a_line_a_cell(capsys, monkeypatch) -> None:
    line = Line()
    for share in (0.0, 0.25, 0.3):
        line.show(f"toys: {share * 4:.0f} of 4 cells, 1 min left", share)
    shown = [each.split(" ", 1)[1] for each in capsys.readouterr().out.splitlines()]
    assert shown == [f"toys: {n} of 4 cells, 1 min left" for n in (0, 1)]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    line.show("toys: 1 of 4 cells, 25%, 1 min left", 0.25)
    line.close()
    out = capsys.readouterr().out
    assert out == f"\r\x1b[K{'█' * 6}{'░' * 18} toys: 1 of 4 c\n"


def test_csv_has_the_tables_numbers_in_full(capsys, finished: catalog.Stored) -> None:
    arms, differences, *_ = output_of(capsys, "table", "toys", "--format", "csv").split("\n\n")
    table = pd.read_csv(io.StringIO(arms), index_col="arm")
    assert table.avg_mean["plain"] == pytest.approx(17.5)
    assert table.avg_sd["plain"] == pytest.approx(12.5**0.5)
    paired = pd.read_csv(io.StringIO(differences)).iloc[0]
    assert (paired.arm, paired.n, paired.smallest_p) == ("replay", 2, 0.5)


def test_accuracy_by_position_comes_on_request(capsys, finished: catalog.Stored) -> None:
    assert "Task 1" not in output_of(capsys, "table", "toys")
    shown = output_of(capsys, "table", "toys", "--positions")
    assert "| plain | 2 | 30.00 ± 0.00 | 5.00 ± 7.07 |" in shown
    csv = output_of(capsys, "table", "toys", "--positions", "--format", "csv").split("\n\n")[1]
    table = pd.read_csv(io.StringIO(csv), index_col=["arm", "position"])
    assert table["mean"]["replay", 2] == pytest.approx(25.0)


def test_a_deleted_run_is_named_and_done_again(capsys, file: Path) -> None:
    output_of(capsys, "import", file)
    output_of(capsys, "resume", "toys")
    store = Store()
    store.delete(store.runs()[-1].id)
    cell = "Arm 'plain', order 1, seed 1: run 1 was deleted; going on carries the cell out again."
    assert cell in output_of(capsys, "status", "toys")
    out = output_of(capsys, "resume", "toys")
    said = "1 cell queued, 1 of them because their runs were deleted, 3 wait"
    assert out.index(cell) < out.index(said)  # before it is queued
    assert cell not in output_of(capsys, "status", "toys")


@pytest.fixture
def finished(capsys, file: Path) -> catalog.Stored:
    """The toys, all cells done."""
    output_of(capsys, "import", file)
    store = Store()
    stored = catalog.load(store, "toys")
    right = {(pair, arm): (arm + 3, pair + 2 * arm) for pair in range(2) for arm in range(2)}
    finished_cells(store, stored.experiment, right)
    return stored


def test_the_table_from_the_store_and_from_a_file(capsys, finished, file, tmp_path) -> None:
    out = output_of(capsys, "table", "toys")
    assert "| plain | 2 | 17.50 ± 3.54 |" in out
    assert "ACC_avg − plain" in out
    assert "With 2 pairs no p below 0.5 is possible" in out
    results = tmp_path / "results.json"
    assert "4 finished cells exported" in output_of(capsys, "export", "toys", results)
    strip = lambda text: [line.rpartition("|")[0].rpartition("|")[0] for line in text.split("\n")]  # noqa: E731
    assert strip(output_of(capsys, "table", file, "--from", results)) == strip(out)


def test_tables_as_latex_and_csv(capsys, finished) -> None:
    latex = output_of(capsys, "table", "toys", "--format", "latex", "--reference", "replay")
    assert latex.count(r"\toprule") == 2
    assert "% With 2 pairs" in latex
    assert "arm,n,avg_mean" in output_of(capsys, "table", "toys", "--format", "csv")
    assert "45.29 \\| –" in output_of(capsys, "paper", 1)
    assert len(output_of(capsys, "paper", 2, "--format", "csv").splitlines()) == 44


def test_a_reference_that_is_no_arm(capsys, finished) -> None:
    assert "'none' is not a compared arm; there are: plain, replay" in refused(
        capsys, "table", "toys", "--reference", "none"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "nothing"], "neither an experiment, nor a preset, nor a TOML file"),
        (["new", "demo", "--pairs", "0"], "--pairs 0: expected at least 1"),
        (["new", "demo", "--set", "epohcs=3"], "did you mean epochs"),
        (["new", "demo", "--set", "epochs=0"], "epochs = 0"),
        (["new", "demo", "--set", "epochs"], "NAME=VALUE"),
        (["new", "demo", "--arms", "EMMR"], "'EMMR' is not an arm; there are: Fine-tune"),
        (["new", "demo", "--set", "memory_size=5000"], "arm 'EMR', order 1"),
        (["run", "nothing"], "presets are"),
        (["status", "nothing"], "no experiment 'nothing'"),
        (["import", "nothing.toml"], "can't be read"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_queued(capsys, words, sentence) -> None:
    assert sentence.lower() in refused(capsys, *words).lower()
    assert catalog.names(Store()) == []
    assert Store().runs() == []


def test_a_changed_file_does_not_pass_for_the_stored_experiment(capsys, file: Path) -> None:
    output_of(capsys, "import", file)
    file.write_text(TOY.replace("epochs = 1", "epochs = 2"))
    assert "is not what experiment 'toys' is by now" in refused(capsys, "run", file)
    assert work.cancel(Store(), "toys") == 0
