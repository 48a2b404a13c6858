"""Dynamic action representations: what ĥ is, whose adapters move, what is counted."""

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.generators import Generators
from core.methods.base import Stage
from core.methods.parts.adapters import Adapters
from core.parser.batch import join
from core.parser.decode import parse
from core.registry import methods
from core.training.assembly import Learner
from core.training.sequence import train
from tests.learners import Stages, option_names
from tests.parser import reference

VARIANTS = ["full", "without_cross"]
WITH_ADAPTERS = [name for name in methods if "adapters" in option_names(name)]
FULL = {"method": "total_recall", "method_options": {"adapters": "full"}}


def make(variant: str, tasks: int = 3, size: int = 6) -> Adapters:
    rng = Generators(0).for_tensors("adapters")
    return Adapters(tasks, size, variant == "full", rng)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_state_is_adapted_as_the_paper_defines_it(variant) -> None:
    adapters = make(variant)
    h, tasks = torch.randn(5, 4, 6), torch.tensor([2, 0, 2, 1, 0])
    adapted = adapters(h, tasks)
    for row, task in enumerate(tasks.tolist()):
        for step in range(4):
            before = h[row, step]
            expected = torch.tanh(adapters.change[task] @ before)
            if variant == "full":
                gate = torch.sigmoid(adapters.gate[task] @ torch.cat([expected, before]))
                expected = gate * expected + (1 - gate) * before
            assert torch.allclose(adapted[row, step], expected, atol=1e-6)


def test_the_releases_formula_has_the_gate_swapped_biases_and_a_further_tanh() -> None:
    rng = Generators(0).for_tensors("adapters")
    adapters = Adapters(3, 6, gated=True, rng=rng, released=True)
    assert all(not bias.any() for bias in (*adapters.change_bias, *adapters.gate_bias))
    with torch.no_grad():
        for bias in (*adapters.change_bias, *adapters.gate_bias):
            bias.normal_(generator=rng)
    h, tasks = torch.randn(5, 4, 6), torch.tensor([2, 0, 2, 1, 0])
    adapted = adapters(h, tasks)
    for row, task in enumerate(tasks.tolist()):
        for step in range(4):
            before = h[row, step]
            changed = torch.tanh(adapters.change[task] @ before + adapters.change_bias[task])
            both = torch.cat([changed, before])
            gate = torch.sigmoid(adapters.gate[task] @ both + adapters.gate_bias[task])
            expected = torch.tanh(gate * before + (1 - gate) * changed)
            assert torch.allclose(adapted[row, step], expected, atol=1e-6)
    assert adapters.n_per_task == sum(p.numel() for p in adapters.parameters_of(1)) == 3 * 36 + 12
    assert {id(p) for k in range(3) for p in adapters.parameters_of(k)} == {
        id(p) for p in adapters.parameters()
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_training_one_tasks_adapter_changes_no_bit_of_anothers_output(variant) -> None:
    adapters = make(variant)
    h, tasks = torch.randn(6, 3, 6), torch.tensor([0, 1, 0, 1, 1, 0])
    before = adapters(h, tasks).detach()
    optimizer = torch.optim.Adam(adapters.parameters_of(1), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        adapters(h, tasks).square().sum().backward()
        optimizer.step()
    after = adapters(h, tasks).detach()
    assert torch.equal(before[tasks == 0], after[tasks == 0])
    assert not torch.equal(before[tasks == 1], after[tasks == 1])


class AdaptedReader(reference.Reader):
    """The plain parser with ĥ in attention and s_t; the recurrence keeps h."""

    def __init__(self, parser, words, task) -> None:
        super().__init__(parser, words)
        self.task = torch.tensor([task])

    def scores(self) -> torch.Tensor:
        parser = self.parser
        self.h, self.c = reference.lstm_step(self.input, self.h, self.c, parser.decoder)
        adapted = parser.adapter(self.h[None, None], self.task)[0, 0]
        keys = torch.stack([adapted @ parser.to_keys(e) for e in self.states])
        weights = torch.softmax(keys, 0)
        context = sum(w * e for w, e in zip(weights, self.states, strict=True))
        return parser.action_embedding @ torch.tanh(parser.combine(torch.cat([adapted, context])))


@pytest.mark.parametrize("variant", VARIANTS)
@torch.no_grad()
def test_the_parsers_loss_is_that_of_adapted_states(toy_config, variant) -> None:
    learner = Learner(toy_config.with_(method="oracle", method_options={"adapters": variant}))
    parser = learner.parser.eval()
    parser.set_known_tasks(2)
    losses = parser.row_losses(join(learner.train_batches))
    rows = [(task, row) for task in range(3) for row in learner.tasks[task].train]
    for loss, (task, row) in zip(losses.tolist(), rows, strict=True):
        reader, total = AdaptedReader(parser, row.words, task), 0.0
        for slot, action in zip(*parser.grammar.encode(row.derivation), strict=True):
            scores = reader.scores()
            allowed = reference.applicable(parser, slot, task)
            total -= float(scores[action] - torch.logsumexp(scores[allowed], 0))
            reader.take(action)
        assert loss == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("changes", [{}, {"input_feeding": True}, {"beam_size": 3}])
def test_rows_of_several_tasks_are_parsed_as_each_is_alone(toy_config, changes) -> None:
    learner = Learner(toy_config.with_(**FULL, **changes))
    parser = learner.parser
    with torch.no_grad():
        parser.action_embedding.mul_(10)
    parser.set_known_tasks(2)
    rows = join(learner.train_batches)
    together = parse(parser, rows)
    alone = [parse(parser, rows.take([row]))[0] for row in range(len(rows))]
    assert [hypothesis.actions for hypothesis in together] == [
        hypothesis.actions for hypothesis in alone
    ]


def adapter_moves(run: Stages, k: int, stage: str) -> list[bool]:
    """For each task, whether its adapter moved in a stage; all of its tensors or none."""
    before, after = run.before[k, stage], run.after[k, stage]
    moves = []
    for task in range(len(run.learner.tasks)):
        names = [name for name in before if name.startswith("adapter.") and f".{task}" in name]
        moved = {not torch.equal(before[name], after[name]) for name in names}
        assert len(moved) == 1
        moves.append(moved.pop())
    return moves


@pytest.mark.parametrize("penalty", ["none", "ewc"])
@pytest.mark.parametrize("replay", ["sample", "sweep"])
def test_only_the_current_tasks_adapter_moves_and_only_in_the_slow_stage(
    toy_config, penalty, replay
) -> None:
    options = {"adapters": "full", "penalty": penalty, "replay": replay}
    run = Stages(toy_config.with_(method="total_recall", method_options=options))
    for k in (1, 2):
        assert adapter_moves(run, k, "fast") == [False] * 3
        assert adapter_moves(run, k, "slow") == [i == k for i in range(3)]


def test_replay_goes_through_past_adapters_without_reaching_them(toy_config) -> None:
    learner = Learner(toy_config.with_(**FULL))
    learner.memory.indices = {0: (0, 3), 1: (1, 2)}
    parser, stage = learner.parser, Stage("slow", 1)
    parser.set_known_tasks(2)
    moving = {id(p) for p in learner.method.parameters(2, stage)}
    for parameter in parser.parameters():
        parameter.requires_grad_(id(parameter) in moving)
    step = next(iter(learner.method.steps(2, stage)))
    learner.method.loss(2, stage, step)["replay"].backward()
    for task in range(2):
        assert all(p.grad is None for p in parser.adapter.parameters_of(task))
    assert parser.decoder.weight_hh_l0.grad.abs().sum() > 0
    assert parser.init_decoder.weight.grad.abs().sum() > 0


def test_the_oracle_moves_all_adapters(toy_config) -> None:
    config = toy_config.with_(method="oracle", method_options={"adapters": "full"})
    start = Learner(config).parser.state_dict()
    end = train(config, lambda event: None).parser.state_dict()
    names = [name for name in start if name.startswith("adapter.")]
    assert len(names) == 6
    assert all(not torch.equal(start[name], end[name]) for name in names)


def test_an_oracle_that_trains_every_time_draws_its_adapters_anew(toy_config) -> None:
    options = {"adapters": "full", "retrain": "every"}
    learner = Learner(toy_config.with_(method="oracle", method_options=options))
    before = [p.clone() for p in learner.parser.adapter.parameters()]
    learner.method.begin_task(1)
    after = list(learner.parser.adapter.parameters())
    assert all(not torch.equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("method", ["total_recall", "oracle"])
def test_the_rest_of_the_parser_starts_as_without_adapters(toy_config, method) -> None:
    def start(adapters: str) -> Learner:
        return Learner(toy_config.with_(method=method, method_options={"adapters": adapters}))

    plain, full = start("none"), start("full")
    state = full.parser.state_dict()
    for name, value in plain.parser.state_dict().items():
        assert torch.equal(value, state[name])
    again = start("full").parser.state_dict()
    assert all(torch.equal(value, again[name]) for name, value in state.items())


@pytest.mark.parametrize("method", WITH_ADAPTERS)
@pytest.mark.parametrize(("variant", "squares"), [("full", 3), ("without_cross", 1), ("none", 0)])
def test_a_tasks_parameters_are_counted(toy_config, method, variant, squares) -> None:
    def facts(adapters: str):
        options = {"adapters": adapters}
        return Learner(toy_config.with_(method=method, method_options=options)).facts()

    expected = squares * toy_config.hidden_size**2
    assert facts(variant).task_parameters == expected
    assert facts(variant).parameters == facts("none").parameters + 3 * expected


def test_a_kept_parser_is_read_with_its_adapters(toy_config) -> None:
    kept: dict[int, dict] = {}
    config: RunConfig = toy_config.with_(**FULL)
    learner = train(
        config, lambda event: None, save_parser=lambda k, state: kept.update({k: state})
    )
    fresh = Learner(config)
    fresh.parser.load_state_dict(kept[2]["parser"])
    fresh.parser.set_known_tasks(2)
    rows = join(fresh.train_batches)
    losses = [each.parser.eval().row_losses(rows).detach().numpy() for each in (learner, fresh)]
    assert np.array_equal(*losses)
