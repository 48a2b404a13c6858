"""Which of the paper's values a run may be held against, and what they are called."""

from collections.abc import Iterable

from core.analysis.encoders import encoder_inputs, paper_encoder
from core.analysis.paper_values import TASKS, Published, published
from core.config import RunConfig
from core.registry import methods

PROTOCOL = (
    "the paper's values: after all tasks, mean of 10 runs with other orders and seeds, GloVe "
    "vectors (Table 4: BERT)"
)
_FAST_NOTES = {"none": "without fast", "task_specific": "fast/lwf", "all": "fast/emar"}


def beside(configs: Iterable[RunConfig]) -> str:
    """How the paper's values came about, and what the runs beside them read, in two sentences."""
    inputs = encoder_inputs(configs)
    return f"{PROTOCOL[:1].upper()}{PROTOCOL[1:]}." + (f" Ours read {inputs}." if inputs else "")


def comparable(config: RunConfig, tasks: int) -> list[Published]:
    """The paper's accuracies that a run with this config may be held against; often none.

    `tasks` is how many tasks the run learns: the paper's numbers hold after all of a benchmark's
    tasks.
    """
    penalty = config.method_options.get("penalty", "none")
    variant = "" if penalty == "none" else penalty
    encoder = paper_encoder(config)
    if TASKS.get(config.dataset) != tasks or encoder is None:
        return []
    values = [
        value
        for value in published()
        if (value.dataset, value.method, value.variant) == (config.dataset, config.method, variant)
        and value.measure in ("whole", "avg")
    ]
    if config.method != "total_recall":
        memory_matters = config.method not in ("finetune", "hat", "oracle")
        fits = config.evaluation == "test" and (config.memory_size == 50 or not memory_matters)
        fits &= config.method_options.get("adapters", "none") == "none"
        table, note = (4, encoder) if encoder else (1, "")
        return [v for v in values if fits and (v.table, v.note) == (table, note)]
    tables, notes = _rows_of_total_recall(config)
    if encoder:  # Table 4, with DAR
        tables, notes = [4] * (1 in tables and "without DAR" not in notes), [encoder]
    return [
        value
        for value in values
        if value.table in tables
        and value.note in notes
        and value.memory_size == config.memory_size
        and value.sampler in ("", config.sampler)
    ]


def _rows_of_total_recall(config: RunConfig) -> tuple[list[int], list[str]]:
    """Tables and notes of the rows that have the run's fast stage, adapters and sampler."""
    options = config.method_options
    adapters = options.get("adapters", "none")
    fast = options.get("fast", "actions") if options.get("fast_epochs", 5) else "none"
    if options.get("fast_tasks", "every") == "first":
        return [], []  # the paper has words for it, no numbers
    as_usual = config.sampler == "dlfs" and fast == "actions"
    if config.evaluation == "heldout":
        fits = as_usual and adapters != "without_cross" and config.dataset != "overnight"
        return [5] * fits, ["validation sets"]
    if adapters == "without_cross":
        return [7] * as_usual, ["DAR without cross"]
    if fast != "actions":
        return [3] * (config.sampler == "dlfs"), [_FAST_NOTES[fast]]
    if config.sampler != "dlfs" or config.memory_size != 50:
        return [2, 6], ["with DAR"]
    return [1, 7], ["with DAR", "without DAR"] if adapters == "none" else ["with DAR"]


def label(value: Published) -> str:
    """How a value is named in a figure: whose it is, where it stands, what was different."""
    name = methods.declared(value.method, "label") + (" + EWC" if value.variant == "ewc" else "")
    note = f", {value.note}" if value.note else ""
    return f"paper: {name} (Table {value.table}{note})"
