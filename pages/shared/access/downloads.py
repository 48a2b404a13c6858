"""Downloads of data sets, each in a thread that belongs to the process and outlives the page."""

import logging
import threading
from pathlib import Path

import streamlit as st

from core.data.base import DataError
from core.data.io.download import DownloadProgress, get
from core.stopping import Stopped

log = logging.getLogger(__name__)


class Download:
    """One data set on its way: how far it is, and how it ended. Touches no Streamlit."""

    def __init__(self, dataset: str, source: str | Path | None = None) -> None:
        self.dataset = dataset
        self.progress: DownloadProgress | None = None
        self.error = ""
        self._stop = threading.Event()
        self._source = source
        self._thread = threading.Thread(
            target=self._get, name=f"download of {dataset}", daemon=True
        )
        self._thread.start()

    @property
    def under_way(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """End it within a moment; what has come stays, and a later one goes on from there."""
        self._stop.set()

    def _get(self) -> None:
        try:
            get(self.dataset, self._source, progress=self._note, should_stop=self._stop.is_set)
        except Stopped:
            pass  # what has come stays
        except DataError as error:
            self.error = str(error)
        except Exception as error:  # a thread's end is seen by nobody else
            log.exception("The download of %s failed.", self.dataset)
            self.error = f"The download failed ({type(error).__name__}: {error}); see the log."

    def _note(self, progress: DownloadProgress) -> None:
        self.progress = progress


@st.cache_resource
def downloads() -> dict[str, Download]:
    """The process's downloads, the last one of each data set."""
    return {}


def start(dataset: str, source: str = "") -> None:
    """Begin one where none is under way."""
    known = downloads().get(dataset)
    if known is None or not known.under_way:
        downloads()[dataset] = Download(dataset, source.strip() or None)
