"""The demonstration: the same small parser, fine-tuned and with Total Recall, on made-up data."""

from core.config import RunConfig
from core.runs.manager import manager

SUMMARY = """The same small parser learns six made-up domains twice: fine-tuned, and with *Total
Recall*. Fine-tuning forgets nearly all of what it knew; how much does the other keep? About two
minutes on two cores, and nothing to download."""

BASE = RunConfig(
    dataset="demo", epochs=8, batch_size=32, learning_rate=0.006, word_size=64, hidden_size=96
)


def configs() -> tuple[RunConfig, ...]:
    """The two runs."""
    return tuple(BASE.with_(method=method) for method in ("finetune", "total_recall"))


def start_demo() -> list[int]:
    """Queue both; their numbers."""
    return [manager().submit(config) for config in configs()]
