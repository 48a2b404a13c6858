import random
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
import smatch as package

from core.data.base import FormReader, Task
from core.language.tree import Node, read
from core.similarity import smatch, smatch_process
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.smatch import SmatchSimilarity, seconds_a_pair
from core.stopping import Stopped
from tests.similarity.exact_smatch import exact_count, exact_score, nodes_and_edges


def forms_that_repeat_labels(seed: int, number: int) -> list[Node]:
    """Trees in which labels repeat, so that hill climbing has choices to make."""
    rng = np.random.default_rng(seed)

    def form(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return str(rng.choice(["x", "y"]))
        below = " ".join(form(depth - 1) for _ in range(rng.integers(1, 4)))
        return f"( {rng.choice(['f', 'g'])} {below} )"

    texts = dict.fromkeys(form(3) for _ in range(20 * number))
    return [read(text, "s_expression") for text in list(texts)[:number]]


def score(left: Node, right: Node) -> float:
    return float(SmatchSimilarity([left, right]).between(np.array([0]), np.array([1]))[0, 0])


def test_reference_equals_trying_every_alignment():
    small = [t for t in forms_that_repeat_labels(1, 60) if len(nodes_and_edges(t)[0]) <= 5][:6]
    for left, right in product(small, small):
        (labels, edges), (labels_2, edges_2) = nodes_and_edges(left), nodes_and_edges(right)
        spare = [-1] * len(labels)  # a node may stay without a partner
        most = 0
        for to in set(permutations([*range(len(labels_2)), *spare], len(labels))):
            nodes = sum(t >= 0 and a == labels_2[t] for a, t in zip(labels, to, strict=True))
            moved = [(position, to[p], to[c]) for position, p, c in edges]
            most = max(most, nodes + len(set(moved) & set(edges_2)))
        assert exact_count(left, right) == most


def test_score_never_exceeds_the_exact_one_and_comes_near():
    trees = forms_that_repeat_labels(0, 12)
    table = all_pairs(SmatchSimilarity(trees))
    exact = np.array([[exact_score(left, right) for right in trees] for left in trees])
    assert (table <= exact + 1e-6).all()
    assert np.mean(exact - table) < 0.05


@pytest.fixture
def in_this_process(monkeypatch) -> None:
    """What the process of Smatch sets in the package is taken back."""
    for name in ("iteration_num", "random", "match_triple_dict"):
        monkeypatch.setattr(package, name, getattr(package, name))


@pytest.mark.usefixtures("in_this_process")
def test_a_pairs_count_depends_on_that_pair_alone():
    forms = [nodes_and_edges(tree) for tree in forms_that_repeat_labels(0, 12)]
    pairs = list(product(forms, forms))
    counts = [smatch_process.matches(left, right, 1) for left, right in pairs]
    for (left, right), count in zip(pairs, counts, strict=True):
        package.match_triple_dict.clear()
        assert smatch_process.matches(left, right, 1) == count


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("restarts", [0, 3])
def test_a_pair_is_aligned_from_one_smart_start_and_so_many_random_ones(monkeypatch, restarts):
    starts = {"smart_init_mapping": 0, "random_init_mapping": 0}

    def counting(name: str, start):
        def begin(*given):
            starts[name] += 1
            return start(*given)

        return begin

    for name in starts:
        monkeypatch.setattr(package, name, counting(name, getattr(package, name)))
    left, right = (nodes_and_edges(tree) for tree in forms_that_repeat_labels(0, 2))
    assert smatch_process.matches(left, right, restarts) > 0
    assert starts == {"smart_init_mapping": 1, "random_init_mapping": restarts}


def test_scores_are_symmetric_in_range_and_one_with_itself():
    trees = forms_that_repeat_labels(2, 10)
    table = all_pairs(SmatchSimilarity([*trees, trees[0]]))
    assert table.dtype == np.float32
    assert (table == table.T).all()
    assert (np.diag(table) == 1).all()
    assert table[0, -1] == 1
    assert table.min() >= 0
    assert table.max() <= 1


def test_score_does_not_depend_on_the_order_or_the_company_of_forms(home: Path):
    trees = forms_that_repeat_labels(3, 8)
    table = all_pairs(SmatchSimilarity(trees))
    (home / "cache").rename(home / "first")
    assert (all_pairs(SmatchSimilarity(trees[::-1])) == table[::-1, ::-1]).all()
    (home / "cache").rename(home / "second")
    assert score(trees[6], trees[1]) == table[6, 1]


def test_case_and_underscores_of_labels_count():
    left, right = Node("f", (Node("Sheffield"),)), Node("f", (Node("sheffield_"),))
    assert score(left, right) == pytest.approx(2 * 2 / 6)


def test_twenty_repeats_are_equal(home: Path, monkeypatch: pytest.MonkeyPatch):
    trees = forms_that_repeat_labels(4, 4)
    tables = []
    for repeat in range(20):
        monkeypatch.setenv("TOTAL_RECALL_HOME", str(home / str(repeat)))  # nothing is cached
        tables.append(all_pairs(SmatchSimilarity(trees, processes=1)))
    assert all((table == tables[0]).all() for table in tables)


def test_four_threads_and_two_processes_equal_serial(home: Path, monkeypatch: pytest.MonkeyPatch):
    trees = forms_that_repeat_labels(5, 12)
    serial = all_pairs(SmatchSimilarity(trees, processes=1))
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(home / "other"))
    with ThreadPoolExecutor(4) as threads:
        made = [SmatchSimilarity(trees, processes=2) for _ in range(4)]
        tables = list(threads.map(all_pairs, made))
    assert all((table == serial).all() for table in tables)


def test_global_random_state_is_left_alone(toy_tasks: tuple[Task, ...]):
    before = random.getstate()
    all_pairs(SmatchSimilarity(distinct_forms(toy_tasks[0].train).trees))
    assert random.getstate() == before


def test_pairs_are_aligned_once(monkeypatch: pytest.MonkeyPatch):
    trees = forms_that_repeat_labels(6, 6)
    every = np.arange(6)
    first = SmatchSimilarity(trees)
    assert first.missing(every, every) == 15
    assert first.missing(every[:2], every[2:4]) == 4
    table = first.between(every, every)
    assert first.missing(every, every) == 0
    monkeypatch.setattr(smatch.subprocess, "Popen", None)  # no process can start
    again = SmatchSimilarity(trees)
    assert again.missing(every, every) == 0
    assert (again.between(every, every) == table).all()


def test_progress_is_reported_and_a_stop_keeps_what_is_done():
    trees = forms_that_repeat_labels(7, 20)  # 190 pairs
    reports: list[tuple[int, int]] = []
    stopped = SmatchSimilarity(
        trees,
        progress=lambda done, total: reports.append((done, total)),
        should_stop=lambda: len(reports) >= 2,
        processes=1,
    )
    with pytest.raises(Stopped):
        all_pairs(stopped)
    assert reports == [(32, 190), (64, 190)]
    every = np.arange(20)
    assert SmatchSimilarity(trees).missing(every, every) == 190 - 64


def test_process_that_dies_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(smatch.sys, "executable", "false")
    trees = forms_that_repeat_labels(8, 3)
    with pytest.raises(OSError, match="ended by itself, with exit code 1"):
        all_pairs(SmatchSimilarity(trees))


def test_cache_that_is_broken_is_named(home: Path):
    trees = forms_that_repeat_labels(9, 3)
    SmatchSimilarity(trees)
    (file,) = (home / "cache").iterdir()
    file.write_text("no database" * 1000)
    with pytest.raises(OSError, match=r"smatch.*delete the file"):
        SmatchSimilarity(trees)


def test_cache_outlives_a_second_writer():
    trees = forms_that_repeat_labels(10, 5)
    first, second = SmatchSimilarity(trees), SmatchSimilarity(trees)
    assert (all_pairs(first) == all_pairs(second)).all()


@pytest.mark.data
@pytest.mark.slow
def test_real_scores_never_exceed_the_exact_ones(real_data: Path):
    read_row = FormReader().example
    lines = (real_data / "overnight/calendar_train.tsv").read_text(encoding="utf-8").splitlines()
    trees = distinct_forms([read_row(*line.split("\t")) for line in lines]).trees
    some = np.random.default_rng(0).choice(len(trees), 15, replace=False)
    table = SmatchSimilarity(trees).between(some, some)
    for i, j in product(range(15), range(15)):
        assert table[i, j] <= exact_score(trees[some[i]], trees[some[j]]) + 1e-6


def test_what_a_pair_takes_is_measured_on_the_forms_at_hand(home: Path):
    small, large = forms_that_repeat_labels(6, 3), forms_that_repeat_labels(7, 3)
    wide = [Node("f", (*large, Node(str(n)))) for n in range(2)]
    assert 0 < seconds_a_pair(small) < seconds_a_pair(wide, n_pairs=1)
    assert seconds_a_pair(small[:1] * 3) == 0.0
    assert not (home / "cache").exists()  # timing keeps nothing
