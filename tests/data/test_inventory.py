"""What is on this machine, judged by size, and by digest where asked."""

from pathlib import Path

import pytest

from core.data.base import DataError
from core.data.io.inventory import (
    State,
    Verdict,
    available,
    check,
    downloadable,
    published_files,
)
from core.registry import datasets
from tests.data.mirror import NAMES, contents, write_files


@pytest.fixture
def data(data: Path) -> Path:
    """The data folder with all the files in it."""
    return write_files(data)


def test_the_published_files_are_those_that_the_data_sets_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {name: len(published_files(name)) for name in downloadable()}
    assert counts == {"overnight": 16, "nlmap_qt": 12, "nlmap_city": 24}
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    for name, entry in datasets.items():
        if not entry.folder:
            continue
        form = "( f x )" if name == "overnight" else "f(x)"
        for file in published_files(name):
            file.path.parent.mkdir(exist_ok=True)
            file.path.write_text(f"what is x\t{form}\n", encoding="utf-8")
            assert len(file.digest) == 64
            assert file.size
        tasks = {task.name for task in entry.value(entry.options())}
        assert tasks == {Path(file.name).stem.rpartition("_")[0] for file in published_files(name)}


def test_complete_partial_and_missing(data: Path) -> None:
    total = sum(map(len, contents().values()))
    inventory = available()["overnight"]
    assert (inventory.state, inventory.files_there, inventory.files) == (State.COMPLETE, 4, 4)
    assert (inventory.bytes_there, inventory.bytes) == (total, total)
    (data / NAMES[0]).write_bytes(b"short")
    inventory = available()["overnight"]
    assert (inventory.state, inventory.files_there) == (State.PARTIAL, 3)
    assert inventory.bytes_there == total - len(contents()[NAMES[0]])
    for name in NAMES:
        (data / name).unlink()
    assert available()["overnight"].state is State.MISSING


def test_no_folder_at_all_is_missing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(data / "nowhere"))
    assert available()["overnight"].state is State.MISSING
    assert set(check("overnight").values()) == {Verdict.MISSING}


def test_digests_find_what_sizes_do_not(data: Path) -> None:
    assert set(check("overnight").values()) == {Verdict.RIGHT}
    content = (data / NAMES[0]).read_bytes()
    (data / NAMES[0]).write_bytes(content[:-1] + b"!")
    (data / NAMES[1]).unlink()
    (data / NAMES[2]).write_bytes(b"")
    assert available()["overnight"].files_there == 2
    assert check("overnight") == {
        NAMES[0]: Verdict.WRONG,
        NAMES[1]: Verdict.MISSING,
        NAMES[2]: Verdict.WRONG,
        NAMES[3]: Verdict.RIGHT,
    }


def test_what_can_not_be_read_is_named(data: Path) -> None:
    (data / NAMES[3]).unlink()
    (data / NAMES[3]).mkdir()
    size = (data / NAMES[3]).stat().st_size
    table = data.parent / "digests.txt"
    table.write_text(f"{'0' * 64} {size} {NAMES[3]}\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"{NAMES[3]}: can't be read"):
        check("overnight")


@pytest.mark.data
@pytest.mark.parametrize("name", ["overnight", "nlmap_qt", "nlmap_city"])
def test_the_real_files_are_the_published_ones(real_data: Path, name: str) -> None:
    assert set(check(name).values()) == {Verdict.RIGHT}
    assert available()[name].state is State.COMPLETE
