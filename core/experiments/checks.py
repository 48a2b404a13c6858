"""What is wrong with an experiment, in a sentence that names arm and pair, before any is queued."""

from collections import Counter

from core import validation
from core.config import RunConfig
from core.data.base import DataError, load_tasks
from core.experiments.experiment import MOST_CELLS, Arm, Experiment, of_pair
from core.options import ConfigError
from core.parser.embeddings import training_words, vectors_of
from core.registry import methods
from core.runs.digest import digest


def check(experiment: Experiment) -> None:
    """Everything that can be checked before a cell is queued, the data sets included.

    ConfigError names arm, pair and what would be right; DataError a data set that is not here.
    """
    check_shape(experiment)
    seen: dict[str, str] = {}
    for arm in experiment.arms:
        config = _config_of(experiment, arm)
        same = seen.setdefault(digest(config), arm.label)
        if same != arm.label:
            raise ConfigError(
                f"Arms '{same}' and '{arm.label}' are the same configuration: give one of them "
                "another setting, or leave it out."
            )
    for arm in experiment.arms:
        _check_data(experiment, arm)


def check_shape(experiment: Experiment) -> None:
    """Name, number of arms, pairs and cells, and that none is there twice."""
    if not experiment.name.strip():
        raise ConfigError("An experiment's name can't be empty.")
    if not experiment.arms:
        raise ConfigError("There is no arm: expected at least 1, such as method = 'emr'.")
    if not experiment.pairs:
        raise ConfigError(
            "There are 0 pairs: expected at least 1 pair of order seed and seed, better 6 or more; "
            "5 can't give a p below 0.0625."
        )
    labels = Counter(arm.label for arm in experiment.arms)
    for label, count in labels.items():
        if count > 1:
            raise ConfigError(f"Arm '{label}' is there {count} times: labels must differ.")
        if not label.strip():
            raise ConfigError("An arm's label can't be empty.")
    for pair, count in Counter(experiment.pairs).items():
        if count > 1:
            raise ConfigError(f"Pair ({pair.label}) is there {count} times: each counts once.")
    if experiment.size > MOST_CELLS:
        raise ConfigError(
            f"{experiment.shape} are {experiment.size:,} cells; "
            f"expected at most {MOST_CELLS:,}: take fewer arms or pairs, or several experiments."
        )


def _config_of(experiment: Experiment, arm: Arm) -> RunConfig:
    """The arm's configuration with the first pair, its settings checked."""
    pair = experiment.pairs[0]
    for name in ("order_seed", "seed"):
        if name in arm.settings:
            raise ConfigError(f"Arm '{arm.label}': {name} comes with the pairs; leave it out.")
    if "task_order" in arm.settings and any(pair.task_order for pair in experiment.pairs):
        raise ConfigError(f"Arm '{arm.label}': task_order comes with the pairs; leave it out.")
    try:
        config = experiment.arm_config(arm)
        validation.check(config, explicit=arm.settings.keys())
        for pair in experiment.pairs:
            of_pair(config, pair)
        return of_pair(config, experiment.pairs[0])
    except ConfigError as error:
        raise ConfigError(f"Arm '{arm.label}', {pair.label}: {error}") from error


def _check_data(experiment: Experiment, arm: Arm) -> None:
    """The arm's data set and what depends on it, with each order that is named in full."""
    config = experiment.arm_config(arm)
    orders = {pair.task_order: pair for pair in reversed(experiment.pairs)}
    for pair in orders.values():
        try:
            _check_tasks(of_pair(config, pair))
        except ConfigError as error:
            raise ConfigError(f"Arm '{arm.label}', {pair.label}: {error}") from error
        except DataError as error:
            raise type(error)(f"Arm '{arm.label}': {error}") from error


def _check_tasks(config: RunConfig) -> None:
    tasks = load_tasks(config)
    if len(tasks) < 2:
        raise ConfigError(f"task_order: {len(tasks)} task; expected at least 2.")
    if config.encoder == "transformer":
        from core.parser import transformer  # with PyTorch

        transformer.check_model(config)
    vectors_of(config, training_words(tasks))
    if not methods[config.method].memory:
        return
    smallest = min(tasks, key=lambda task: len(task.train))
    if config.memory_size > len(smallest.train):
        raise ConfigError(
            f"memory_size = {config.memory_size} is larger than task '{smallest.name}', which has "
            f"{len(smallest.train)} training rows: expected at most so many."
        )
