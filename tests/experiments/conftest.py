"""A store of its own for each test, and a small experiment on the toy tasks."""

from collections.abc import Iterator

import pytest

from core.config import RunConfig
from core.experiments.experiment import Arm, Experiment, default_pairs
from core.runs.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store()
    yield made
    made.close()


@pytest.fixture
def small(toy_config: RunConfig) -> Experiment:
    """Two methods over three pairs."""
    arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
    return Experiment("small", toy_config, arms, default_pairs(3))
