"""The process that runs the `smatch` package (Cai and Knight, 2013): `python -m` this module.

The package reseeds Python's global `random` at every restart, keeps a table of matches that it
never clears between pairs, and is not safe in threads. Here it has a process to itself; before each
pair its table is cleared and its random numbers start anew, so a pair's score depends on that pair.

One line of JSON comes in with the forms, then one a time with pairs of them; for each of these a
line goes out with the number of triples that match in each pair.
"""

import json
import random
import sys

SEED = 0

Edge = tuple[int, int, int]  # place among the children, parent node, child node
Triple = tuple[str, str, str]
Form = tuple[list[int], list[Edge]]  # the label of each node by number, and the edges


class SeededRandom:
    """What the package finds as `random`: a stream of its own that it cannot reseed."""

    def __init__(self, seed: int) -> None:
        self._stream = random.Random(seed)

    def seed(self) -> None:
        """The package asks for chance here; it stays with the stream."""

    def randint(self, low: int, high: int) -> int:
        return self._stream.randint(low, high)


def triples(form: Form, prefix: str) -> tuple[list[Triple], list[Triple]]:
    """A form's instance and relation triples, its nodes named by the prefix and their number."""
    labels, edges = form
    instances = [("instance", f"{prefix}{n}", str(label)) for n, label in enumerate(labels)]
    relations = [(str(place), f"{prefix}{p}", f"{prefix}{c}") for place, p, c in edges]
    return instances, relations


def matches(left: Form, right: Form, restarts: int) -> int:
    """Triples that match under the best alignment of nodes that hill climbing finds."""
    import smatch

    smatch.iteration_num = restarts + 1
    smatch.match_triple_dict.clear()
    smatch.random = SeededRandom(SEED)
    instances, relations = triples(left, "a")
    instances_2, relations_2 = triples(right, "b")
    _, count = smatch.get_best_match(
        instances, [], relations, instances_2, [], relations_2, "a", "b"
    )
    return int(count)


def main() -> None:
    """Serve until the input ends."""
    task = json.loads(sys.stdin.readline())
    forms, restarts = task["forms"], task["restarts"]
    for line in sys.stdin:
        counts = [matches(forms[i], forms[j], restarts) for i, j in json.loads(line)]
        sys.stdout.write(json.dumps(counts) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
