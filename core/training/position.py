"""Where a run stands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """Where a run is: task k, so many stages of it done, so many epochs of the next one done."""

    task: int = 0
    stage: int = 0
    epoch: int = 0
