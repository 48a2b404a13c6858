"""Values as the store's JSON has them."""

import json
import math
from typing import Any


def to_json(value: Any) -> str:
    """JSON as the standard has it: a number that is none becomes null."""
    return json.dumps(finite(value), allow_nan=False)


def finite(value: Any) -> Any:
    """The value with None for every number in it that is infinite or none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
