"""The row of a new run."""

from typing import Any

from core.config import RunConfig
from core.options import ConfigError
from core.runs import clock
from core.runs.digest import digest
from core.runs.run import QUEUED, default_name
from core.text import clean


def new_run(config: RunConfig, name: str = "", **more: Any) -> dict[str, Any]:
    """The values of a run's row that waits from now on; `more` are further columns."""
    moment = clock.now()
    try:
        known_by = digest(config)
    except ConfigError:  # it will fail when it is carried out, and say why
        known_by = ""
    return {
        "name": clean(name) or default_name(config),
        "config": config.to_json(),
        "digest": known_by,
        "status": QUEUED,
        "wanted_device": config.device,
        "device": config.device,
        "created": moment,
        "queued": moment,
        **more,
    }
