"""Everything that can be checked before a run starts, its data included."""

from pathlib import Path

from core import validation
from core.config import RunConfig
from core.data.base import load_tasks
from core.options import ConfigError
from core.training.devices import choose_device


def validate(config: RunConfig) -> None:
    """Check everything that can be checked before a run starts, its data included.

    ConfigError names option, value and range; DataError says what is wrong with the data.
    """
    validation.check(config)
    choose_device(config.device)
    if config.embeddings and not Path(config.embeddings).is_file():
        raise ConfigError(
            f"embeddings = '{config.embeddings}': there is no such file; expected a GloVe text "
            "file, or nothing for random vectors."
        )
    tasks = load_tasks(config)
    if len(tasks) < 2:
        raise ConfigError(
            f"task_order: {len(tasks)} task; learning one after the other takes at least 2."
        )
