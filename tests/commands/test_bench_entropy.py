import pytest

from core.__main__ import main
from core.analysis import entropies


def test_measured_stand_below_expected_in_a_table(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    cases = (entropies.Case("toy", "farm", 4, (1.0, 1.5, 2.25)),)
    monkeypatch.setattr(entropies, "EXPECTED", cases)
    monkeypatch.setattr(entropies, "SIZE", 3)
    assert main(["bench", "entropy", "--seeds", "2"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert "n = 2" in lines[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert {len(row) for row in cells} == {2 + len(entropies.SAMPLERS)}
    assert [row[1] for row in cells[2:]] == [
        "expected",
        *entropies.COUNTED,
        "actions, DLFS over h = 4",
    ]
    assert cells[2][2:] == ["1.00", "1.50", "2.25", "–"]
    assert all(
        ("±" in cell) == (place < 3) for row in cells[3:] for place, cell in enumerate(row[2:])
    )


def test_missing_data_and_no_seeds_are_said(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path
):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    assert main(["bench", "entropy"]) == 0
    assert capsys.readouterr().err.count("Not measured: ") == len(entropies.EXPECTED)
    assert main(["bench", "entropy", "--seeds", "0"]) == 2
    assert "expected at least 1" in capsys.readouterr().err
