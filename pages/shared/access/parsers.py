"""The parsers that a run has kept, on pages: its data are read once and held for all sessions."""

import streamlit as st

from core import paths
from core.data.base import DataError
from core.inspection.parsers import NoParser, Parsers
from core.options import ConfigError
from core.runs.checkpoints import CheckpointError
from core.runs.run import Run

FAULTS = (NoParser, CheckpointError, DataError, ConfigError)  # what `parsers_of` may raise
MOST_RUNS = 4  # held at a time; a run holds its data and up to a dozen parsers


def parsers_of(run: Run) -> Parsers:
    """The run's parsers; the first call reads its data. FAULTS say why there are none."""
    folders = (str(paths.home()), str(paths.data_folder()))
    return _parsers(run, run.id, str(run.created), run.config.to_json(), folders)


@st.cache_resource(show_spinner="Reading the run's data …", max_entries=MOST_RUNS, ttl=3600)
def _parsers(_run: Run, id: int, created: str, config: str, folders: tuple[str, str]) -> Parsers:
    return Parsers(_run)
