"""What the presets share: the data sets, the base and the arms by their names in the paper."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.config import RunConfig
from core.experiments.experiment import Arm, Experiment, Pair, default_pairs
from core.experiments.presets import presets
from core.validation.presets import PRESETS, options_of

DATASETS = {"overnight": "Overnight", "nlmap_qt": "NLMap(qt)", "nlmap_city": "NLMap(city)"}
ACTIONS = {"nlmap_qt": 500, "nlmap_city": 300}  # h of DLFS
DAR = {"method.adapters": "full"}
EWC = {"method.penalty": "ewc"}
BERT = {"encoder": "transformer", "encoder_model": "google-bert/bert-base-uncased"}
TRAINED = {
    "BERT fine-tuned": {"encoder_trained": "yes"},
    "BERT fixed": {"encoder_trained": "no"},
}
ENCODERS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {note: {**BERT, **trained} for note, trained in TRAINED.items()}
)
TOTAL_RECALL = {"method": "total_recall", "sampler": "dlfs"}
METHODS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "Fine-tune": {"method": "finetune"},
        "EWC": {"method": "ewc"},
        "HAT": {"method": "hat"},
        "GEM": {"method": "gem", "method.memory_rows": 16},
        "EMR": {"method": "emr"},
        "EMAR": {"method": "emar"},
        "ARPER": {"method": "arper"},
        "ProtoParser": {"method": "protoparser", "method.episode_queries": 2},
        "DER++": {"method": "derpp"},
        "Total Recall": TOTAL_RECALL,
        "Total Recall + EWC": TOTAL_RECALL | EWC,
        "Total Recall + DAR": TOTAL_RECALL | DAR,
        "Total Recall + DAR + EWC": TOTAL_RECALL | DAR | EWC,
        "Oracle": {"method": "oracle"},
    }
)


def base(dataset: str) -> RunConfig:
    """Task masking, as in the paper's release, and a learning rate that falls within a stage.

    Accuracy and the actions' probabilities are recorded, from which all tables are made.
    """
    return RunConfig(
        dataset=dataset,
        schedule="linear",
        task_masking=True,
        record_predictions=False,
        error_rows=0,
    )


def arm(dataset: str, label: str, settings: Mapping[str, Any]) -> Arm:
    """An arm; on NLMap DLFS counts as many actions as in the paper."""
    counted = dataset in ACTIONS and settings.get("sampler") == "dlfs"
    return Arm(label, {**settings, **({"sampler.h": ACTIONS[dataset]} if counted else {})})


def under(conditions: str, arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms with the options that their methods have under these conditions."""
    changed = []
    for arm in arms:
        start = "method."
        stated = {
            name.removeprefix(start): value
            for name, value in arm.settings.items()
            if name.startswith(start)
        }
        options = options_of(PRESETS[conditions], arm.settings["method"], stated)
        more = {f"{start}{name}": value for name, value in options.items()}
        changed.append(Arm(arm.label, {**arm.settings, **more}))
    return tuple(changed)


def named(dataset: str, labels: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of METHODS under these labels."""
    return tuple(arm(dataset, label, METHODS[label]) for label in labels)


def register(
    name: str,
    title: str,
    about: str,
    arms: Callable[[str], tuple[Arm, ...]],
    datasets: Sequence[str] = tuple(DATASETS),
    pairs: Callable[[], tuple[Pair, ...]] = default_pairs,
    rank: float = 100,
    conditions: str = "",
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """A preset for each of the data sets, called `name-dataset`.

    `conditions` names those of core.validation.presets that the base has; `settings` are its own.
    """
    for at, dataset in enumerate(datasets):
        full = f"{name}-{dataset.replace('_', '-')}"

        def make(dataset: str = dataset, full: str = full) -> Experiment:
            config = base(dataset).with_(**settings)
            if conditions:
                config = config.with_(**PRESETS[conditions].settings)
            return Experiment(full, config, arms(dataset), pairs())

        make.__doc__ = f"{about} {DATASETS[dataset]}."
        label = f"{title}: {DATASETS[dataset]}"
        presets.register(full, label=label, rank=rank + at / 10, dataset=dataset)(make)
