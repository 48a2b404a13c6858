"""Decoding: the best hypothesis for each utterance of a batch.

One utterance alone goes, where a beam of one is asked for, by the short way (`alone`); all else by
beams over many utterances at once.
"""

from collections.abc import Iterator

import torch

from core.parser import by_task
from core.parser.alone import greedy
from core.parser.batch import Batch, split_by_length
from core.parser.beam import search
from core.parser.hypothesis import Parse
from core.parser.model import Parser
from core.parser.modes import evaluating
from core.stopping import ShouldStop, check, never


@torch.no_grad()
def parse(
    parser: Parser, batch: Batch, rows_at_once: int = 256, should_stop: ShouldStop = never
) -> list[Parse]:
    """The best hypothesis for each row of the batch, dropout off.

    A derivation ends unfinished at twice the longest that training shows.
    """
    by_row: dict[int, Parse] = {}
    with evaluating(parser):
        for rows, parses in _parts(parser, batch, rows_at_once, should_stop):
            by_row.update(zip(rows, parses, strict=True))
    return [by_row[row] for row in range(len(batch))]


def _parts(
    parser: Parser, batch: Batch, size: int, should_stop: ShouldStop
) -> Iterator[tuple[list[int], list[Parse]]]:
    width = parser.beam_size
    for rows in split_by_length(batch, max(1, size // width)):
        for task, indices in by_task.parts(parser, batch.tasks[rows]):
            check(should_stop)
            part = batch.take(rows[indices])
            way = greedy if width == len(part) == 1 else search
            yield rows[indices].tolist(), by_task.call(parser, task, way, parser, part)
