"""What configurations that earlier versions wrote leave unsaid, where the default was another.

A digest needs none of it: `earlier` of an option keeps its meaning (core.runs.digest). Whoever
reads or resumes a run does.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

import tomli_w

_PENALTY, _ANCHORS = "method.penalty", "method.anchors"


def anchors_stated(config: Mapping[str, Any]) -> dict[str, Any]:
    """A run's configuration in full: Total Recall's penalty had the last parameters as anchors."""
    options = config.get("method_options") or {}
    if config.get("method") == "total_recall" and options.get("penalty") == "ewc":
        options = {"anchors": "last", **options}
    return {**config, "method_options": options}


def anchors_stated_in_toml(experiment: str) -> str:
    """An experiment's TOML with that said by every arm which the base does not say it for."""
    values = tomllib.loads(experiment)
    base = values["base"]
    for arm in values["arms"]:
        settings = base | arm
        if (settings.get("method"), settings.get(_PENALTY)) == ("total_recall", "ewc"):
            arm.update({_ANCHORS: settings.get(_ANCHORS, "last")})
    return tomli_w.dumps(values)
