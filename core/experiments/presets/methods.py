"""Whole methods beside one another: the paper's Tables 1 and 4, its main ones, this project's."""

from core.experiments.experiment import Arm
from core.experiments.presets.parts import BERT, METHODS, TRAINED, arm, named, register

_TABLE_1 = [
    "Fine-tune",
    "EWC",
    "HAT",
    "GEM",
    "EMR",
    "EMAR",
    "ARPER",
    "ProtoParser",
    "Total Recall + DAR",
    "Total Recall + DAR + EWC",
    "Oracle",
]
_MAIN = ["Fine-tune", "EWC", "EMR", "Total Recall", "Total Recall + EWC", "Oracle"]
_ALL = [
    "Fine-tune",
    "EWC",
    "EMR",
    "GEM",
    "ARPER",
    "ProtoParser",
    "Total Recall",
    "Total Recall + EWC",
    "Total Recall + DAR + EWC",
    "DER++",
    "Oracle",
]

_TABLE_4 = ["Fine-tune", "EWC", "EMR", "ProtoParser", "Total Recall + DAR", "Oracle"]


def _table_4(dataset: str) -> tuple[Arm, ...]:
    return tuple(
        arm(dataset, f"{label}, {note}", {**METHODS[label], **trained})
        for note, trained in TRAINED.items()
        for label in _TABLE_4
    )


register(
    "main",
    "Main methods",
    "Fine-tuning, EWC, EMR, Total Recall without and with EWC, and the Oracle, on",
    lambda dataset: named(dataset, _MAIN),
    rank=10,
)
register(
    "table1",
    "Table 1",
    "The paper's Table 1: every method, Total Recall with DAR, on",
    lambda dataset: named(dataset, _TABLE_1),
    rank=20,
)
register(
    "methods",
    "Methods",
    "The methods that compare with one another best, DER++ among them, on",
    lambda dataset: named(dataset, _ALL),
    datasets=["overnight"],
    rank=25,
)
register(
    "table4",
    "Table 4",
    "The paper's Table 4: BERT under the encoder, fine-tuned and fixed (takes the package "
    "transformers, and a connection to Hugging Face, or a folder with BERT as encoder_model), on",
    _table_4,
    rank=45,
    settings=BERT,
)
