"""Samplers beside one another at three memory sizes: the paper's Tables 2 and 6."""

from core.experiments.experiment import Arm
from core.experiments.presets.parts import DAR, arm, register

_SAMPLERS = {
    "random": "Random",
    "fss": "FSS",
    "gss": "GSS",
    "prior": "PRIOR",
    "balance": "Balance",
    "lfs": "LFS",
    "dlfs": "DLFS",
}
_SIZES = (10, 25, 50)


def _arms(dataset: str) -> tuple[Arm, ...]:
    return tuple(
        arm(
            dataset,
            f"{label}, memory {size}",
            {"method": "total_recall", **DAR, "sampler": sampler, "memory_size": size},
        )
        for size in _SIZES
        for sampler, label in _SAMPLERS.items()
    )


register(
    "table2",
    "Table 2",
    "The paper's Table 2: samplers with Total Recall at memories of 10, 25 and 50 rows, on",
    _arms,
    datasets=["overnight", "nlmap_city"],
    rank=30,
)
register(
    "table6",
    "Table 6",
    "The paper's Table 6: samplers with Total Recall at memories of 10, 25 and 50 rows, on",
    _arms,
    datasets=["nlmap_qt"],
    rank=40,
)
