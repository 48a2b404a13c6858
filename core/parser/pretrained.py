"""Pretrained transformers: found, checked and loaded, by the package transformers.

A model is a folder with `config.json`, a tokenizer and weights as safetensors, which can't carry
code. A name on Hugging Face is fetched to such a folder by huggingface_hub, which checks and keeps
it. Nothing here imports transformers before a model is asked for.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from core.config import encoders
from core.options import ConfigError
from core.parser.contents import model_digest, model_stamp

INSTALL = "pip install -r core/requirements-encoders.txt"
_WANTED = ["*.safetensors", "*.safetensors.index.json", "*.json", "*.txt", "*.model"]
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")
_PATIENCE = 20.0  # seconds without an answer
_UNSAFE = ("pytorch_model.bin", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.pkl")


def available() -> str:
    """Empty where a transformer can be had here, else why not, in a sentence."""
    if "transformer" in encoders():
        return ""
    return f"A pretrained transformer takes the package transformers: {INSTALL}."


@dataclass(frozen=True)
class Pretrained:
    """A model's folder, checked but for its weights."""

    name: str  # as the configuration has it
    folder: Path
    settings: Any  # its config
    tokenizer: Any

    @property
    def size(self) -> int:
        """Numbers in a state."""
        return int(self.settings.hidden_size)

    @property
    def most_pieces(self) -> int:
        """Pieces that it reads at most, its own marks included."""
        positions = getattr(self.settings, "max_position_embeddings", None) or 10**6
        offset = (getattr(self.settings, "pad_token_id", 0) or 0) + 1
        roberta = "roberta" in self.settings.model_type or self.settings.model_type == "mpnet"
        return int(min(positions - (offset if roberta else 0), self.tokenizer.model_max_length))

    def digest(self) -> str:
        """SHA-256 of all that decides its states."""
        return _digest(self.folder, json.dumps(model_stamp(self.folder)))


@lru_cache(maxsize=8)
def _digest(folder: Path, stamp: str) -> str:
    return model_digest(folder)


def find(name: str) -> Pretrained:
    """The model of this folder or name; ConfigError, a sentence, where it can't be used.

    Reads everything but the weights; a name on Hugging Face that is not here yet is fetched.
    """
    wrong = available()
    if wrong:
        raise ConfigError(f"encoder = 'transformer': {wrong}")
    if not name.strip():
        raise ConfigError(
            "encoder_model = '': expected a folder with a pretrained transformer, or its name on "
            "Hugging Face."
        )
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _fetched(name)
    _check_weights(name, folder)
    if not any((folder / file).is_file() for file in _TOKENIZERS):
        raise _wrong(name, "the folder has no tokenizer; expected tokenizer.json")
    import transformers

    with _quiet():
        try:
            settings = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _wrong(name, f"its config.json can't be used ({_first(error)})") from error
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except Exception as error:  # tokenizers raises its own without a common class
            raise _wrong(name, f"it has no tokenizer that can be used ({_first(error)})") from error
    model = Pretrained(name, folder, settings, tokenizer)
    _check_fit(model)
    return model


def _wrong(name: str, what: str) -> ConfigError:
    return ConfigError(f"encoder_model = '{name[:200]}': {what}.")


def _first(error: Exception) -> str:
    """The first line of what went wrong."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")


def _fetched(name: str) -> Path:
    """The folder of a name on Hugging Face, from the network or, without one, from its cache."""
    import huggingface_hub
    from huggingface_hub import errors
    from huggingface_hub.utils._validators import validate_repo_id

    try:
        validate_repo_id(name)
    except errors.HFValidationError:
        raise _wrong(name, "there is no such folder, and it is no name on Hugging Face") from None
    fetch = partial(huggingface_hub.snapshot_download, name, allow_patterns=_WANTED)
    try:
        revision = huggingface_hub.HfApi().model_info(name, timeout=_PATIENCE).sha
        return Path(fetch(revision=revision))
    except (errors.RepositoryNotFoundError, errors.GatedRepoError):
        what = "there is no such folder, and no open model of this name on Hugging Face"
        raise _wrong(name, what) from None
    except Exception as error:  # no network, in the words of whichever HTTP client it has
        try:
            return Path(fetch(local_files_only=True))
        except errors.LocalEntryNotFoundError:
            raise _wrong(
                name,
                "there is no such folder, and Hugging Face can't be reached or does not give "
                f"it ({_first(error)}); name a folder that has it",
            ) from error


def _check_weights(name: str, folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise _wrong(name, "the folder has no config.json; expected a model of transformers")
    if any(folder.glob("*.safetensors")):
        return
    unsafe = next((path for pattern in _UNSAFE for path in sorted(folder.glob(pattern))), None)
    if unsafe is None:
        raise _wrong(name, "the folder has no weights; expected model.safetensors")
    raise _wrong(
        name,
        f"its weights are in {unsafe.name}, a format that can carry code, and are not read; "
        "expected model.safetensors",
    )


def _check_fit(model: Pretrained) -> None:
    """What of config and tokenizer can't work together, or not here."""
    settings, tokenizer = model.settings, model.tokenizer
    if getattr(settings, "is_encoder_decoder", False) or getattr(settings, "is_decoder", False):
        raise _wrong(model.name, "it writes text; expected an encoder such as BERT")
    if not isinstance(getattr(settings, "hidden_size", None), int):
        raise _wrong(model.name, "its config.json names no hidden_size")
    if not getattr(tokenizer, "is_fast", False):
        raise _wrong(model.name, "its tokenizer has no tokenizer.json, which maps pieces to words")
    if len(tokenizer) > settings.vocab_size:
        raise _wrong(
            model.name,
            f"its tokenizer knows {len(tokenizer):,} pieces and its weights have "
            f"{settings.vocab_size:,}: they do not belong together",
        )


def load(model: Pretrained) -> Any:
    """The model with its weights on the CPU, float32, without dropout, in evaluation mode."""
    import torch
    import transformers

    settings = _without_dropout(model.settings)
    with _quiet():
        try:
            module, report = transformers.AutoModel.from_pretrained(
                model.folder,
                config=settings,
                use_safetensors=True,
                local_files_only=True,
                dtype=torch.float32,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are in the report, and refused below
            )
        except Exception as error:  # safetensors raises its own, transformers any
            raise _wrong(model.name, f"its weights can't be read ({_first(error)})") from error
    missing = [key for key in report["missing_keys"] if "pooler" not in key]
    if missing or report.get("mismatched_keys"):
        raise _wrong(model.name, "its weights are not those that its config.json describes")
    return module.eval()


def _without_dropout(settings: Any) -> Any:
    """A copy: what is drawn in training comes from the run's own generators alone."""
    values = json.loads(settings.to_json_string(use_diff=False))
    drops = {name: 0.0 for name, v in values.items() if "dropout" in name and isinstance(v, float)}
    copy = type(settings).from_dict(values | drops)
    copy.name_or_path = ""
    return copy


@contextmanager
def _quiet() -> Iterator[None]:
    """Without bars and advice on the terminal."""
    import transformers

    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
