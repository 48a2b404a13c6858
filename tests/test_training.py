"""Runs as a whole: what they record, that they stop and go on, and that equal configs agree."""

import threading

import pytest
import torch

from core.config import RunConfig
from core.events import (
    Accuracy,
    ActionProbabilities,
    Epoch,
    ErrorCounts,
    MemoryStored,
    Predictions,
    Progress,
    RunStarted,
    StageTime,
)
from core.options import ConfigError
from core.registry import methods
from core.stopping import Stopped
from core.training.checks import validate
from core.training.progress import calibrate, work
from core.training.sequence import TrainingFailed, train
from core.training.stage_optimizer import learning_rate
from tests.conftest import make_toy_tasks
from tests.learners import copied, equal, run


@pytest.mark.parametrize("name", list(methods))
def test_going_on_from_any_checkpoint_gives_the_same_bits(toy_config, name) -> None:
    config = toy_config.with_(method=name)
    states: list[dict] = []
    events, end = run(config, save=lambda state: states.append(copied(state)))
    assert len(states) >= 5 or name == "oracle"
    for state in states:
        resumed, parameters = run(config, resume=copied(state))
        assert equal(parameters, end), state["position"]
        for event in resumed:
            if event["kind"] in ("Epoch", "Accuracy", "MemoryStored"):
                assert event in events


@pytest.mark.parametrize("name", list(methods))
def test_a_run_stopped_within_any_batch_goes_on_to_the_same_bits(toy_config, name) -> None:
    config = toy_config.with_(method=name, task_order=("zoo", "farm"), epochs=1)
    asked = [0]

    def count() -> bool:
        asked[0] += 1
        return False

    _, end = run(config, should_stop=count)
    for when in range(0, asked[0], 3):
        left, states = [when], [None]

        def stop(left: list = left) -> bool:
            left[0] -= 1
            return left[0] < 0

        with pytest.raises(Stopped):
            run(config, should_stop=stop, save=lambda s, into=states: into.append(copied(s)))
        _, parameters = run(config, resume=states[-1])
        assert equal(parameters, end)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in methods), ("total_recall", {"penalty": "ewc", "fisher": "example"})],
)
def test_a_stop_is_looked_for_between_few_gradients(toy_config, monkeypatch, name, options) -> None:
    computed, counts = [0], []

    def counting(compute):
        def counted(*args, **more):
            computed[0] += 1
            return compute(*args, **more)

        return counted

    for owner, function in ((torch.Tensor, "backward"), (torch.autograd, "grad")):
        monkeypatch.setattr(owner, function, counting(getattr(owner, function)))

    def look() -> bool:
        counts.append(computed[0])
        computed[0] = 0
        return False

    config = toy_config.with_(method=name, method_options=options, memory_size=6, epochs=1)
    run(config, should_stop=look)
    assert max(counts) <= 1 + len(make_toy_tasks())


def test_a_run_stops_while_a_memory_is_chosen_by_smatch_and_chooses_it_on_resuming(
    toy_config, monkeypatch, tmp_path
) -> None:
    config = toy_config.with_(
        method="emr", sampler="lfs", sampler_options={"similarity": "smatch"}, memory_size=2
    )
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(tmp_path / "uninterrupted"))
    _, end = run(config)
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(tmp_path / "stopped"))
    events, states = [], [None]

    def choosing() -> bool:  # the first task is learned, nothing of it is chosen or evaluated
        return isinstance(events[-1], StageTime)

    with pytest.raises(Stopped):
        train(config, events.append, choosing, save=lambda state: states.append(copied(state)))
    assert not any(isinstance(event, MemoryStored) for event in events)
    _, parameters = run(config, resume=states[-1])
    assert equal(parameters, end)


def test_equal_configs_in_two_threads_at_once_give_equal_bits(toy_config) -> None:
    config = toy_config.with_(epochs=6)
    parameters: dict[str, list] = {}

    def go(name: str, config_of_thread: RunConfig) -> None:
        parameters[name] = run(config_of_thread)[1]

    threads = [
        threading.Thread(target=go, args=(name, config.with_(seed=seed)))
        for name, seed in (("a", 0), ("b", 0), ("other", 1))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert equal(parameters["a"], parameters["b"])
    assert equal(parameters["a"], run(config)[1])
    assert not equal(parameters["a"], parameters["other"])


def test_what_a_run_tells(toy_config) -> None:
    config = toy_config.with_(method="total_recall", method_options={"fast_epochs": 1})
    events: list = []
    train(config, events.append)
    facts = events[0]
    assert isinstance(facts, RunStarted)
    assert facts.tasks == ("zoo", "port", "farm")
    assert facts.n_test == (5, 5, 5)
    assert facts.covered == ((5,), (5, 5), (5, 5, 5))
    epochs = [(e.task, e.stage, e.epoch) for e in events if isinstance(e, Epoch)]
    stages = [("fast", 0), ("slow", 0), ("slow", 1)]
    assert epochs == [(k, stage, epoch) for k in range(3) for stage, epoch in stages]
    accuracies = [e for e in events if isinstance(e, Accuracy)]
    assert [(e.after, e.on) for e in accuracies] == [(k, i) for k in range(3) for i in range(k + 1)]
    assert all(0 <= e.correct <= e.total for e in accuracies)
    assert {e.stage for e in events if isinstance(e, StageTime)} == {
        "fast",
        "slow",
        "sampling",
        "evaluation",
        "recording",
    }
    progress = [e for e in events if isinstance(e, Progress)]
    done = [e.done for e in progress]
    assert done == sorted(done)
    assert all(e.total == pytest.approx(work(config)) for e in progress)
    assert done[-1] <= progress[-1].total * 1.0001


@pytest.mark.parametrize("name", list(methods))
def test_the_work_of_stages_and_evaluations_is_the_work_of_the_run(toy_config, name) -> None:
    config = toy_config.with_(method=name)
    events: list = []
    train(config, events.append)
    recorded = sum(event.work for event in events if isinstance(event, StageTime))
    assert recorded == pytest.approx(work(config))


def test_a_loss_that_is_not_finite_ends_the_run_with_task_stage_epoch_and_hint(
    tmp_path, toy_config
) -> None:
    path = tmp_path / "huge.txt"
    words = ["show", "all", "animals", "that", "are", "big", "small", "how", "many", "please"]
    path.write_text("\n".join(f"{word} 3e38 3e38 -3e38" for word in words), encoding="utf-8")
    with pytest.raises(TrainingFailed) as failure:
        train(toy_config.with_(embeddings=str(path)), lambda event: None)
    for part in ("task 1", "zoo", "stage fast", "epoch 1", "learning_rate"):
        assert part in str(failure.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"method": "sgd"}, "method 'sgd' is not known; there are: finetune"),
        (
            {"method": "emr", "memory_size": 0},
            "memory_size = 0: expected a whole number from 1",
        ),
        (
            {"method": "emr", "method_options": {"replay": "all"}},
            "emr.replay = 'all': expected one",
        ),
        ({"method_options": {"ewc_weight": -1.0}}, "ewc_weight = -1.0: expected a number from 0"),
        ({"sampler": "best"}, "sampler 'best' is not known"),
        ({"device": "tpu"}, "device = 'tpu'"),
        ({"device": "cuda:99"}, "device = 'cuda:99': this machine has"),
        ({"embeddings": "nowhere.txt"}, "there is no such file"),
        ({"task_order": ("zoo",)}, "at least 2"),
        ({"task_order": ("zoo", "moon")}, "'moon' is not a task"),
        ({"task_order": ("zoo", "zoo")}, "'zoo' is named twice"),
        ({"dataset": "atlantis"}, "dataset 'atlantis' is not known"),
    ],
)
def test_a_config_that_cannot_run_is_refused_before_it_starts(toy_config, changes, says) -> None:
    with pytest.raises(ConfigError) as refusal:
        validate(toy_config.with_(**changes))
    assert says in str(refusal.value)


def test_a_good_config_is_accepted(toy_config) -> None:
    validate(toy_config)


def test_calibration_measures_real_steps(toy_config) -> None:
    assert calibrate(toy_config, seconds=0.05) > 0


def test_idioms_shorten_derivations_and_change_no_form(toy_config) -> None:
    events: list = []
    config = toy_config.with_(method="finetune", idioms=5, epochs=80, dropout=0.0)
    learner = train(config, events.append)
    plain_learner = train(toy_config, lambda event: None)
    assert learner.grammar.longest < plain_learner.grammar.longest
    assert learner.grammar.counts.sum() < plain_learner.grammar.counts.sum()
    last = [e for e in events if isinstance(e, Accuracy) and e.after == e.on]
    assert all(e.correct == e.total for e in last)


def test_a_linear_schedule_lowers_the_rate_in_every_stage_epoch_by_epoch(
    toy_config, monkeypatch
) -> None:
    rates: list[float] = []
    step = torch.optim.Adam.step

    def note(optimizer: torch.optim.Adam, *args: object) -> None:
        rates.append(optimizer.param_groups[0]["lr"])
        step(optimizer, *args)

    monkeypatch.setattr(torch.optim.Adam, "step", note)
    config = toy_config.with_(
        method="finetune", epochs=4, schedule="linear", learning_rate=0.08, batch_size=100
    )
    train(config, lambda event: None)
    assert rates == pytest.approx([0.08, 0.06, 0.04, 0.02] * 3)
    assert learning_rate(config.with_(schedule="constant"), 3, 4) == 0.08


def test_a_linear_schedule_goes_on_where_it_stood(toy_config) -> None:
    config = toy_config.with_(schedule="linear", epochs=3)
    states: list[dict] = []
    _, end = run(config, save=lambda state: states.append(copied(state)))
    for state in states:
        assert equal(run(config, resume=state)[1], end)


@pytest.mark.parametrize("name", list(methods))
def test_progress_ends_at_the_total_and_goes_on_right_after_resuming(toy_config, name) -> None:
    config = toy_config.with_(method=name, recording_budget=100.0)
    events: list = []
    states: list[tuple[dict, float]] = []  # checkpoints, and the progress before each
    train(config, events.append, save=lambda s: states.append((copied(s), len(events))))
    done = [event.done for event in events if isinstance(event, Progress)]
    assert done[-1] == pytest.approx(work(config))
    assert {ActionProbabilities, ErrorCounts, Predictions} <= {type(event) for event in events}
    for state, n_events in states[:-1]:
        resumed: list = []
        train(config, resumed.append, resume=state)
        again = [event.done for event in resumed if isinstance(event, Progress)]
        rest = [event.done for event in events[n_events:] if isinstance(event, Progress)]
        assert again == pytest.approx(rest)
