"""Every choice that a method offers: it can be run, stopped and gone on with to the same bits."""

import pytest

from core.training.progress import work
from tests.learners import choices, copied, equal, run


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), list(choices()), ids=str)
def test_going_on_with_any_option_gives_the_same_bits(toy_config, name, options) -> None:
    config = toy_config.with_(method=name, method_options=options, task_order=("zoo", "port"))
    states: list[dict] = []
    events, end = run(config, save=lambda state: states.append(copied(state)))
    assert sum(e["work"] for e in events if e["kind"] == "StageTime") == pytest.approx(work(config))
    for state in states[:-1]:
        resumed, parameters = run(config, resume=copied(state))
        assert equal(parameters, end), state["position"]
        for event in resumed:
            if event["kind"] in ("Epoch", "Accuracy", "MemoryStored", "Measures"):
                assert event in events
