"""LFS, logical form selection (the paper's §5.3, Table 2): the medoids of the form clusters."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.data.base import Example
from core.registry import samplers
from core.samplers.base import Selection
from core.samplers.parts.filling import fill_at_random
from core.similarity.base import distinct_forms
from core.similarity.clusters import ClusterOptions, cluster_forms
from core.stopping import ShouldStop, never


@samplers.register("lfs", label="LFS", options=ClusterOptions, rank=20)
def lfs(
    examples: Sequence[Example],
    size: int,
    options: ClusterOptions,
    rng: np.random.Generator,
    parser: Any = None,
    should_stop: ShouldStop = never,
) -> Selection:
    """The first row of the form in the middle of each cluster of logical forms.

    Row i of the selection belongs to cluster i. With fewer distinct forms than `size` every form
    has its row, and the rest is drawn evenly.
    """
    forms = distinct_forms(examples)
    clustering = cluster_forms(forms, size, options, rng, should_stop)
    middle = forms.first_rows[clustering.medoids].tolist()
    trace = {
        "clusters": clustering.labels.tolist(),
        "medoids": clustering.medoids.tolist(),
        "loss": clustering.loss,
    }
    return Selection(fill_at_random(middle, size, len(examples), rng), trace)
