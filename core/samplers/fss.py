"""FSS, feature space selection (Aljundi et al., 2019; Wang et al., 2019; the paper's Table 2)."""

from collections.abc import Sequence

import numpy as np

from core.data.base import Example
from core.parser.model import Parser
from core.registry import NoOptions, samplers
from core.samplers.base import Selection
from core.samplers.parts.centres import nearest_to_centres
from core.samplers.parts.parser_views import utterance_encodings


@samplers.register("fss", label="FSS", rank=40, parser=True)
def fss(
    examples: Sequence[Example],
    size: int,
    options: NoOptions,
    rng: np.random.Generator,
    parser: Parser,
) -> Selection:
    """The rows whose utterance encodings are nearest to the centres of a k-means of them."""
    return nearest_to_centres(utterance_encodings(examples, parser), size, rng)
