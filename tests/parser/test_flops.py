"""The counted operations against those that PyTorch's counter sees."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.config import RunConfig
from core.parser.batch import Batch
from core.parser.flops import forward_flops, training_flops
from core.training.assembly import Learner


def rows_without_padding(learner: Learner, n: int = 16) -> Batch:
    """n times one row: nothing is padded, so counted and done work are the same."""
    return learner.train_batches[0].take([1] * n)


@pytest.mark.filterwarnings("ignore:TF32")
@pytest.mark.parametrize("backward", [False, True])
def test_counted_operations_are_those_that_are_done(backward) -> None:
    learner = Learner(RunConfig(dataset="toy", device="cpu"))
    batch = rows_without_padding(learner)
    # without oneDNN the LSTM runs as products that the counter knows
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        loss = learner.parser.loss(batch)
        if backward:
            loss.backward()
    count = training_flops if backward else forward_flops
    assert count(learner.parser, batch) == pytest.approx(counter.get_total_flops(), rel=0.05)
