"""What methods require, what holds where nothing is said, and which settings are refused."""

from core.validation.defaults import default_sampler
from core.validation.refusals import check, without_effect
from core.validation.requirements import requirements

__all__ = ["check", "default_sampler", "requirements", "without_effect"]
