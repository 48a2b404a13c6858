"""What configurations that earlier versions wrote leave unsaid, where the default was another.

A digest needs none of it: `earlier` of an option keeps its meaning (core.runs.digest). Whoever
reads or resumes a run does.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import tomli_w

_PENALTY, _ANCHORS = "method.penalty", "method.anchors"


def anchors_stated(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """A run's configuration in full: Total Recall's penalty had the last parameters as anchors."""
    options = config.get("method_options") or {}
    if not _unsaid(config.get("method"), options.get("penalty"), options.get("anchors")):
        return config
    return {**config, "method_options": {**options, "anchors": "last"}}


def anchors_stated_in_json(text: str) -> str:
    """`anchors_stated` of a stored configuration; the same text where it says all."""
    config = json.loads(text)
    stated = anchors_stated(config)
    return text if stated is config else json.dumps(stated, sort_keys=True)


def anchors_stated_in_toml(text: str) -> str:
    """An experiment's TOML with that said by its arms; the same text where they say all."""
    values = tomllib.loads(text)
    arms = [values["base"] | arm for arm in values["arms"]]
    unsaid = [_unsaid(arm.get("method"), arm.get(_PENALTY), arm.get(_ANCHORS)) for arm in arms]
    for arm, missing in zip(values["arms"], unsaid, strict=True):
        if missing:
            arm[_ANCHORS] = "last"
    return tomli_w.dumps(values) if any(unsaid) else text


def _unsaid(method: object, penalty: object, anchors: object) -> bool:
    return (method, penalty, anchors) == ("total_recall", "ewc", None)
