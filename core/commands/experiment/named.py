"""Which experiment is meant: by its name in the store, a preset's name, or a TOML file."""

from pathlib import Path

from core.experiments import catalog, toml
from core.experiments.catalog import Stored
from core.experiments.checks import check
from core.experiments.experiment import Experiment
from core.experiments.presets import presets
from core.options import ConfigError
from core.runs.run import StoreError
from core.runs.store import Store


def preset_or_file(words: str) -> Experiment:
    """ConfigError where it is neither."""
    if words in presets:
        experiment: Experiment = presets[words].value()
        return experiment
    path = Path(words)
    if path.suffix == ".toml" or path.is_file():
        return toml.read_file(path)
    raise ConfigError(
        f"'{words}' is neither an experiment, nor a preset, nor a TOML file; presets are: "
        f"{', '.join(presets)}."
    )


def stored_or_new(store: Store, words: str) -> Stored:
    """The experiment of that name, else made of the preset or file, all checked."""
    if words not in catalog.names(store):
        experiment = preset_or_file(words)
        if experiment.name not in catalog.names(store):
            check(experiment)
            catalog.create(store, experiment)
        else:
            same = catalog.load(store, experiment.name).experiment == experiment
            if not same:
                raise StoreError(
                    f"{words} is not what experiment '{experiment.name}' is by now: give it "
                    "another name, or name the experiment."
                )
        words = experiment.name
    return catalog.load(store, words)
