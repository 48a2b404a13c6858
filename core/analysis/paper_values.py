"""The values of the paper's tables: Li, Qu and Haffari, "Total Recall" (EMNLP 2021).

Every value keeps the number of its table. Total Recall in Tables 1 to 3 and 6 has dynamic action
representations (DAR) on, which their captions leave out: the cells of Table 1 equal the full rows
of Table 7. A run without DAR compares with that table's row "- specific", marked `without DAR`
here, and one whose adapters replace the decoder's state with "- cross", `DAR without cross`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

TASKS = {"overnight": 8, "nlmap_qt": 4, "nlmap_city": 8}
TITLES = {
    1: "accuracy after all tasks, by method",
    2: "ACC_avg of Total Recall by sampler and memory size, on Overnight and NLMap(city)",
    3: "Total Recall without the fast stage, and with other parts moving in it",
    4: "methods with BERT as the encoder, fine-tuned and fixed",
    5: "Total Recall with settings chosen on validation sets",
    6: "ACC_whole of Total Recall by sampler and memory size, on NLMap(qt)",
    7: "Total Recall without dynamic action representations (DAR), or its cross-task part",
    8: "seconds a task takes to learn",
}

# method, variant: whole and avg on Overnight, NLMap(qt), NLMap(city); memory size 50
_TABLE_1 = """
finetune           14.40 14.37  60.22 55.53  49.29 48.11
ewc                38.57 40.45  65.44 62.25  59.28 57.56
hat                15.45 15.71  64.69 60.88  53.30 52.41
gem                41.33 42.13  63.28 59.38  55.14 54.37
emr                45.29 46.01  59.75 55.59  58.36 56.95
emar               46.68 48.57  14.25 12.89  51.79 50.93
arper              48.28 49.90  67.79 64.73  62.62 60.61
protoparser        48.15 49.71  67.10 63.73  62.58 60.87
total_recall       54.40 54.73  70.06 67.77  62.96 61.59
total_recall/ewc   59.02 58.04  72.36 70.66  67.15 64.89
oracle             63.14 62.76  73.20 71.65  69.48 67.18
"""
# sampler: avg with Total Recall at memory sizes 10, 25, 50 on Overnight, then NLMap(city)
_TABLE_2 = """
random   37.63 45.18 50.63  58.82 59.96 60.64
fss      38.64 47.08 52.63  58.94 59.67 60.89
gss      34.01 39.45 43.87  57.97 59.40 60.36
prior    37.60 44.84 50.14  54.39 54.09 53.43
balance  38.21 45.33 48.64  58.39 59.89 61.19
lfs      38.24 44.66 53.06  58.88 59.81 60.76
dlfs     39.24 48.21 54.73  59.31 60.58 61.59
"""
_TABLE_3 = """
total_recall/ewc without_fast  56.22 54.77  69.12 65.97  64.88 62.42
total_recall/ewc fast/lwf      55.80 54.54  69.45 66.37  65.14 62.70
total_recall/ewc fast/emar     56.93 56.05  69.43 66.42  64.89 62.51
total_recall     without_fast  49.28 49.48  60.22 54.84  57.53 55.75
total_recall     fast/lwf      47.47 47.77  58.96 53.54  55.24 56.89
total_recall     fast/emar     49.63 48.74  64.98 61.09  56.89 55.24
"""
_TABLE_4 = """
finetune      BERT_fine-tuned  16.19 14.89  30.33 29.22  39.47 36.07
ewc           BERT_fine-tuned  13.97 13.39  45.97 44.19  35.74 34.17
emr           BERT_fine-tuned  51.74 51.40  37.39 34.61  54.89 52.61
protoparser   BERT_fine-tuned  47.74 46.99  15.10 13.03  34.56 32.27
total_recall  BERT_fine-tuned  52.58 52.86  64.07 61.35  58.38 56.35
oracle        BERT_fine-tuned  65.40 64.39  72.70 71.60  67.51 68.80
finetune      BERT_fixed       14.10 12.09  40.45 36.06  49.15 46.48
ewc           BERT_fixed       17.69 18.56  54.20 51.32  64.10 61.67
emr           BERT_fixed       39.10 39.03  42.46 39.50  57.55 55.42
protoparser   BERT_fixed       41.69 41.79  51.39 48.90  45.66 43.92
total_recall  BERT_fixed       47.14 48.12  59.41 55.84  64.48 62.66
oracle        BERT_fixed       64.70 63.90  73.20 71.91  69.80 67.57
"""
_TABLE_5 = """
total_recall      validation_sets  52.38 53.30  68.78 66.83  68.51 66.23
total_recall/ewc  validation_sets  56.84 54.85  70.74 69.21  74.84 71.19
"""
# sampler: whole with Total Recall at memory sizes 10, 25, 50 on NLMap(qt)
_TABLE_6 = """
random   65.63 66.20 67.21
fss      66.51 67.15 67.67
gss      65.89 66.60 67.07
prior    66.08 67.47 67.42
balance  65.37 66.21 66.99
lfs      66.08 67.20 67.53
dlfs     65.21 66.60 67.77
"""
_TABLE_7 = """
total_recall/ewc DAR_without_cross  57.90 56.65  71.52 69.74  66.06 63.92
total_recall/ewc without_DAR        55.32 54.64  71.47 69.81  65.87 63.73
total_recall     DAR_without_cross  52.77 53.07  68.87 66.49  62.18 60.91
total_recall     without_DAR        51.44 52.84  69.18 66.88  61.26 59.93
"""
# seconds a task on one V100 (Oracle: on all tasks): Overnight, NLMap(qt), NLMap(city)
_TABLE_8 = """
finetune           54.19   360.09   110.12
ewc                71.66   541.20   223.02
hat                53.85   212.63   128.67
gem                94.67   389.04   259.80
emr               102.97   399.05   214.95
emar              139.44   402.64   240.64
arper             160.05   901.33   654.51
protoparser       148.04   490.95   304.45
total_recall      117.63   549.22   275.09
total_recall/ewc  124.49   540.68   282.87
oracle            712.43  1876.60  1531.05
"""


@dataclass(frozen=True)
class Published:
    """A value of the paper."""

    table: int
    dataset: str
    method: str
    measure: str  # whole or avg, of which the value is percent; seconds a task
    value: float
    variant: str = ""  # "ewc" where a penalty was added
    note: str = ""  # what else was different
    sampler: str = ""  # where samplers were compared
    memory_size: int = 50


@cache
def published() -> tuple[Published, ...]:
    """All values of the paper, those of Table 1 first."""
    entries: list[Published] = []
    accuracies = {1: _TABLE_1, 3: _TABLE_3, 4: _TABLE_4, 5: _TABLE_5, 7: _TABLE_7}
    for table, text in accuracies.items():
        entries += _accuracies(table, text)
    entries += _samplers(2, _TABLE_2, ["overnight", "nlmap_city"], "avg")
    entries += _samplers(6, _TABLE_6, ["nlmap_qt"], "whole")
    for (method,), numbers in _lines(_TABLE_8):
        for dataset, value in zip(TASKS, numbers, strict=True):
            entries.append(_value(8, dataset, method, "seconds", value))
    return tuple(entries)


def _lines(text: str) -> Iterator[tuple[list[str], list[float]]]:
    """The words and the numbers of each line."""
    for line in text.strip().splitlines():
        cells = line.split()
        words = [cell for cell in cells if not cell.replace(".", "").isdigit()]
        yield words, [float(cell) for cell in cells[len(words) :]]


def _value(
    table: int, dataset: str, method: str, measure: str, value: float, **more: Any
) -> Published:
    name, _, variant = method.partition("/")
    return Published(table, dataset, name, measure, value, variant, **more)


def _accuracies(table: int, text: str) -> Iterator[Published]:
    for words, numbers in _lines(text):
        note = words[1].replace("_", " ") if len(words) > 1 else ""
        if table == 1 and words[0].startswith("total_recall"):
            note = "with DAR"
        for at, dataset in enumerate(TASKS):
            for measure, value in zip(("whole", "avg"), numbers[2 * at : 2 * at + 2], strict=True):
                yield _value(table, dataset, words[0], measure, value, note=note)


def _samplers(table: int, text: str, datasets: list[str], measure: str) -> Iterator[Published]:
    for (sampler,), numbers in _lines(text):
        for at, value in enumerate(numbers):
            size, dataset = (10, 25, 50)[at % 3], datasets[at // 3]
            more = {"sampler": sampler, "memory_size": size, "note": "with DAR"}
            yield _value(table, dataset, "total_recall", measure, value, **more)
