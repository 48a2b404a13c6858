"""Runs by every method, to be the same on every device, and the numbers that they end with."""

from core.events import Accuracy, Epoch, Event
from core.registry import methods

VARIANTS = [
    *((name, {"fast_epochs": 1} if name == "total_recall" else {}, {}) for name in methods),
    (
        "total_recall",
        {"adapters": "full", "penalty": "ewc", "fast": "none"},
        {"task_masking": True},
    ),
    ("total_recall", {"replay": "sweep", "fast": "all", "fast_epochs": 1}, {"optimizer": "kept"}),
    ("hat", {}, {"input_feeding": True, "clip_norm": 0.0}),
    ("protoparser", {"episodes": "overwrite"}, {"word_dropout": 0.2, "beam_size": 3}),
    ("emr", {"replay": "joint"}, {"label_smoothing": 0.1, "embeddings_trained": False}),
]


def numbers(events: list[Event]) -> list[float]:
    """The losses of epochs and what was parsed rightly."""
    kinds: list[float] = []
    for event in events:
        if isinstance(event, Epoch):
            kinds += [event.loss, *event.parts.values()]
        elif isinstance(event, Accuracy):
            kinds.append(event.correct)
    return kinds
