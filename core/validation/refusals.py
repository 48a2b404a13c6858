"""Settings that are wrong, or make no sense beside each other, each refused with a sentence.

Options declare by `when` on which other option they depend.
"""

from collections.abc import Collection

from core.config import OPTION_GROUPS, RunConfig, entry_of
from core.options import ConfigError, specs
from core.registry import methods
from core.validation.defaults import DEFAULTS

OFFERED = {spec.name: spec for spec in specs(RunConfig) if spec.can_be_had}  # not everywhere


def check(config: RunConfig, explicit: Collection[str] = ()) -> None:
    """ConfigError, a sentence, where a name or an option is wrong or would have no effect.

    `explicit` are settings that somebody asked for in words: one without effect is refused even
    where it is the default.
    """
    method = methods[config.method]
    if config.lemmas not in OFFERED["lemmas"].offered:
        raise ConfigError(
            f"lemmas = '{config.lemmas}' needs the package lemminflect, which is not here: "
            "pip install lemminflect, or leave it out."
        )
    for which in OPTION_GROUPS:
        _refuse_without_effect(config, which)
    if method.memory:
        if not config.memory_size:
            raise ConfigError(
                f"memory_size = 0: {method.label} needs a memory; expected at least 1 row a task."
            )
        return
    for name in ("sampler", "memory_size"):
        value = getattr(config, name)
        if value and (name in explicit or value != DEFAULTS[name]):
            raise ConfigError(
                f"{name} = {value!r} has no effect: {method.label} keeps no memory; leave it out, "
                f"or choose a method that keeps one: {_with_memory()}."
            )
    if config.sampler_options:
        given = ", ".join(config.sampler_options)
        raise ConfigError(
            f"{config.sampler}.{given} has no effect: {method.label} keeps no memory; leave it "
            f"out, or choose a method that keeps one: {_with_memory()}."
        )


def _refuse_without_effect(config: RunConfig, which: str) -> None:
    """An option that is given although another one leaves it without effect."""
    options, given = config.options(which), getattr(config, f"{which}_options")
    name = getattr(config, which)
    for spec in specs(entry_of(which, name).options):
        if spec.when is None or spec.name not in given:
            continue
        other, *values = spec.when
        if getattr(options, other) not in values:
            raise ConfigError(
                f"{name}.{spec.name} = {given[spec.name]!r} has no effect with {other} = "
                f"{getattr(options, other)!r}: leave it out, or choose {other} = "
                f"{' or '.join(map(str, values))}."
            )


def _with_memory() -> str:
    return ", ".join(name for name, entry in methods.items() if entry.memory)
