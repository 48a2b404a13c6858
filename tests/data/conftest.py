"""Made-up benchmark files in the place of the published ones."""

from pathlib import Path

import pytest

from tests.data.mirror import contents, write_digests, write_files


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that is not there yet; the mirror's files are taken as the published ones."""
    table = write_digests(tmp_path / "digests.txt", contents())
    monkeypatch.setattr("core.data.io.inventory.DIGESTS", table)
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mirror in a folder."""
    return write_files(tmp_path / "mirror")
