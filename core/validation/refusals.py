"""Settings that are wrong, or make no sense beside each other, each refused with a sentence.

Options declare by `when` on which other option they depend.
"""

from collections.abc import Collection, Mapping
from typing import Any

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
    _refuse_of_encoder(config)
    for which in OPTION_GROUPS:
        _refuse_without_effect(config, which)
    if method.memory:
        if not config.memory_size:
            allowed = next(s.allowed for s in specs(RunConfig) if s.name == "memory_size")
            raise ConfigError(
                f"memory_size = 0: expected {allowed}; {method.label} needs a memory."
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


def without_effect(settings: Mapping[str, Any]) -> frozenset[str]:
    """The settings of a run that change nothing beside these values of `encoder` and
    `encoder_trained`.
    """
    if settings["encoder"] != "transformer":
        return frozenset(_OF_TRANSFORMER)
    layers = settings["encoder_trained"] == "last layers"
    return frozenset((*_OF_WORDS, *(() if layers else ("encoder_layers",))))


def _refuse_of_encoder(config: RunConfig) -> None:
    """What has no effect, or no meaning, with the encoder's input as it is."""
    reads_transformer = config.encoder == "transformer"
    for name in DEFAULTS:
        idle = name in without_effect({n: getattr(config, n) for n in _DECIDING})
        if not idle or getattr(config, name) == DEFAULTS[name]:
            continue
        if name == "encoder_layers" and reads_transformer:
            raise ConfigError(
                f"encoder_layers = {config.encoder_layers} has no effect with encoder_trained = "
                f"'{config.encoder_trained}': leave it out, or choose encoder_trained = "
                "'last layers'."
            )
        raise ConfigError(
            f"{name} = {getattr(config, name)!r} has no effect with encoder = "
            f"'{config.encoder}': leave it out, or choose the other encoder."
        )
    moves = reads_transformer and config.encoder_trained != "no"
    if moves and config.method == "hat":
        raise ConfigError(
            f"encoder_trained = '{config.encoder_trained}': HAT keeps tasks apart by masks on "
            "units, and a pretrained transformer has none; expected encoder_trained = 'no'."
        )


_DECIDING = ("encoder", "encoder_trained")
_OF_WORDS = (
    "embeddings",
    "embeddings_trained",
    "embeddings_scale",
    "embeddings_lookup",
    "word_dropout",
    "lemmas",
)
_OF_TRANSFORMER = tuple(name for name in DEFAULTS if name.startswith("encoder_"))


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
