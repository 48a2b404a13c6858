"""How the cost of each method grows with the tasks: rows that the parser reads, not seconds."""

from collections.abc import Callable

import pytest
import torch

from core.methods.base import Stage
from core.parser.model import Parser
from core.training.assembly import Learner
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer
from tests.learners import EVERY_CHOICE, option_names


def rows_read(learner: Learner, k: int, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """For each stage of task k, the rows that one epoch's steps go forward and back through, and
    what the method says of its work."""
    read = [0]

    def encode(parser: Parser, words: torch.Tensor, *more, real: Callable = Parser.encode):
        read[0] += len(words) * torch.is_grad_enabled()
        return real(parser, words, *more)

    counts = []
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "encode", encode)
        for stage in learner.method.stages(k):
            read[0] = 0
            descent = StageOptimizer(learner.method, k, stage)
            for step in learner.method.steps(k, stage):
                descent.step(step)
            descent.end()
            counts.append((read[0], learner.method.work(k, stage)))
    return counts


@pytest.mark.parametrize(("name", "options"), EVERY_CHOICE, ids=str)
def test_an_epoch_reads_as_many_rows_as_its_work_says(
    toy_config, name, options, monkeypatch
) -> None:
    options = ({"replay_rows": 2} if "replay_rows" in option_names(name) else {}) | options
    config = toy_config.with_(method=name, method_options=options, epochs=1)
    learner = train(config, lambda event: None)
    for k in range(3):
        learner.parser.set_known_tasks(k)
        learner.method.begin_task(k)
        learner.parser.train()
        for read, said in rows_read(learner, k, monkeypatch):
            assert read == pytest.approx(said, rel=0.1)


def test_a_stage_trains_what_there_is_a_name_for() -> None:
    with pytest.raises(TypeError, match="stage x: 'unseen_actions'; expected one of Trainable"):
        Stage("x", 1, "unseen_actions")
