"""The campaign's short form; the whole of it: `python -m tests.campaign`."""

import random
from pathlib import Path

import pytest

from tests.campaign.bits import plain_home
from tests.campaign.trials import TRIALS, Trial

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("campaign") / "home"


@pytest.mark.parametrize(
    ("trial", "seed"),
    [(trial, seed) for trial in TRIALS for seed in range(trial.n_short)],
    ids=lambda value: value.name if isinstance(value, Trial) else str(value),
)
def test_survives(trial: Trial, seed: int, template: Path, home: Path) -> None:
    plain_home(template)
    trial.run(random.Random(seed), home)
