"""Smatch similarity of logical forms (Cai and Knight, 2013; the paper's §4.2).

A form's triples are its nodes with their labels and its edges with the child's position. Smatch
aligns the nodes of two forms so that m triples match; the score is the F of their shares,

    sim(i, j) = 2 m / (|i| + |j|).

The `smatch` package looks for the alignment by hill climbing from several starts, and what it finds
depends on which form comes first. Here that is the one whose text sorts first, so the similarity is
symmetric. A pair takes tens of milliseconds and more with larger forms (`seconds_a_pair` measures
it), so each is aligned once, on as many processes as there are cores but one, and kept on disk.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import metadata
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from core import paths
from core.language.tree import Node
from core.similarity.smatch_cache import PairCache
from core.similarity.smatch_process import Form
from core.stopping import ShouldStop, check, never

RESTARTS = 4  # the package's default
PAIRS_A_MESSAGE = 32  # about a second: progress and `should_stop` are called after each message


def to_form(tree: Node, numbers: dict[str, int]) -> Form:
    """The nodes' labels by number, parents before children, and the edges."""
    labels: list[int] = []
    edges: list[tuple[int, int, int]] = []
    open_nodes = [(tree, -1, 0)]
    while open_nodes:
        node, parent, position = open_nodes.pop()
        number = len(labels)
        labels.append(numbers.setdefault(node.label, len(numbers)))
        if parent >= 0:
            edges.append((position, parent, number))
        open_nodes.extend((child, number, n) for n, child in enumerate(node.children or ()))
    return labels, edges


class SmatchSimilarity:
    """Smatch scores of forms; equal trees are aligned with nothing, they score 1."""

    def __init__(
        self,
        trees: Sequence[Node],
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
        should_stop: ShouldStop = never,
        processes: int | None = None,
    ) -> None:
        """`progress` takes the pairs aligned so far and in all; `should_stop` is asked between
        messages. OSError where the cache can't be written.
        """
        texts, self._form_of = np.unique(
            np.array([str(tree) for tree in trees], dtype=str), return_inverse=True
        )
        by_text = dict(zip(map(str, trees), trees, strict=True))
        numbers: dict[str, int] = {}
        self._forms = [to_form(by_text[str(text)], numbers) for text in texts]
        self._sizes = np.array([len(labels) + len(edges) for labels, edges in self._forms])
        self._progress, self._should_stop = progress, should_stop
        self._processes = processes or max(1, (os.cpu_count() or 2) - 1)
        name = f"smatch-{metadata.version('smatch')}-{RESTARTS}.sqlite"
        self._cache = PairCache(paths.home() / "cache" / name, texts.tolist())
        self._counts = self._cache.read()

    def __len__(self) -> int:
        return len(self._form_of)

    def _pairs(
        self, rows: NDArray[Any], columns: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The distinct pairs (pairs, 2) of different trees, and which each cell needs; −1: none."""
        left, right = self._form_of[rows][:, None], self._form_of[columns]
        keys = np.minimum(left, right) * len(self._forms) + np.maximum(left, right)
        keys[left == right] = -1
        distinct, of_cell = np.unique(keys, return_inverse=True)
        same = int(len(distinct) > 0 and distinct[0] == -1)
        pairs = np.stack(np.divmod(distinct[same:], len(self._forms)), axis=1)
        return pairs, of_cell.reshape(keys.shape) - same

    def missing(self, rows: NDArray[Any], columns: NDArray[Any]) -> int:
        """Pairs that `between` would still have to align."""
        return sum(
            tuple(pair) not in self._counts for pair in self._pairs(rows, columns)[0].tolist()
        )

    def between(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
        """The score of each form of `rows` with each of `columns`: (rows, columns) float32.

        Stopped where `should_stop` asks for it, OSError where the process or the cache fails.
        """
        pairs, of_cell = self._pairs(rows, columns)
        keys = [tuple(pair) for pair in pairs.tolist()]
        self._align([key for key in keys if key not in self._counts])
        scores = np.ones(len(keys) + 1, dtype=np.float32)  # the last is of a tree with itself
        counts = np.array([self._counts[key] for key in keys], dtype=np.int64)
        scores[:-1] = 2 * counts / self._sizes[pairs].sum(axis=1) if keys else []
        return scores.take(of_cell)

    def _align(self, pairs: list[tuple[int, int]]) -> None:
        messages = [
            pairs[start : start + PAIRS_A_MESSAGE]
            for start in range(0, len(pairs), PAIRS_A_MESSAGE)
        ]
        used = min(self._processes, len(messages))
        done = 0
        with ExitStack() as stack:
            children = [stack.enter_context(_process(self._forms)) for _ in range(used)]
            for start in range(0, len(messages), used or 1):
                check(self._should_stop)
                asked = list(zip(children, messages[start : start + used], strict=False))
                for child, message in asked:
                    _send(child, message)
                counted = [pair for child, message in asked for pair in _receive(child, message)]
                self._cache.write(counted)
                self._counts.update(counted)
                done += len(counted)
                self._progress(done, len(pairs))


def seconds_a_pair(trees: Sequence[Node], n_pairs: int = 8, at_most: float = 1.5) -> float:
    """What it takes on one core to align two of these trees: the mean over so many pairs drawn of
    different ones, or as many as can be aligned in `at_most` seconds. 0 where all are equal.

    OSError where the process fails.
    """
    numbers: dict[str, int] = {}
    forms = [to_form(tree, numbers) for tree in {str(tree): tree for tree in trees}.values()]
    if len(forms) < 2:
        return 0.0
    rng = np.random.default_rng(0)
    pairs = [rng.choice(len(forms), 2, replace=False).tolist() for _ in range(n_pairs)]
    with _process(forms) as child:
        _answer(child, pairs[0])  # which imports the package
        times = [time.perf_counter()]
        for pair in pairs:
            _answer(child, pair)
            times.append(time.perf_counter())
            if times[-1] - times[0] > at_most:
                break
    return (times[-1] - times[0]) / (len(times) - 1)


def _answer(child: subprocess.Popen[str], pair: list[int]) -> None:
    _send(child, [pair])
    _receive(child, [(pair[0], pair[1])])


@contextmanager
def _process(forms: Sequence[Form]) -> Iterator[subprocess.Popen[str]]:
    """A Smatch process that knows the forms; it ends with the block."""
    command = [sys.executable, "-m", "core.similarity.smatch_process"]
    with subprocess.Popen(
        command,
        cwd=paths.PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is the caller's business; the end of input ends it
    ) as child:
        try:
            _send(child, {"forms": forms, "restarts": RESTARTS})
            yield child
        finally:
            child.kill()
            with suppress(BrokenPipeError):  # what it did not read is lost
                _input(child).close()


def _input(child: subprocess.Popen[str]) -> IO[str]:
    assert child.stdin is not None  # it was started with a pipe
    return child.stdin


def _send(child: subprocess.Popen[str], message: object) -> None:
    try:
        _input(child).write(json.dumps(message) + "\n")
        _input(child).flush()
    except BrokenPipeError:
        raise _gone(child) from None


def _gone(child: subprocess.Popen[str]) -> OSError:
    return OSError(f"The Smatch process ended by itself, with exit code {child.wait()}.")


def _receive(
    child: subprocess.Popen[str], pairs: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], int]]:
    answer = child.stdout.readline() if child.stdout else ""
    if not answer:
        raise _gone(child)
    return list(zip(pairs, json.loads(answer), strict=True))
