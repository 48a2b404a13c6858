"""Over the registry: what a method says it needs, what must not move, task masking, what grows."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.evaluation import hypotheses
from core.events import Epoch, Event
from core.methods.base import Method, Stage
from core.methods.parts.penalty import Penalty
from core.parser.applicable import MASKED
from core.parser.batch import Batch
from core.registry import methods
from core.training.assembly import Learner
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer
from core.validation import requirements
from tests.learners import EVERY_CHOICE, TOGETHER, copied, equal, moved_rows, option_names, run

WITH_DEFAULTS = [(name, {}) for name in methods]


@pytest.mark.parametrize(("name", "options"), EVERY_CHOICE, ids=str)
def test_a_method_says_what_it_needs(toy_config, name, options) -> None:
    learner = Learner(toy_config.with_(method=name, method_options=options))
    method, parser, said = learner.method, learner.parser, requirements(methods[name])
    attached = [part for part in (parser.adapter, parser.readout, parser.masks) if part is not None]
    assert not attached or "the parser's" in said
    penalties = [part for part in vars(method).values() if isinstance(part, Penalty)]
    assert not penalties or "Fisher information" in said
    past = set(method.training_batch(2).tasks.tolist()) != {2}
    assert past == ("all training rows of past tasks" in said)
    assert methods[name].memory == ("a memory of each finished task" in said)


@pytest.mark.parametrize("name", methods)
def test_a_method_counts_the_examples_that_it_learns_from(toy_config, name) -> None:
    method = Learner(toy_config.with_(method=name)).method
    assert [method.n_examples(k) for k in range(3)] == [
        len(method.training_batch(k)) for k in range(3)
    ]


@pytest.mark.parametrize(("name", "options"), EVERY_CHOICE, ids=str)
def test_tasks_have_parameters_of_their_own_where_the_parser_has_adapters_or_masks(
    toy_config, name, options
) -> None:
    learner = Learner(toy_config.with_(method=name, method_options=options))
    by_task = [part for part in (learner.parser.adapter, learner.parser.masks) if part is not None]
    assert (learner.facts().task_parameters > 0) == bool(by_task)


SAMPLED = {"replay": "sample", "replay_rows": 2, "memory_rows": 2}


@pytest.mark.parametrize("method", methods)
def test_no_batch_holds_an_example_twice(toy_config, method, monkeypatch) -> None:
    taken: list[list[int]] = []
    take = Batch.take

    def recorded(self: Batch, rows) -> Batch:
        taken.append(torch.as_tensor(rows).tolist())
        return take(self, rows)

    monkeypatch.setattr(Batch, "take", recorded)
    options = {name: SAMPLED[name] for name in SAMPLED.keys() & option_names(method)}
    train(toy_config.with_(method=method, method_options=options, epochs=4), lambda event: None)
    assert max(map(len, taken)) > 1
    assert all(len(set(rows)) == len(rows) for rows in taken)


class Watched(StageOptimizer):
    """Compares the parameters at a stage's end with those at its start."""

    compared: list[tuple[int, str]]

    def __init__(self, method: Method, k: int, stage: Stage, *kept: torch.optim.Adam) -> None:
        super().__init__(method, k, stage, *kept)
        self.start = self.parameters()
        self.held = method.frozen_actions(k, stage) | ~self.parser.grammar.known(k)

    def parameters(self) -> dict[str, torch.Tensor]:
        return {name: p.detach().clone() for name, p in self.parser.named_parameters()}

    def end(self) -> None:
        super().end()
        after, may = self.parameters(), {id(p) for p in self.trainable}
        for name, parameter in self.parser.named_parameters():
            if id(parameter) not in may:
                assert torch.equal(self.start[name], after[name]), name
        moved = moved_rows(self.start, after)
        assert not moved[self.held].any()
        assert moved.any()
        self.compared.append((self.k, self.stage.name))


@pytest.mark.parametrize(
    "settings",
    [{}, {"task_masking": True}, {"optimizer": "kept"}, {"applicable": "type", "clip_norm": 0.0}],
    ids=str,
)
@pytest.mark.parametrize(
    ("name", "options"),
    [*WITH_DEFAULTS, *TOGETHER],
    ids=str,
)
def test_nothing_moves_but_what_a_stage_moves(
    toy_config, name, options, settings, monkeypatch
) -> None:
    Watched.compared = []
    monkeypatch.setattr("core.training.sequence.StageOptimizer", Watched)
    config = toy_config.with_(method=name, method_options=options, epochs=1, **settings)
    method = train(config, lambda event: None).method
    assert Watched.compared == [(k, s.name) for k in range(3) for s in method.stages(k)]


@pytest.mark.parametrize("name", list(methods))
def test_with_task_masking_a_run_goes_on_to_the_same_bits(toy_config, name) -> None:
    config = toy_config.with_(method=name, task_masking=True, epochs=1, task_order=("zoo", "port"))
    states: list[dict] = []
    _, end = run(config, save=lambda state: states.append(copied(state)))
    for state in states:
        assert equal(run(config, resume=copied(state))[1], end), state["position"]


@pytest.mark.parametrize("name", list(methods))
def test_with_task_masking_no_task_is_parsed_with_anothers_own_actions(toy_config, name) -> None:
    def foreign(masking: bool) -> int:
        """Steps that take an action which one other task alone has, over all tasks' test rows."""
        config = toy_config.with_(method=name, task_masking=masking, epochs=1)
        learner = train(config, lambda event: None)
        specific = learner.grammar.specific_to(2)
        count = 0
        for i in range(3):
            foreign_actions = specific[np.arange(3) != i].any(axis=0)
            parsed = hypotheses(learner.parser, learner.test_batches[i])
            for hypothesis in parsed:
                actions = list(hypothesis.actions)
                if hypothesis.log_prob <= MASKED / 2:  # an empty A_t ended it: no choice
                    del actions[-1:]
                count += int(foreign_actions[actions].sum())
        return count

    assert foreign(True) == 0
    assert foreign(False) > 0  # hardly trained, they take them where they may


def held(config: RunConfig, count: Callable[[dict], int]) -> list[int]:
    """What the method's state holds after each task; its losses are those of choices that are."""
    counts: dict[int, int] = {}

    def check(event: Event) -> None:  # the score of an action outside A_t is MASKED, −1e30
        assert not isinstance(event, Epoch) or abs(event.loss) < 1e6, event

    def save(state: dict) -> None:
        if state["position"][1:] == [0, 0]:
            counts[state["position"][0]] = count(state["method"])

    train(config.with_(epochs=1), check, save=save)
    return [counts[k] for k in (1, 2, 3)]


def numbers(state: object) -> int:
    """How many numbers the tensors of a state have."""
    if isinstance(state, (dict, list, tuple)):
        return sum(map(numbers, state.values() if isinstance(state, dict) else state))
    return state.numel() if isinstance(state, torch.Tensor) else 0


@pytest.mark.parametrize(("name", "options"), EVERY_CHOICE, ids=str)
def test_what_a_method_holds_grows_only_where_it_says_so(toy_config, name, options) -> None:
    """By `past`: what it needs of past tasks beside a memory."""
    first, second, third = held(toy_config.with_(method=name, method_options=options), numbers)
    assert first == second == third or methods[name].past
