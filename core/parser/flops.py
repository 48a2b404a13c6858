"""How many floating-point operations the parser's matrix products take, counted from its sizes.

A product of (m, k) and (k, n) is 2 m n k operations. Only real words and steps count, so padding
shows as a lower share of the machine's rate. Backward takes two products for each forward one.
"""

from collections.abc import Iterator
from itertools import chain

from torch import Tensor, nn

from core.parser.batch import Batch
from core.parser.model import Parser

BACKWARD = 2


def forward_flops(parser: Parser, batch: Batch) -> int:
    """Operations of one teacher-forced pass over the batch."""
    hidden = parser.init_decoder.out_features
    words, steps = int(batch.lengths.sum()), int(batch.steps.sum())
    inner = int((batch.lengths * batch.steps).sum())  # pairs of a step and a word
    size = parser.action_embedding.shape[1]
    encoder = 2 * words * 4 * hidden * (parser.encoder.input_size + hidden) * 2  # both directions
    first = 2 * len(batch) * 2 * hidden * hidden
    keys = 2 * words * 2 * hidden * hidden
    decoder = 2 * steps * 4 * hidden * (parser.decoder.input_size + hidden)
    attention = 2 * inner * (hidden + 2 * hidden)
    combine = 2 * steps * 3 * hidden * size
    scores = 2 * steps * size * len(parser.action_embedding)
    counted = encoder + first + keys + decoder + attention + combine + scores
    return counted + (_of_transformer(parser, batch) if parser.transformer else 0)


def _of_transformer(parser: Parser, batch: Batch) -> int:
    """Of a transformer that moves, its products with weights: two a weight and word.

    Words have a piece or more, so it is rather less than what is done; a fixed one's states are
    only looked up.
    """
    transformer = parser.transformer
    if transformer is None or not transformer.moves:
        return 0
    weights = sum(w.numel() for name, w in _weights(transformer.module) if "embedding" not in name)
    return 2 * int(batch.lengths.sum()) * weights


def _weights(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """The matrices, those that are held as buffers too."""
    for name, tensor in chain(module.named_parameters(), module.named_buffers()):
        if tensor.dim() == 2:
            yield name, tensor


def training_flops(parser: Parser, batch: Batch) -> int:
    """Operations of a forward and a backward pass with all parameters moving."""
    return (1 + BACKWARD) * forward_flops(parser, batch)
