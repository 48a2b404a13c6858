"""Whole methods beside one another: the paper's Table 1, its main ones, those of this project."""

from core.experiments.presets.parts import named, register

_TABLE_1 = [
    "Fine-tune", "EWC", "HAT", "GEM", "EMR", "EMAR", "ARPER", "ProtoParser", "Total Recall + DAR",
    "Total Recall + DAR + EWC", "Oracle",
]  # fmt: skip
_MAIN = ["Fine-tune", "EWC", "EMR", "Total Recall", "Total Recall + EWC", "Oracle"]
_ALL = [
    "Fine-tune", "EWC", "EMR", "GEM", "ARPER", "ProtoParser", "Total Recall", "Total Recall + EWC",
    "Total Recall + DAR + EWC", "DER++", "Oracle",
]  # fmt: skip

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
