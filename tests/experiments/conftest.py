"""A small experiment on the toy tasks."""

import pytest

from core.config import RunConfig
from core.experiments.experiment import Arm, Experiment, default_pairs


@pytest.fixture
def small(toy_config: RunConfig) -> Experiment:
    """Two methods over three pairs."""
    arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
    return Experiment("small", toy_config, arms, default_pairs(3))
