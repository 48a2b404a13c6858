"""The command line: the same configurations as the browser, exit codes, one-sentence errors."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.__main__ import build_parser, main
from core.commands.display import Display, duration
from core.commands.line import command_line, flag, load_base, read_config
from core.config import OPTION_GROUPS, RunConfig
from core.events import Accuracy, Epoch, Progress, RunStarted
from core.options import ConfigError, OptionSpec, specs
from core.runs import checkpoints
from core.runs.life import StoreError
from core.runs.owner import new_owner
from core.runs.store import Store

TOY = [
    "--dataset",
    "toy",
    "--memory-size",
    "3",
    "--epochs",
    "2",
    "--batch-size",
    "4",
    "--word-size",
    "12",
    "--hidden-size",
    "16",
    "--action-size",
    "8",
    "--device",
    "cpu",
]


def parse(words: list[str]) -> RunConfig:
    args, more = build_parser(words).parse_known_args(words)
    return read_config(args, more, load_base(args.config))


# --- configurations as words ----------------------------------------------------------------------


def values(spec: OptionSpec) -> st.SearchStrategy[Any]:
    if spec.choices is not None:
        return st.sampled_from(spec.choices)
    if spec.type is bool:
        return st.booleans()
    if spec.type is int:
        return st.integers(int(spec.low or -100), int(spec.high or 100))
    if spec.type is float:
        return st.floats(spec.low, spec.high, allow_nan=False, allow_infinity=False)
    text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
    return text if spec.type is str else st.lists(text, max_size=3)


def chosen(options: type) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={s.name: values(s) for s in specs(options)})


@st.composite
def configs(draw: st.DrawFn) -> RunConfig:
    given = draw(chosen(RunConfig))
    for which, registry in OPTION_GROUPS.items():
        given[which] = draw(st.sampled_from(list(registry)))
        given[f"{which}_options"] = draw(chosen(registry[given[which]].options))
    return RunConfig(**given)


@settings(deadline=None, max_examples=150)
@given(configs())
def test_a_config_as_words_and_back_is_the_same(config: RunConfig) -> None:
    words = shlex.split(command_line(config))
    assert words[:4] == ["python", "-m", "core", "train"]
    assert parse(words[3:]) == config


def test_the_default_config_needs_no_words() -> None:
    assert command_line(RunConfig()) == "python -m core train"
    assert parse(["train"]) == RunConfig()


def test_words_are_those_of_the_options() -> None:
    config = RunConfig(task_order=("a", "b"), method_options={"fast_epochs": 3}, threads=2)
    assert command_line(config) == (
        "python -m core train --threads 2 --method.fast-epochs 3 --task-order a b"
    )
    assert flag("method.fast_epochs") == "--method.fast-epochs"


def test_a_toml_file_is_the_base_and_words_go_first(tmp_path: Path) -> None:
    file = tmp_path / "base.toml"
    file.write_text(
        'method = "total_recall"\nepochs = 3\nseed = 7\n[method_options]\nfast_epochs = 2\n'
    )
    config = parse(["train", "--config", str(file), "--epochs", "4"])
    assert (config.epochs, config.seed, dict(config.method_options)) == (4, 7, {"fast_epochs": 2})
    more = parse(["train", "--config", str(file), "--method.replay-rows", "9"])
    assert dict(more.method_options) == {"fast_epochs": 2, "replay_rows": 9}
    other = parse(["train", "--config", str(file), "--method", "emr"])
    assert dict(other.method_options) == {}  # they were those of total_recall
    file.write_text("epochs = ")
    with pytest.raises(ConfigError, match=r"base\.toml"):
        parse(["train", "--config", str(file)])


# --- bad usage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--epochs", "0"], "epochs = 0: expected a whole number from 1 to 1000."),
        (["train", "--epochs", "two"], "argument --epochs"),
        (["train", "--evaluation", "guess"], "expected one of test, heldout"),
        (["train", "--method", "none_such"], "method 'none_such' is not known; there are: "),
        (["train", "--method.none-such", "1"], "--method.none-such"),
        (["train", "--method", "emr", "--method.replay", "guess"], "expected one of "),
        (["train", "--none-such"], "--none-such"),
        (["train", "--seed", "1", "--seeds", "1", "2"], "--seed and --seeds"),
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


# --- commands ---------------------------------------------------------------------------------------


def test_train_carries_a_run_out_and_says_so(capsys) -> None:
    assert main(["train", *TOY, "--method", "emr", "--name", "mine", "--seed", "4"]) == 0
    out, err = capsys.readouterr()
    run = Store().run(1)
    assert (run.status, run.name, run.config.seed) == ("finished", "mine", 4)
    assert run.config.method == "emr"
    assert out.splitlines()[0] == "Run 1: mine"
    assert "after task 3/3 farm  ACC_whole " in out
    assert out.splitlines()[-1].startswith("Run 1 (mine) is finished after ")
    assert err == ""


def test_several_seeds_are_several_runs(capsys) -> None:
    words = [*TOY, "--method", "finetune", "--epochs", "1", "--task-order", "zoo", "port"]
    assert main(["train", *words, "--seeds", "5", "6", "--name", "mine", "--quiet"]) == 0
    runs = Store().runs()
    assert [(run.config.seed, run.name) for run in runs] == [
        (6, "mine, seed 6"),
        (5, "mine, seed 5"),
    ]
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_failed_run_is_code_1_and_leaves_the_next_seed_running(
    capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core import training

    def train(config: RunConfig, *args: object, **more: object) -> None:
        if config.seed == 1:
            raise training.TrainingFailed("the loss is not finite: try a lower learning_rate.")

    monkeypatch.setattr(training, "train", train)
    assert main(["train", *TOY, "--seeds", "1", "2"]) == 1
    out, err = capsys.readouterr()
    assert "is failed" in err
    assert "try a lower learning_rate." in err
    assert "python -m core resume 1" in out
    assert [run.status for run in Store().runs()] == ["finished", "failed"]


def test_options_lists_what_the_chosen_ones_declare(capsys) -> None:
    assert main(["train", "--method", "ewc", "--options"]) == 0
    out = capsys.readouterr().out
    assert "--method.ewc-weight" in out
    assert "--sampler.similarity" in out
    assert Store().runs() == []


def test_runs_and_show(capsys) -> None:
    assert main(["runs"]) == 0
    assert "no runs" in capsys.readouterr().out
    store = Store()
    first = store.create(RunConfig(seed=3), "first")
    second = store.create(RunConfig(), "second", claimed_by=new_owner())
    store.record(second, RunStarted(("a", "b"), (5, 6), (4, 4), ((4,), (4, 4)), 9, 4, 77, "cpu"))
    store.record(second, Progress(1, 4, 0, "slow", 1, 1, 0.5))
    for cell in (Accuracy(0, 0, 1, 4), Accuracy(1, 0, 2, 4), Accuracy(1, 1, 3, 4)):
        store.record(second, cell)
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


@pytest.mark.slow
def test_ctrl_c_stops_within_a_batch_and_says_how_to_resume(home: Path) -> None:
    words = [
        "train",
        "--epochs",
        "50",
        "--hidden-size",
        "16",
        "--word-size",
        "16",
        "--action-size",
        "16",
        "--threads",
        "1",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    lines = [process.stdout.readline() for _ in range(3)]  # the run, then two epochs
    assert "epoch 2" in lines[2]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "python -m core resume 1" in out
    assert err.startswith("Run 1 (total_recall on demo, seed 0) is stopped after ")
    assert Store().run(1).status == "stopped"
    assert checkpoints.load(1)["position"][2] >= 2


# --- display ----------------------------------------------------------------------------------------


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_and_a_file_gets_lines() -> None:
    events = (
        RunStarted(("zoo", "port"), (5, 6), (4, 4), ((4,), (4, 4)), 9, 4, 77, "cpu"),
        Progress(25, 100, 0, "slow", 2, 10, 1.25),
        Epoch(0, "slow", 2, 1.5, 10, 0.1),
        Accuracy(0, 0, 1, 4),
        Accuracy(1, 0, 2, 4),
        Accuracy(1, 1, 2, 2),
    )
    screen, file = Screen(), io.StringIO()
    for out in (screen, file):
        display = Display(out)
        for event in events:
            display.show(event)
        display.close()
    assert "██████░░" in screen.getvalue()
    assert " 25%  task 1/2 zoo  slow 3/10  loss 1.2500" in screen.getvalue()
    assert file.getvalue().splitlines() == [
        "task 1/2 zoo  slow epoch 3  loss 1.5000  25%",
        "after task 1/2 zoo  ACC_whole 25.00%  ACC_avg 25.00%",
        "after task 2/2 port  ACC_whole 66.67%  ACC_avg 75.00%",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.4, "0 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


# --- speed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["runs"], ["stop", "1"]])
def test_looking_on_does_not_import_torch(words: list[str]) -> None:
    code = (
        "import sys\nfrom core.__main__ import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "assert 'torch' not in sys.modules"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
