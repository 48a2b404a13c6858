"""The exact Smatch count of two forms, by integer programming: the reference for the package.

One binary a pair of nodes says that they are aligned, one a pair of edges that both their ends are.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from core.language.tree import Node


def nodes_and_edges(tree: Node) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Labels, and (place, parent, child) of each edge; counted depth-first, left to right."""
    labels: list[str] = []
    edges: list[tuple[int, int, int]] = []

    def visit(node: Node) -> int:
        number = len(labels)
        labels.append(node.label)
        for position, child in enumerate(node.children or ()):
            edges.append((position, number, visit(child)))
        return number

    visit(tree)
    return labels, edges


def exact_count(left: Node, right: Node) -> int:
    """The most triples that match under any one-to-one alignment of the nodes."""
    (labels, edges), (labels_2, edges_2) = nodes_and_edges(left), nodes_and_edges(right)
    n, m = len(labels), len(labels_2)
    value = [float(a == b) for a in labels for b in labels_2]  # x[i, j] at i · m + j
    pairs = [(e, f) for e in edges for f in edges_2 if e[0] == f[0]]
    entries: list[tuple[int, int, float]] = []  # row of the constraints, variable, coefficient
    upper: list[float] = []
    for i in range(n):
        entries += [(len(upper), i * m + j, 1.0) for j in range(m)]
        upper.append(1)
    for j in range(m):
        entries += [(len(upper), i * m + j, 1.0) for i in range(n)]
        upper.append(1)
    for number, (e, f) in enumerate(pairs):  # y ≤ x of its parents, y ≤ x of its children
        for end in (1, 2):
            entries += [(len(upper), n * m + number, 1.0), (len(upper), e[end] * m + f[end], -1.0)]
            upper.append(0)
    size = n * m + len(pairs)
    rows, columns, data = zip(*entries, strict=True)
    solved = milp(
        -np.array(value + [1.0] * len(pairs)),
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(
            csr_array((data, (rows, columns)), (len(upper), size)), ub=upper
        ),
    )
    assert solved.success, solved.message
    return round(-solved.fun)


def exact_score(left: Node, right: Node) -> float:
    """2 m / (|i| + |j|)."""
    sizes = [len(labels) + len(edges) for labels, edges in map(nodes_and_edges, (left, right))]
    return 2 * exact_count(left, right) / sum(sizes)
