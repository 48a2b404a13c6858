"""`bench gpu`: its tables, tried on the CPU."""

import pytest

from core.commands.entry import BAD_USAGE, main


def test_batch_sizes_a_sequence_and_runs_at_once_are_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.commands.bench.workers.WARM_UP", 0.05)
    monkeypatch.setattr("core.commands.bench.gpu.product_rate", lambda device, size: 1e9)
    words = ["--dataset", "toy", "--device", "cpu", "--seconds", "0.2", "--epochs", "1"]
    assert main(["bench", "gpu", *words, "--batch-sizes", "2", "4", "--runs", "2", "1"]) == 0
    out = capsys.readouterr().out
    rows = [line.split(" | ") for line in out.splitlines() if line.startswith("| ")]
    sizes, runs = rows[2:4], rows[6:8]
    assert [row[0] for row in sizes] == ["| 2", "| 4"]
    assert all(float(row[1]) > 0 and float(row[2]) > 0 for row in sizes)
    assert [row[0] for row in runs] == ["| 1", "| 2"]
    assert runs[0][2] == "1.00 × |"
    assert "A whole sequence, 3 tasks, emr, 1 epochs" in out


def test_what_can_not_be_measured_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=str(BAD_USAGE)):
        main(["bench", "gpu", "--runs", "0"])
    assert "--runs: expected a whole number from 1" in capsys.readouterr().err
    assert main(["bench", "gpu", "--dataset", "toy", "--device", "cuda:99"]) == BAD_USAGE
    assert "cuda:99" in capsys.readouterr().err
