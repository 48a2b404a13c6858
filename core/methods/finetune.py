"""Fine-tuning: go on with the new task's rows and nothing else; the lower bound."""

from core.methods.base import Method
from core.registry import methods


@methods.register("finetune", label="Fine-tune", rank=10, memory=False)
class FineTune(Method):
    """Trains on each new task in turn, with nothing against forgetting."""
