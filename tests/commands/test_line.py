"""A configuration as words of the command line, and back."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.__main__ import main
from core.analysis.command_line import command_line, flag
from core.commands.entry import build_parser
from core.commands.line import read_config
from core.config import OPTION_GROUPS, RunConfig
from core.options import ConfigError, OptionSpec, read_toml, specs
from core.registry import methods
from core.validation import default_sampler


def parse(words: list[str]) -> RunConfig:
    args, more = build_parser(words).parse_known_args(words)
    return read_config(args, more, read_toml(args.config) if args.config else {})


def values(spec: OptionSpec) -> st.SearchStrategy[Any]:
    if spec.choices is not None:
        return st.sampled_from(spec.choices)
    if spec.type is bool:
        return st.booleans()
    if spec.type is int:
        bounds = (None if end is None else int(end) for end in (spec.low, spec.high))
        return st.integers(*bounds)
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


@settings(deadline=None, max_examples=60)
@given(configs())
def test_a_config_as_words_and_back_is_the_same(config: RunConfig) -> None:
    for default in ("", default_sampler(config.method)):
        words = shlex.split(command_line(config, default))
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
    emr = parse(["train", "--config", str(file), "--method", "emr"])
    assert dict(emr.method_options) == {}  # they were those of total_recall
    file.write_text("epochs = ")
    with pytest.raises(ConfigError, match=r"base\.toml"):
        parse(["train", "--config", str(file)])


@pytest.mark.parametrize("name", list(methods))
def test_a_method_brings_its_default_sampler_unless_another_is_said(
    name: str, tmp_path: Path
) -> None:
    default = default_sampler(name)
    assert parse(["train", "--method", name]).sampler == default
    assert parse(["train", "--method", name, "--sampler", "lfs"]).sampler == "lfs"
    file = tmp_path / "base.toml"
    file.write_text(f'method = "{name}"\n')
    assert parse(["train", "--config", str(file)]).sampler == default
    file.write_text(f'method = "{name}"\nsampler = "lfs"\n')
    assert parse(["train", "--config", str(file)]).sampler == "lfs"
    assert f"--sampler {default}" not in command_line(
        RunConfig(method=name, sampler=default), default
    )


def test_an_option_that_the_method_has_not_is_answered_with_those_that_it_has() -> None:
    with pytest.raises(
        ConfigError,
        match=r"--method.lwf is not an option; EMR has "
        r"--method.replay, --method.replay-rows, --method.fast-epochs\.",
    ):
        parse(["train", "--method", "emr", "--method.lwf", "3"])


@pytest.mark.parametrize(
    "words",
    [
        ["train", "--config"],
        ["results", "--dataset", "demo", "--from"],
        ["experiment", "new"],
        ["experiment", "import"],
        ["data", "import"],
        ["train", "--dataset", "toy", "--epochs", "1", "--embeddings"],
    ],
    ids=" ".join,
)
def test_pipes_devices_and_folders_are_no_files(capsys, tmp_path, words: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        assert main([*words, str(path)]) in (1, 2)
        said = capsys.readouterr().err
        assert "Unexpected" not in said
        assert said.count("\n") == 1
