"""Where data and runs lie; each place can be moved by an environment variable."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def data_folder() -> Path:
    """The benchmarks: TOTAL_RECALL_DATA, else data/ in the project."""
    return Path(os.environ.get("TOTAL_RECALL_DATA") or PROJECT / "data")


def home() -> Path:
    """Run data (database, checkpoints, uploads): TOTAL_RECALL_HOME, else runs/ in the project."""
    return Path(os.environ.get("TOTAL_RECALL_HOME") or PROJECT / "runs")


def database_url() -> str:
    """An SQLAlchemy URL: TOTAL_RECALL_DATABASE_URL, else SQLite in `home()`."""
    given = os.environ.get("TOTAL_RECALL_DATABASE_URL")
    return given or f"sqlite:///{home() / 'runs.sqlite'}"
