"""Steps of a parse as tables: what was chosen, what else could be, where the parser looked."""

from collections.abc import Mapping

import pandas as pd

from core.inspection.steps import BEST, Trace


def step_table(trace: Trace) -> pd.DataFrame:
    """One row a step: step (from 1), slot, action, probability, rank, applicable, then best_n, p_n.

    `best_1` is the most probable applicable action and `p_1` its P; missing where A_t has fewer.
    """
    rows = []
    for number, step in enumerate(trace.steps, start=1):
        row = {"step": number, "slot": step.slot, "action": step.action}
        row |= {"probability": step.probability, "rank": step.rank, "applicable": step.applicable}
        for rank, (name, probability) in enumerate(step.best, start=1):
            row |= {f"best_{rank}": name, f"p_{rank}": probability}
        rows.append(row)
    best = [text for rank in range(1, BEST + 1) for text in (f"best_{rank}", f"p_{rank}")]
    names = ["step", "slot", "action", "probability", "rank", "applicable", *best]
    return pd.DataFrame(rows, columns=names)


def gold_table(traces: Mapping[int, Trace]) -> pd.DataFrame:
    """Of each gold step after each task (from 0): after, step (from 1), slot, action, probability,
    rank among the applicable actions (0: it isn't one), applicable (how many there are).

    `traces` are teacher-forced along the same derivation.
    """
    columns = ["step", "slot", "action", "probability", "rank", "applicable"]
    parts = [step_table(trace)[columns].assign(after=after) for after, trace in traces.items()]
    return pd.concat(parts, ignore_index=True)[["after", *columns]]


def attention_table(trace: Trace) -> pd.DataFrame:
    """One row a step and word: step and position of the word (from 1), action, word, attention."""
    rows = [
        (number, step.action, position, word, float(weight))
        for number, step in enumerate(trace.steps, start=1)
        for position, (word, weight) in enumerate(
            zip(trace.words or ("",), step.attention, strict=True), start=1
        )
    ]
    return pd.DataFrame(rows, columns=["step", "action", "position", "word", "attention"])
