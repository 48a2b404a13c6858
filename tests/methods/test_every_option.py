"""Every choice that a method or a run offers: stopped and gone on with to the same bits, from every
second checkpoint (from any: test_training)."""

import pytest

from core.registry import methods
from core.training.progress import work
from tests.learners import choices, copied, equal, run, run_choices

OF_METHODS = [(name, options, {}) for name, options in choices()]
AS_RELEASED = {
    "optimizer": "kept",
    "applicable": "type",
    "task_masking": True,
    "label_smoothing": 0.1,
    "clip_norm": 0.0,
    "action_init": "glorot",
}
OF_EVERY_METHOD = [(name, {}, AS_RELEASED) for name in methods]
OF_RUNS = [
    ("total_recall", {"penalty": "ewc", "adapters": "full"}, changes) for changes in run_choices()
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "changes"), [*OF_METHODS, *OF_EVERY_METHOD, *OF_RUNS], ids=str
)
def test_going_on_with_any_option_gives_the_same_bits(toy_config, name, options, changes) -> None:
    config = toy_config.with_(
        method=name, method_options=options, task_order=("zoo", "port"), **changes
    )
    states: list[dict] = []
    events, end = run(config, save=lambda state: states.append(copied(state)))
    assert sum(e["work"] for e in events if e["kind"] == "StageTime") == pytest.approx(work(config))
    for state in states[len(states) % 2 : -1 : 2]:
        resumed, parameters = run(config, resume=copied(state))
        assert equal(parameters, end), state["position"]
        for event in resumed:
            if event["kind"] in ("Epoch", "Accuracy", "MemoryStored", "Measures"):
                assert event in events
