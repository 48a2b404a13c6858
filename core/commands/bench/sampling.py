"""`bench sampling`: time and memory of similarity, clusters and DLFS, and how they grow.

The growth is over forms of the task resampled with fresh entities, so that nearly all are distinct.
Where the matrix of distances is within its limit, the loss of the clusters by samples (CLARA) is
put beside that of K-medoids on all of them: `ratio` is samples over all. CPU seconds, of all the
process's threads, stand beside wall seconds: on a busy machine they say more.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from core.commands import Subparsers
from core.commands.numbers import count
from core.config import RunConfig
from core.data.base import DataMissing, Example

SIZES = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000]
REPEATS = 3
HEADS = [
    "rows",
    "forms",
    "matrix/MB",
    "pairs",
    "k-medoids",
    "samples",
    "loss",
    "ratio",
    "DLFS",
    "CPU",
]


class Target(NamedTuple):
    """What DLFS is to take on a task."""

    dataset: str
    task: str
    options: dict[str, Any]
    seconds: float
    gigabytes: float


TARGETS = (
    Target("overnight", "socialnetwork", {}, 1.0, 1.5),
    Target("nlmap_qt", "latlong", {"h": 500}, 8.0, 1.5),
)


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "sampling",
        help="similarity, clusters and DLFS: seconds, memory, growth",
        description="Time DLFS on two real tasks, then its parts on more and more forms.",
    )
    parser.add_argument("--memory-size", type=count, default=50, help="rows to keep (50)")
    parser.add_argument("--dataset", default="nlmap_qt", help="what grows (nlmap_qt)")
    parser.add_argument("--task", default="latlong", help="the task of it that grows (latlong)")
    parser.add_argument("--sizes", type=count, nargs="*", default=SIZES, help="rows to grow to")
    parser.add_argument("--no-targets", action="store_true", help="the growth only")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    _warm_up()
    for target in () if args.no_targets else TARGETS:
        _carry_out(partial(_print_target, target, args.memory_size))
    _carry_out(lambda: _print_growth(args.dataset, args.task, args.sizes, args.memory_size))
    return 0


def _carry_out(measure: Callable[[], None]) -> None:
    try:
        measure()
    except DataMissing as missing:
        print(f"Not measured: {missing}", file=sys.stderr)


def _warm_up() -> None:
    """The first clustering imports scikit-learn: two seconds that are not the algorithm's."""
    import numpy as np

    from core.similarity.clusters import k_medoids

    line = np.arange(4.0)
    k_medoids(np.abs(line[:, None] - line), 2, np.random.default_rng(0))


def _rows(dataset: str, task: str) -> Sequence[Example]:
    from core.data.base import load_tasks

    return load_tasks(RunConfig(dataset=dataset, task_order=(task,)))[0].train


class Cost(NamedTuple):
    """What a call took."""

    result: Any
    seconds: float
    cpu: float  # seconds
    gigabytes: float  # the most memory the process held meanwhile


def measure(call: Callable[[], Any]) -> Cost:
    """Carry the call out once."""
    _forget_peak()
    began, used = time.perf_counter(), time.process_time()
    result = call()
    return Cost(result, time.perf_counter() - began, time.process_time() - used, _peak_gigabytes())


def _forget_peak() -> None:
    """Have Linux count the peak of memory anew; elsewhere it stays that of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_gigabytes() -> float:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e6
    except (OSError, StopIteration):
        unit = 1e9 if sys.platform == "darwin" else 1e6
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _print_target(target: Target, memory_size: int) -> None:
    import numpy as np

    from core.registry import samplers
    from core.similarity.base import distinct_forms

    rows, entry = _rows(target.dataset, target.task), samplers["dlfs"]
    options = entry.options(**target.options)
    costs = [
        measure(lambda: entry.value(rows, memory_size, options, np.random.default_rng(0), None))
        for _ in range(REPEATS)
    ]
    seconds, cpu = min(c.seconds for c in costs), min(c.cpu for c in costs)
    peak = max(c.gigabytes for c in costs)
    settings = "".join(f", {name} = {value}" for name, value in target.options.items())
    print(
        f"{target.task}: {len(rows):,} rows, {len(distinct_forms(rows)):,} distinct forms, "
        f"M = {memory_size}{settings}: {seconds:.2f} s, CPU {cpu:.2f} s "
        f"(target {target.seconds:g}, best of {REPEATS}), "
        f"peak {peak:.2f} GB (target {target.gigabytes:g}), "
        f"entropy {costs[0].result.trace['entropy'][-1]:.3f}"
    )


def grow(rows: Sequence[Example], size: int) -> list[Example]:
    """`size` rows drawn of these, each with an entity of its own in every fragment that has one."""
    import numpy as np

    from core.data.base import FormReader
    from core.language.tree import Node

    def renew(node: Node, number: int) -> Node:
        if node.children is None:
            return node
        # ( type Paris ), keyval ( 'name' , 'Paris' ): the last leaf is the entity
        names = 1 if node.notation == "s_expression" else 2
        children = [renew(child, number) for child in node.children]
        if node.is_ground and len(children) >= names:
            children[-1] = Node(f"'entity_{number % (size // 2 + 1)}'", None, node.notation)
        return Node(node.label, tuple(children), node.notation)

    grown = []
    reader = FormReader(rows[0].derivation[0].action.fragment.notation)
    for number, row in enumerate(np.random.default_rng(0).integers(len(rows), size=size)):
        tree = rows[row].tree
        form = str(renew(tree, number))
        grown.append(reader.example(rows[row].utterance, form))
    return grown


def _print_growth(dataset: str, task: str, sizes: Sequence[int], memory_size: int) -> None:
    rows = _rows(dataset, task)
    print(f"\n{task}, forms resampled with fresh entities, M = {memory_size}; times in seconds")
    print("  ".join(f"{head:>9}" for head in HEADS))
    for size in sizes:
        print("  ".join(f"{cell:>9}" for cell in _growth_row(grow(rows, size), memory_size)))


def _growth_row(rows: Sequence[Example], memory_size: int) -> list[str]:
    import numpy as np

    from core.registry import samplers
    from core.similarity import clusters
    from core.similarity.base import all_pairs, distinct_forms

    forms = distinct_forms(rows)
    entry = samplers["dlfs"]
    options = entry.options()
    similarity = clusters.SIMILARITIES[options.similarity](forms.trees)
    needed = clusters.matrix_bytes(len(forms))
    sampled = measure(lambda: clusters.clara(similarity, memory_size, np.random.default_rng(0)))
    pairs = whole = ratio = "-"
    if needed <= options.matrix_mb * 10**6:
        made = measure(lambda: 1 - all_pairs(similarity))
        timed = measure(
            lambda: clusters.k_medoids(made.result, memory_size, np.random.default_rng(0))
        )
        pairs, whole = f"{made.seconds:.2f}", f"{timed.seconds:.2f}"
        ratio = f"{sampled.result.loss / timed.result.loss:.3f}" if timed.result.loss else "-"
        del made
    chosen = measure(
        lambda: entry.value(rows, memory_size, options, np.random.default_rng(0), None)
    )
    times = (f"{sampled.seconds:.2f}", f"{sampled.result.loss:.0f}", ratio)
    size = (f"{len(rows):,}", f"{len(forms):,}", f"{needed / 1e6:,.0f}")
    return [*size, pairs, whole, *times, f"{chosen.seconds:.2f}", f"{chosen.cpu:.2f}"]
