"""Experiments as TOML: written in full, so that a later version's defaults change nothing.

name = "Two methods"
pairs = [[1, 1], [2, 2]]        # order seed and seed; or n: orders and seeds 1 to n

[base]
dataset = "overnight"
"method.penalty" = "ewc"        # an option; also a table [base.method_options]

[[arms]]
label = "EMR"
method = "emr"
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from core.config import OPTION_GROUPS, RunConfig
from core.experiments.experiment import Arm, Experiment, Pair, default_pairs
from core.experiments.settings import names_of, unknown
from core.options import ConfigError, specs
from core.regular import read_text
from core.validation.defaults import default_sampler

_KEYS = ["name", "pairs", "base", "arms"]
_PAIR = ["order_seed", "seed", "task_order"]


def write(experiment: Experiment) -> str:
    """The experiment as TOML; `read` gives it back."""
    base = {spec.name: getattr(experiment.base, spec.name) for spec in specs(RunConfig)}
    for which in OPTION_GROUPS:
        for name, value in getattr(experiment.base, f"{which}_options").items():
            base[f"{which}.{name}"] = value
    parts = [tomli_w.dumps({"name": experiment.name})]
    tables = [_pair_as_table(pair) for pair in experiment.pairs]
    if any(pair.task_order for pair in experiment.pairs):
        parts += [f"[[pairs]]\n{tomli_w.dumps(_plain(table))}\n" for table in tables]
    else:
        parts.append(f"pairs = {[[table[name] for name in _PAIR[:2]] for table in tables]}\n")
    parts.append(f"\n[base]\n{tomli_w.dumps(_plain(base))}")
    parts += [f"\n{write_arm(arm)}" for arm in experiment.arms]
    return "".join(parts)


def read(text: str, where: str = "The experiment") -> Experiment:
    """The experiment of a TOML text; ConfigError says where it goes wrong and what is right."""
    values = _loads(text, where)
    for key in values:
        if key not in _KEYS:
            raise ConfigError(f"{where}: {unknown(key, _KEYS, 'key of an experiment')}")
    name = values.get("name", "")
    if not isinstance(name, str):
        raise ConfigError(f"{where}: name = {name!r}: expected text.")
    try:
        base = _base(_table(values.get("base", {}), "base"))
        arms = tuple(_arm(base, number, arm) for number, arm in _arms(values.get("arms", [])))
        return Experiment(name, base, arms, _pairs(values.get("pairs", len(default_pairs()))))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def read_arms(text: str, base: RunConfig, where: str = "The arms") -> tuple[Arm, ...]:
    """The arms of a TOML text of nothing else; ConfigError as `read`."""
    values = _loads(text, where)
    try:
        for key in values:
            if key != "arms":
                raise ConfigError(f"'{key}': expected arms alone, each headed [[arms]].")
        return tuple(_arm(base, number, arm) for number, arm in _arms(values.get("arms", [])))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def read_settings(text: str, where: str = "The settings") -> dict[str, Any]:
    """Settings of a TOML text, options as `method.name`; ConfigError where it is no TOML."""
    return _flat(_loads(text, where))


def write_arm(arm: Arm) -> str:
    """One arm as it stands in an experiment's TOML."""
    return f"[[arms]]\n{tomli_w.dumps(_plain({'label': arm.label, **arm.settings}))}"


def read_file(path: Path) -> Experiment:
    """The experiment of a TOML file, named after it where it says no name."""
    try:
        text = read_text(path)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: can't be read: {error}.") from error
    experiment = read(text, str(path))
    return experiment if experiment.name.strip() else experiment.with_(name=path.stem)


def value(text: str) -> Any:
    """A value as TOML has it; text where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _loads(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{where}: its tables or lists are nested too deep.") from None
    except ValueError as error:  # also a number of thousands of digits
        raise ConfigError(f"{where}: is not TOML: {error}.") from error


def _plain(value: Any) -> Any:
    """Mappings and sequences of any kind as TOML's own."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _pair_as_table(pair: Pair) -> dict[str, Any]:
    order = {"task_order": pair.task_order} if pair.task_order else {}
    return {"order_seed": pair.order_seed, "seed": pair.seed, **order}


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name} = {value!r}: expected a table of settings.")
    return value


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of options, `method_options`, as `method.name`."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        which = name.removesuffix("_options")
        if which != name and which in OPTION_GROUPS:
            flat |= {
                f"{which}.{option}": setting for option, setting in _table(value, name).items()
            }
        else:
            flat[name] = value
    return flat


def _base(said: Mapping[str, Any]) -> RunConfig:
    flat = _flat(said)
    try:
        names = names_of(RunConfig(), flat)
        for name in flat:
            if name not in names:
                raise ConfigError(unknown(name, names))
        values: dict[str, Any] = {name: value for name, value in flat.items() if "." not in name}
        for which in OPTION_GROUPS:
            start = f"{which}."
            values[f"{which}_options"] = {
                name.removeprefix(start): value
                for name, value in flat.items()
                if name.startswith(start)
            }
        if "sampler" not in values:
            values["sampler"] = default_sampler(values.get("method", RunConfig.method))
        return RunConfig.from_dict(values)
    except ConfigError as error:
        raise ConfigError(f"base: {error}") from error


def _arms(value: Any) -> list[tuple[int, dict[str, Any]]]:
    if not isinstance(value, list) or not all(isinstance(arm, dict) for arm in value):
        raise ConfigError("arms: expected tables, each headed [[arms]].")
    return list(enumerate(value, start=1))


def _arm(base: RunConfig, number: int, said: Mapping[str, Any]) -> Arm:
    settings = dict(said)
    label = settings.pop("label", "")
    if not isinstance(label, str) or not label.strip():
        raise ConfigError(f"arm {number}: label = {label!r}: expected a name for the arm.")
    flat = _flat(settings)
    try:
        names = names_of(base, flat)
    except ConfigError as error:
        raise ConfigError(f"arm '{label}': {error}") from error
    for name in flat:
        if name not in names:
            raise ConfigError(f"arm '{label}': {unknown(name, names)}")
    return Arm(label, flat)


def _pairs(value: Any) -> tuple[Pair, ...]:
    wrong = "expected a number of pairs, or a list such as [[1, 1], [2, 2]] of order seed and seed"
    if type(value) is int and value >= 0:
        return default_pairs(value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ConfigError(f"pairs = {value!r}: {wrong}.")
    return tuple(_pair(item, wrong) for item in value)


def _pair(value: Any, wrong: str) -> Pair:
    if isinstance(value, list) and len(value) == 2:
        value = dict(zip(_PAIR, value, strict=False))
    if not isinstance(value, dict):
        raise ConfigError(f"pair {value!r}: {wrong}.")
    for name in value:
        if name not in _PAIR:
            raise ConfigError(f"pair {value!r}: {unknown(name, _PAIR, 'key of a pair')}")
    spec = {spec.name: spec for spec in specs(RunConfig)}
    checked = {n: spec[n].check(value.get(n, spec[n].default), f"pair {value!r}: ") for n in _PAIR}
    return Pair(**checked)
