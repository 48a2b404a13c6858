"""How a run is described: its settings by theme, and RunConfig, which has them all."""

from core.config.parser import RANDOM_VECTORS, encoders
from core.config.run_config import OPTION_GROUPS, RECORDING, RunConfig, changed, entry_of

__all__ = [
    "OPTION_GROUPS",
    "RANDOM_VECTORS",
    "RECORDING",
    "RunConfig",
    "changed",
    "encoders",
    "entry_of",
]
