"""A mirror that is a folder: copied with the same checks as a download."""

from pathlib import Path

import pytest

from core.data.base import DataError
from core.data.io.download import get
from core.data.io.inventory import published_files
from tests.data.mirror import NAMES, contents, on_disk

FILES = contents()
LONG = NAMES[0]


@pytest.mark.parametrize("kind", [str, Path])
def test_it_is_copied(data: Path, folder: Path, kind: type) -> None:
    get("overnight", kind(folder))
    assert on_disk(data) == FILES


def test_a_missing_file_is_named(data: Path, folder: Path) -> None:
    (folder / NAMES[2]).unlink()
    with pytest.raises(DataError, match=f"{NAMES[2]}: can't be read"):
        get("overnight", folder)
    assert set(on_disk(data)) == set(NAMES[:2])


def test_other_content_is_refused(data: Path, folder: Path) -> None:
    (folder / LONG).write_bytes(b"x" * len(FILES[LONG]))
    with pytest.raises(DataError, match="not the published file"):
        get("overnight", folder)
    assert on_disk(data) == {}


def test_a_shorter_file_is_refused(data: Path, folder: Path) -> None:
    (folder / LONG).write_bytes(FILES[LONG][:-1])
    with pytest.raises(DataError, match="the file there is shorter"):
        get("overnight", folder)
    assert LONG not in on_disk(data)


@pytest.mark.data
@pytest.mark.parametrize("name", ["overnight", "nlmap_qt", "nlmap_city"])
def test_the_real_files_pass(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    source = real_data.resolve()
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "copy"))
    get(name, source)
    for file in published_files(name):
        assert file.path.read_bytes() == (source / file.name).read_bytes()
