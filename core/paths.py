"""Where data and runs lie; environment variables move each of them, `~` being the user's home."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def data_folder() -> Path:
    """The benchmarks: TOTAL_RECALL_DATA, else data/ in the project."""
    return _from_environment("TOTAL_RECALL_DATA", "data")


def home() -> Path:
    """Run data (database, checkpoints, caches): TOTAL_RECALL_HOME, else runs/ in the project.

    Where that is an object store (`bucket`), what belongs to one machine: caches and the log.
    """
    return PROJECT / "runs" if bucket() else _from_environment("TOTAL_RECALL_HOME", "runs")


def bucket() -> str:
    """The address of the object store that TOTAL_RECALL_HOME names; empty where it is a folder."""
    given = os.environ.get("TOTAL_RECALL_HOME", "")
    return given if given.startswith("s3://") else ""


def home_name() -> str:
    """The home as TOTAL_RECALL_HOME has it, for another process."""
    return bucket() or str(home())


def database_url() -> str:
    """An SQLAlchemy URL: TOTAL_RECALL_DATABASE_URL, else SQLite in `home()`."""
    given = os.environ.get("TOTAL_RECALL_DATABASE_URL")
    if given:
        return given
    from sqlalchemy import URL  # quotes what means something in a URL

    return str(URL.create("sqlite", database=str(home() / "runs.sqlite")))


def _from_environment(variable: str, default: str) -> Path:
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else PROJECT / default


def environment_of_children() -> dict[str, str]:
    """That of this process, in which `python -m core` is found from any folder."""
    folders = [str(PROJECT), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
