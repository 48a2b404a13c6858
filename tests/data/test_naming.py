"""Names of data: an imported file by name and first digits, everywhere; what compares."""

from pathlib import Path

import pytest

from core.analysis.exported_runs import load
from core.analysis.settings import differing
from core.config import RunConfig
from core.data.naming import dataset_name, same_data
from core.data.upload import store_upload
from core.options import ConfigError, read_toml
from core.registry import datasets
from core.runs.run import default_name

ROWS = b"a\ttrain\tx\t( f y )\na\ttest\tx\t( f y )\nb\ttrain\tx\t( f y )\nb\ttest\tx\t( f y )\n"


def learning(digest: str) -> RunConfig:
    return RunConfig(dataset="upload", dataset_options={"file": digest})


def test_two_files_of_one_name_are_told_apart(home: Path) -> None:
    first, second = store_upload(ROWS, "mine.tsv"), store_upload(ROWS + ROWS, "mine.tsv")
    configs = [learning(first.digest), learning(second.digest)]
    names = [f"mine.tsv ({upload.digest[:8]})" for upload in (first, second)]
    assert [dataset_name(config) for config in configs] == names
    assert differing(configs) == [[f"dataset file {name}"] for name in names]
    assert default_name(configs[0]) == f"Total Recall on {names[0]}, seed 0"
    assert not same_data(*configs)
    assert same_data(configs[0], configs[0].with_(seed=3, task_order=("b", "a")))


def test_a_file_that_is_not_here_is_named_by_its_digits(home: Path) -> None:
    assert dataset_name(learning("0123456789abcdef" * 4)) == "file 01234567"
    assert dataset_name(RunConfig(dataset="upload")) == datasets["upload"].label


def test_other_data_sets_go_by_their_label() -> None:
    assert [dataset_name(RunConfig(dataset=name)) for name in ("demo", "overnight")] == [
        "Demo",
        "Overnight",
    ]


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"seed": 1, "order_seed": 4, "method": "finetune"}, True),
        ({"dataset": "overnight"}, False),
        ({"evaluation": "heldout"}, False),
    ],
)
def test_the_same_data_is_what_was_learned(changes: dict, same: bool) -> None:
    assert same_data(RunConfig(), RunConfig().with_(**changes)) is same


def test_files_that_are_nested_deeply_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "deep"
    path.write_text("x = " + "[" * 100_000)
    with pytest.raises(ConfigError, match="nested too deep"):
        read_toml(path)
    path.write_text("[" * 100_000)
    with pytest.raises(ConfigError, match="nested too deep"):
        load(path)
