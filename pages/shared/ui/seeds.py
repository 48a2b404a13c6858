"""Seeds as people write them: numbers and ranges, commas or blanks between."""

import re

from core.config import RunConfig
from core.options import ConfigError, specs
from pages.shared.ui.address import LARGEST

MOST = 100  # seeds of one range
SEED = next(spec for spec in specs(RunConfig) if spec.name == "seed")


def read_seeds(text: str) -> tuple[int, ...]:
    """`0, 3 5-8` → (0, 3, 5, 6, 7, 8), each once; ConfigError says what is wrong."""
    return tuple(dict.fromkeys(_written(text)))


def doubled_seeds(text: str) -> tuple[int, ...]:
    """The seeds that are written more than once, in order; ConfigError as `read_seeds`."""
    written = _written(text)
    return tuple(seed for seed in dict.fromkeys(written) if written.count(seed) > 1)


def _written(text: str) -> list[int]:
    seeds: list[int] = []
    joined = re.sub(r"(?<=\d)\s*[-–]\s*(?=\d)", "-", text.strip())  # a range, however spaced
    for part in re.split(r"\s*[,;]\s*|\s+", joined):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ConfigError(
                f"seeds = {text[:100]!r}: expected whole numbers such as 0, 1, 2 or a range such "
                "as 0-4."
            )
        begin, end = (SEED.check(_whole(digits), "") for digits in (first, last or first))
        if not begin <= end < begin + MOST:
            raise ConfigError(f"seeds: {part} is no range of at most 100 seeds from low to high.")
        seeds += range(begin, end + 1)
    return seeds


def _whole(digits: str) -> int:
    """Python refuses to read thousands of digits; no option goes as high as LARGEST."""
    return int(digits) if len(digits) < 100 else LARGEST
