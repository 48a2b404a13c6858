"""How many floating-point operations the parser's matrix products take, counted from its sizes.

A product of (m, k) and (k, n) is 2 m n k operations. Only real words and steps count, so padding
shows as a lower share of the machine's rate. Backward takes two products for each forward one.
"""

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
    return encoder + first + keys + decoder + attention + combine + scores


def training_flops(parser: Parser, batch: Batch) -> int:
    """Operations of a forward and a backward pass with all parameters moving."""
    return (1 + BACKWARD) * forward_flops(parser, batch)
