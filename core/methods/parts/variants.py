"""How a method with options other than its usual ones is called, for runs to be told apart by name.

Read by pages that only look: plain options, no PyTorch.
"""

from collections.abc import Mapping
from typing import Any

NAMING = {  # option → value → what it adds to the method's name
    "adapters": {"full": " + DAR", "without_cross": " + DAR without cross"},
    "penalty": {"ewc": " + EWC"},
    "fast": {
        "none": ", no fast stage",
        "task_specific": ", fast/lwf",
        "all": ", fast/emar",
    },
    "fast_tasks": {"first": ", fast stage on the first task only"},
}


def variant(options: Mapping[str, Any]) -> str:
    """What these options add to the method's name: ` + DAR + EWC, no fast stage`; often nothing."""
    return "".join(words.get(str(options.get(name)), "") for name, words in NAMING.items())
