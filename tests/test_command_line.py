"""The command line: exit codes, one-sentence errors, what each command does."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.__main__ import main
from core.analysis.accuracy import group
from core.config import RunConfig
from core.data.base import load_tasks
from core.events import Accuracy, Progress, RunStarted
from core.runs import checkpoints
from core.runs.owner import new_owner
from core.runs.run import StoreError
from core.runs.store import Store

TOY = shlex.split(
    "--dataset toy --memory-size 3 --epochs 2 --batch-size 4 --word-size 12 --hidden-size 16 "
    "--action-size 8 --device cpu"
)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--epochs", "0"], "epochs = 0: expected a whole number from 1 to 1,000."),
        (["train", "--epochs", "two"], "--epochs: invalid int value: 'two'"),
        (["train", "--evaluation", "guess"], "expected one of test, heldout"),
        (["train", "--method", "none_such"], "method 'none_such' is not known; there are: "),
        (["train", "--method.none-such", "1"], "--method.none-such is not an option; "),
        (["train", "--method", "finetune", "--sampler", "lfs"], "Fine-tune keeps no memory"),
        (["train", "--method", "finetune", "--sampler", "dlfs"], "Fine-tune keeps no memory"),
        (["train", "--method", "oracle", "--memory-size", "50"], "Oracle keeps no memory"),
        (["train", "--method", "emr", "--method.replay", "guess"], "expected one of "),
        (["train", "--none-such"], "--none-such"),
        (["train", "--seed", "1", "--seeds", "1", "2"], "--seed and --seeds"),
        (["train", "--vary", "order+seed"], "give --seeds too"),
        (["train", "--seeds", "1", "--vary", "order+seed", "--order-seed", "3"], "leave it out"),
        (["train", "--pairs", "2", "--seeds", "1"], "--pairs sets orders and seeds"),
        (["train", "--pairs", "2", "--order-seed", "1"], "--pairs sets orders and seeds"),
        (["train", "--pairs", "0"], "expected at least 1"),
        (["train", "--config", "nowhere.toml"], "nowhere.toml"),
        (["train", "--dataset", "toy", "--memory-size", "0"], "memory_size = 0"),
        (["train", "--device", "cuda:99"], "device = 'cuda:99'"),
        (["none_such"], "none_such"),
        (["runs", "--none-such"], "--none-such"),
        (["show"], "ID"),
        (["delete", "1", "2", "--none"], "--none"),
        ([], "COMMAND"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_sentence_and_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    err = capsys.readouterr().err
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1
    assert Store().runs() == []


@pytest.mark.parametrize("command", ["show", "stop", "resume", "delete"])
def test_an_unknown_run_is_one_sentence_and_code_1(command: str, capsys) -> None:
    more = ["--yes"] if command == "delete" else []
    assert main([command, "7", *more]) == 1
    assert capsys.readouterr().err == "There is no run 7.\n"


def test_an_unexpected_error_is_one_sentence_its_traceback_in_the_log(
    home: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **more: object) -> None:
        raise RuntimeError("boom\nand more")

    monkeypatch.setattr(Store, "runs", fail)
    assert main(["runs"]) == 1
    assert capsys.readouterr().err == "boom and more\n"
    assert "Traceback" in (home / "core.log").read_text()


def test_train_carries_a_run_out_and_says_so(capsys) -> None:
    assert main(["train", *TOY, "--method", "emr", "--name", "mine", "--seed", "4"]) == 0
    out, err = capsys.readouterr()
    run = Store().run(1)
    assert (run.status, run.name, run.config.seed) == ("finished", "mine", 4)
    assert run.config.method == "emr"
    assert out.splitlines()[0] == "Run 1: mine"
    assert "after task 3/3 farm  ACC_whole " in out
    assert out.splitlines()[-1].startswith("Run 1 (mine) finished after ")
    assert err == ""


def test_several_seeds_are_several_runs(capsys) -> None:
    words = [*TOY, "--method", "emr", "--epochs", "1", "--task-order", "zoo", "port"]
    assert main(["train", *words, "--seeds", "5", "6", "--name", "mine", "--quiet"]) == 0
    runs = Store().runs()
    assert [(run.config.seed, run.name) for run in runs] == [
        (6, "mine, seed 6"),
        (5, "mine, seed 5"),
    ]
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "pairs", "sentence"),
    [
        (["--seeds", "5", "6"], [(0, 5), (0, 6)], "2 runs, seeds 5, 6, all in one order of tasks."),
        (
            ["--seeds", "5", "6", "--vary", "order+seed"],
            [(5, 5), (6, 6)],
            "2 runs, seeds 5, 6, each in another order of tasks.",
        ),
        (["--pairs", "2"], [(1, 1), (2, 2)], "2 runs, seeds 1, 2, each in another order of tasks."),
    ],
)
def test_what_seeds_vary_is_chosen_and_said(capsys, words, pairs, sentence) -> None:
    toy = [*TOY, "--method", "emr", "--epochs", "1", "--no-record-actions"]
    assert main(["train", *toy, *words]) == 0
    assert capsys.readouterr().out.splitlines()[0] == sentence
    runs = Store().runs()
    assert sorted((run.config.order_seed, run.config.seed) for run in runs) == pairs
    orders = {tuple(run.tasks) for run in runs}
    assert orders == {tuple(t.name for t in load_tasks(run.config)) for run in runs}
    (same,) = group(runs)
    assert len(same.runs) == 2


def test_a_failed_run_is_code_1_and_leaves_the_next_seed_running(
    capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.training import sequence

    def train(config: RunConfig, *args: object, **more: object) -> None:
        if config.seed == 1:
            raise sequence.TrainingFailed("the loss is not finite: try a lower learning_rate.")

    monkeypatch.setattr(sequence, "train", train)
    assert main(["train", *TOY, "--seeds", "1", "2"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith("Run 1 (Total Recall on Toy, seed 1) failed after ")
    assert "try a lower learning_rate." in err
    assert "python -m core resume 1" in out
    assert [run.status for run in Store().runs()] == ["finished", "failed"]


def test_options_lists_what_the_chosen_ones_declare(capsys) -> None:
    assert main(["train", "--method", "ewc", "--sampler", "dlfs", "--options"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "--method.ewc-weight" in out
    assert "--sampler.similarity" in out
    assert "Needs a memory of each finished task (its own sampler: Random) and Fisher" in out
    assert Store().runs() == []


def test_runs_and_show(capsys) -> None:
    assert main(["runs"]) == 0
    assert "no runs" in capsys.readouterr().out
    store = Store()
    first = store.create(RunConfig(seed=3), "first")
    owner = new_owner()
    second = store.create(RunConfig(), "second", claimed_by=owner)
    store.record(
        second, RunStarted(("a", "b"), (5, 6), (4, 4), ((4,), (4, 4)), 9, 4, 77, "cpu"), owner
    )
    store.record(second, Progress(1, 4, 0, "slow", 1, 1, 0.5), owner)
    for cell in (Accuracy(0, 0, 1, 4), Accuracy(1, 0, 2, 4), Accuracy(1, 1, 3, 4)):
        store.record(second, cell, owner)
    assert main(["runs"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["ID", "STATUS", "DONE", "TIME", "LEFT", "STARTED", "NAME"]
    assert [line.split()[:3] for line in lines] == [["2", "running", "25%"], ["1", "queued", "0%"]]
    assert main(["runs", "--status", "queued", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["config"]["seed"]) == (first, 3)
    assert main(["show", str(second)]) == 0
    out = capsys.readouterr().out
    assert "after 2 b: ACC_whole 62.50%  ACC_avg 62.50%" in out
    assert "2/4  3/4" in out
    assert main(["show", str(second), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracies"][2]["correct"] == 3


def test_stop_and_delete(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    waiting = store.create(RunConfig())
    running = store.create(RunConfig(), claimed_by=new_owner())
    assert main(["stop", str(waiting), str(running)]) == 0
    out = capsys.readouterr().out
    assert out == f"Run {waiting} is stopped.\nRun {running} stops after its present batch.\n"
    assert store.stop_requested(running)
    assert main(["delete", str(running), "--yes"]) == 1
    assert main(["stop", str(waiting)]) == 1
    checkpoints.save(waiting, {"epoch": 1})
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert main(["delete", str(waiting)]) == 2  # nobody to ask
    assert main(["delete", str(waiting), "--yes"]) == 0
    assert not checkpoints.folder(waiting).exists()
    with pytest.raises(StoreError):
        store.run(waiting)


@pytest.mark.parametrize(("answer", "left"), [("n", 1), ("", 1), ("y", 0)])
def test_delete_asks_first(answer: str, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    id = Store().create(RunConfig())
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("builtins.input", lambda question: answer)
    assert main(["delete", str(id)]) == 0
    assert len(Store().runs()) == left


def test_resume_goes_on_with_an_interrupted_run_here(capsys) -> None:
    store = Store()
    id = store.create(RunConfig(dataset="toy", method="finetune", epochs=1, hidden_size=8))
    store.request_stop(id)
    assert main(["resume", str(id)]) == 0
    assert store.run(id).status == "finished"
    assert main(["resume", str(id)]) == 1
    assert "is finished" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["finetune", "emr"])
def test_the_line_that_show_gives_starts_the_same_run(capsys, method) -> None:
    words = f"train --dataset toy --method {method} --epochs 1 --hidden-size 8 --quiet".split()
    assert main(words) == 0
    assert main(["show", "1"]) == 0
    match = re.search(r"^as +python -m core (.+)$", capsys.readouterr().out, re.MULTILINE)
    assert ("--sampler" in match[1]) == (method == "emr")
    assert main([*shlex.split(match[1]), "--quiet"]) == 0
    assert Store().run(2).config == Store().run(1).config


@pytest.mark.slow
def test_ctrl_c_stops_within_a_batch_and_says_how_to_resume(home: Path) -> None:
    words = shlex.split("train --epochs 50 --hidden-size 16 --word-size 16 --action-size 16")
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    lines = [process.stdout.readline() for _ in range(3)]  # the run, then two epochs
    assert "epoch 2" in lines[2], process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "python -m core resume 1" in out
    assert err.startswith("Run 1 (Total Recall on Demo, seed 0) stopped after ")
    assert Store().run(1).status == "stopped"
    assert checkpoints.load(1)["position"][2] >= 2


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["runs"], ["stop", "1"]])
def test_looking_on_does_not_import_torch(words: list[str]) -> None:
    code = (
        "import sys\nfrom core.__main__ import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "assert 'torch' not in sys.modules"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()


@pytest.mark.slow
@pytest.mark.parametrize("words", [["train", "--quiet"], ["runs"], ["train", "--help"]])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_ctrl_c_while_a_command_starts_is_one_word(words: list[str], share: float) -> None:
    """From the moment on at which the program's first own line has run."""
    command = [sys.executable, "-v", "-m", "core", *words]  # -v names each import on stderr
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for line in process.stderr:
        if b"core.commands.entry" in line:
            break
    time.sleep(2 * share)
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    assert process.wait() in (0, 3)
    assert b"Traceback" not in err
    assert process.returncode == 0 or b"Broken off.\n" in err or b" stopped after " in err
