"""Which settings of the option `device` a worker's device answers to."""

import subprocess
import sys

import pytest
import torch

from core.config import RunConfig
from core.options import ConfigError
from core.paths import PROJECT
from core.runs import devices


@pytest.mark.parametrize("cuda", [0, 2])
def test_every_setting_is_answered_by_one_device(
    cuda: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "has_driver", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    available = devices.available()
    assert available == ("cpu", "cuda:0", "cuda:1")[: cuda + 1]
    for setting in ("auto", "cpu", *(("cuda", "cuda:0", "cuda:1") if cuda else ())):
        answering = [device for device in available if setting in devices.settings(device)]
        assert answering == [devices.resolve(RunConfig(device=setting))]
    assert devices.resolve(RunConfig(device="auto")) == ("cuda:0" if cuda else "cpu")
    with pytest.raises(ConfigError, match="cuda:2"):
        devices.resolve(RunConfig(device="cuda:2"))


@pytest.mark.skipif(devices.has_driver(), reason="with no NVIDIA GPU only")
def test_without_a_driver_pytorch_is_not_asked() -> None:
    asked = "devices.available(), devices.settings('cpu')"
    code = f"import sys; from core.runs import devices; print({asked}, 'torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("('cpu',) frozenset({")
    assert "auto" in done.stdout
    assert done.stdout.endswith("False\n")
