"""What a run would read in place of random word vectors, said before it is queued."""

from pathlib import Path

import streamlit as st

from core import paths
from core.config import RANDOM_VECTORS, RunConfig
from core.data.base import DataError
from core.options import ConfigError
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
        sentence = _sentence(
            read.to_json(), _written(read.embeddings), str(paths.data_folder()), str(paths.home())
        )
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


@st.cache_data(show_spinner="Reading the word vectors …", ttl=60, max_entries=64)
def _sentence(config: str, written: int, data_folder: str, home: str) -> str:
    from core.data.base import load_tasks
    from core.training import checks

    read = RunConfig.from_json(config)
    return checks.reading(read, load_tasks(read))
