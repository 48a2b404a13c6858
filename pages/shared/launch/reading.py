"""What a run would read in place of random word vectors, said before it is queued."""

import time
from pathlib import Path

import streamlit as st

from core import paths
from core.config import RANDOM_VECTORS, RunConfig
from core.data.base import DataError
from core.options import ConfigError
from pages.shared.ui.memo import results
from pages.shared.ui.text import escape

_DECIDES = ("dataset", "dataset_options", "task_order", "evaluation", "device")
_WHOLE = "The transformer reads every utterance of the data set whole."


def draw_reading(config: RunConfig) -> None:
    """How many training words the vectors cover, and the file's digest; or what is cut off.

    An error where the file or the transformer can't be used. Nothing for random vectors.
    """
    if config.encoder == "lstm" and config.embeddings == RANDOM_VECTORS:
        return
    names = [n for n in vars(config) if n in _DECIDES or n.startswith(("embeddings", "encoder"))]
    read = RunConfig(**{name: getattr(config, name) for name in names})
    try:
        sentence = _sentence(read)
    except (ConfigError, DataError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    st.caption(escape(sentence or _WHOLE))


def _written(source: str) -> int:
    """When a file was written last; 0 where the source is none."""
    try:
        return Path(source).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def _sentence(read: RunConfig) -> str:
    """Read with a bar, and kept for a minute at most: folders change."""
    minute = time.monotonic() // 60
    where = (str(paths.data_folder()), str(paths.home()))
    key = ("reading", read.to_json(), _written(read.embeddings), *where, minute)
    known: str | None = results().get(key)
    if known is not None:
        return known
    from core.data.base import load_tasks
    from core.training import checks

    bar = st.empty()

    def show(share: float) -> None:
        bar.progress(share, f"Reading the word vectors: {share:.0%}")

    try:
        with st.spinner("Reading …"):
            sentence = checks.reading(read, load_tasks(read), show)
    finally:
        bar.empty()
    kept: str = results().keep(key, sentence)
    return kept
