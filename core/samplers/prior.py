"""PRIOR, the prioritised exemplars of ARPER (Mi et al., 2020, §4.1; the paper's Table 2)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.data.base import Example
from core.language.derivation import Action
from core.parser.model import Parser
from core.registry import NoOptions, samplers
from core.samplers.base import Selection
from core.samplers.parts.parser_views import action_losses


def entities(example: Example) -> frozenset[Action]:
    """The ground fragments of a form: its names, numbers, types and relations."""
    return frozenset(step.action for step in example.derivation if not step.action.slots)


@samplers.register("prior", label="Prior", rank=60, parser=True)
def prior(
    examples: Sequence[Example],
    size: int,
    options: NoOptions,
    rng: np.random.Generator,
    parser: Parser,
) -> Selection:
    """The rows that the parser is surest of, no two with the same entities.

    Rows are taken in order of loss per action times √(number of entities), lowest first. Once
    every set of entities has its row, the next row of each follows, and so on. A form that the
    parser can't write counts as infinitely unsure. Nothing is drawn.
    """
    sets = [entities(example) for example in examples]
    scores = action_losses(examples, parser) * np.sqrt([len(actions) for actions in sets])
    seen: Counter[frozenset[Action]] = Counter()
    rounds = np.zeros(len(examples), dtype=np.int64)
    for row in np.argsort(scores, kind="stable"):
        rounds[row] = seen[sets[row]]
        seen[sets[row]] += 1
    kept = np.lexsort((scores, rounds))[:size]
    plain = [score if np.isfinite(score) else None for score in scores[kept].tolist()]
    trace = {"scores": plain, "rounds": rounds[kept].tolist()}
    return Selection(tuple(kept.tolist()), trace)


@samplers.register("prior_as_released", label="Prior, as released", rank=70)
def prior_as_released(
    examples: Sequence[Example],
    size: int,
    options: NoOptions,
    rng: np.random.Generator,
    parser: Any = None,
) -> Selection:
    """The first rows of the file: what the paper's release keeps under the name of PRIOR.

    A class test that is the wrong way round makes all its scores 0 and the sorting keeps the
    file's order. It is here to compare with the paper's numbers only.
    """
    return Selection(tuple(range(min(size, len(examples)))))
