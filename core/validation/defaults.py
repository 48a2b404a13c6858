"""Settings that a new run takes where nothing is said."""

from core.config import RunConfig
from core.options import specs
from core.registry import methods

DEFAULTS = {spec.name: spec.default for spec in specs(RunConfig)}


def default_sampler(method: str) -> str:
    """The sampler of the method's own paper; RunConfig's default where it keeps no memory.

    ConfigError where there is no method of that name.
    """
    return methods[method].sampler or DEFAULTS["sampler"]
