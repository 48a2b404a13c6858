"""A small experiment on the demo's generated tasks, to see how experiments work."""

from core.experiments.experiment import Experiment, default_pairs
from core.experiments.presets import presets
from core.experiments.presets.parts import base, named


@presets.register("demo", label="Demo", rank=0, dataset="demo")
def demo() -> Experiment:
    """Three methods over five pairs on the demo: a few minutes on two cores, no data needed."""
    small = base("demo").with_(
        epochs=8, batch_size=32, learning_rate=0.006, word_size=64, hidden_size=96
    )
    arms = named("demo", ["Fine-tune", "EMR", "Total Recall"])
    return Experiment("demo", small, arms, default_pairs(5))
