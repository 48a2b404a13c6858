"""Everything that can be checked before a run starts, its data included."""

from collections.abc import Sequence

from core import validation
from core.config import RANDOM_VECTORS, RunConfig
from core.data.base import Task, load_tasks
from core.options import ConfigError
from core.parser import transformer
from core.parser.embeddings import training_words, vectors_of
from core.parser.vector_text import Progress
from core.training import precision
from core.training.devices import choose_device


def validate(config: RunConfig, progress: Progress = lambda share: None) -> str:
    """Check everything that can be checked before a run starts, its data included.

    ConfigError names option, value and range; DataError says what is wrong with the data. Returns
    what is worth saying of what was read; `progress` takes the share of word vectors read.
    """
    validation.check(config)
    precision.check(config.precision, choose_device(config.device))
    tasks = load_tasks(config)
    if len(tasks) < 2:
        raise ConfigError(
            f"task_order: {len(tasks)} task; learning one after the other takes at least 2."
        )
    return reading(config, tasks, progress)


def reading(
    config: RunConfig, tasks: Sequence[Task], progress: Progress = lambda share: None
) -> str:
    """What is worth saying of the run's word vectors or transformer: coverage, or truncation.

    Empty for random vectors. ConfigError or DataError where they can't be used.
    """
    if config.encoder == "transformer":
        return transformer.check(config, tasks)
    if config.embeddings == RANDOM_VECTORS:
        return ""
    vectors = vectors_of(config, training_words(tasks), progress)
    return vectors.coverage if vectors else ""
