"""Total Recall's parts, one by one: the paper's Tables 3 and 7, and from replay up to all of it."""

from core.experiments.experiment import Arm, default_pairs
from core.experiments.presets.parts import DAR, EWC, METHODS, TOTAL_RECALL, arm, register, under

_FAST = {
    "": {},
    ", no fast stage": {"method.fast": "none"},
    ", fast/lwf": {"method.fast": "task_specific"},
    ", fast/emar": {"method.fast": "all"},
}
_ADAPTERS = {
    " + DAR": DAR,
    " + DAR without cross": {"method.adapters": "without_cross"},
    "": {},
}
_RANDOM = {"method": "total_recall", "sampler": "random"}


def _fast_stage(dataset: str) -> tuple[Arm, ...]:
    return tuple(
        arm(dataset, f"Total Recall + DAR{name}{words}", TOTAL_RECALL | DAR | penalty | stage)
        for name, penalty in (("", {}), (" + EWC", EWC))
        for words, stage in _FAST.items()
    )


def _adapters(dataset: str) -> tuple[Arm, ...]:
    return tuple(
        arm(dataset, f"Total Recall{words}{name}", TOTAL_RECALL | adapters | penalty)
        for name, penalty in ((" + EWC", EWC), ("", {}))
        for words, adapters in _ADAPTERS.items()
    )


def _ingredients(dataset: str) -> tuple[Arm, ...]:
    arms = {
        "EMR": {"method": "emr"},
        "Random rows, no fast stage": {**_RANDOM, **_FAST[", no fast stage"]},
        "Random rows, fast stage": _RANDOM,
        "DLFS, no fast stage": TOTAL_RECALL | _FAST[", no fast stage"],
        "DLFS, fast stage": TOTAL_RECALL,
        "… + DAR": TOTAL_RECALL | DAR,
        "… + DAR + EWC": TOTAL_RECALL | DAR | EWC,
    }
    return tuple(arm(dataset, label, settings) for label, settings in arms.items())


def _lambdas(dataset: str) -> tuple[Arm, ...]:
    return tuple(
        arm(
            dataset,
            f"λ {weight:,}, {anchors} anchor",
            TOTAL_RECALL | EWC | {"method.ewc_weight": float(weight), "method.anchors": anchors},
        )
        for anchors in ("last", "each")
        for weight in (5_000, 50_000, 200_000)
    )


def _anchors(dataset: str) -> tuple[Arm, ...]:
    last, each = {"method.anchors": "last"}, {"method.anchors": "each"}
    return (
        arm(dataset, "EWC, last anchor", METHODS["EWC"]),
        arm(dataset, "EWC, anchor of each task", {**METHODS["EWC"], **each}),
        arm(dataset, "Total Recall", TOTAL_RECALL),
        arm(dataset, "Total Recall + EWC, last anchor", TOTAL_RECALL | EWC | last),
        arm(dataset, "Total Recall + EWC, anchor of each task", TOTAL_RECALL | EWC | each),
    )


register(
    "table3",
    "Table 3",
    "The paper's Table 3: without the fast stage, and with what moves in others' stages, on",
    _fast_stage,
    rank=50,
)
register(
    "table7",
    "Table 7",
    "The paper's Table 7: without dynamic action representations (DAR), and without g, on",
    _adapters,
    rank=60,
)
register(
    "ingredients",
    "Ingredients",
    "From replay of random rows, a part of Total Recall at a time, to all of it, on",
    _ingredients,
    datasets=["overnight"],
    pairs=lambda: default_pairs(5),
    rank=70,
)
register(
    "ingredients-released",
    "Ingredients, as released",
    "The same arms under the conditions of the paper's release, on",
    lambda dataset: under("released", _ingredients(dataset)),
    datasets=["overnight"],
    pairs=lambda: default_pairs(5),
    rank=75,
    conditions="released",
)
register(
    "lambda",
    "λ of EWC",
    "Total Recall + EWC on held-out rows of five tasks, three λ and both anchors, on",
    _lambdas,
    datasets=["overnight"],
    pairs=lambda: default_pairs(3),
    rank=90,
    settings={
        "evaluation": "heldout",
        "task_order": ("basketball", "calendar", "housing", "publications", "restaurants"),
    },
)
register(
    "anchors",
    "Anchors",
    "EWC alone and with Total Recall, anchored at the last parameters or at each task's, on",
    _anchors,
    datasets=["overnight"],
    pairs=lambda: default_pairs(5),
    rank=80,
)
