"""NLMaps v2: questions on OpenStreetMap (Lawrence and Riezler, 2018), cut into tasks two ways."""

from core.data.base import Task
from core.data.io.benchmark import Benchmark
from core.registry import NoOptions, datasets

_SPLITS = ("train", "dev", "test")
_CITATION = (
    "Lawrence and Riezler: Improving a neural semantic parser by counterfactual learning from "
    "human bandit feedback. ACL 2018."
)
_LICENCE = "The terms are those of its publishers; this project does not redistribute it."

_QT = Benchmark(
    dataset="nlmap_qt",
    label="NLMap(qt)",
    folder="nlmap_qtype",
    tasks=("count", "findkey", "latlong", "least"),
    splits=_SPLITS,
    notation="functional",
)
_CITY = Benchmark(
    dataset="nlmap_city",
    label="NLMap(city)",
    folder="nlmap_city",
    tasks=tuple(f"task{number}" for number in range(8)),
    splits=_SPLITS,
    notation="functional",
)


@datasets.register(
    "nlmap_qt",
    label="NLMap(qt)",
    rank=30,
    folder=_QT.folder,
    citation=_CITATION,
    licence=_LICENCE,
)
def nlmap_qt(options: NoOptions) -> tuple[Task, ...]:
    """Four tasks, one for each type of question about places on a map."""
    return _QT.load()


@datasets.register(
    "nlmap_city",
    label="NLMap(city)",
    rank=40,
    folder=_CITY.folder,
    citation=_CITATION,
    licence=_LICENCE,
)
def nlmap_city(options: NoOptions) -> tuple[Task, ...]:
    """Eight tasks, one for each group of cities, over the same questions about places on a map."""
    return _CITY.load()
