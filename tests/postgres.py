"""A PostgreSQL server of the tests' own: made in a new folder, reached by a socket in it.

The fixture `postgres` (tests/conftest.py) gives it; `server.new_database()` is the URL of an empty
database, as TOTAL_RECALL_DATABASE_URL takes it.
"""

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Shutdown = Literal["fast", "immediate"]  # sessions are ended; as after a crash
NAME = "tests"  # of the server's one user


class PostgresServer:
    """A server that can be stopped, as its machine's restart does, and started again."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        self._numbers = itertools.count(1)
        self._user = _user()
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-A", "trust", "-U", NAME, "-E", "UTF8", "--locale=C", "--no-sync")

    def start(self) -> None:
        """Returns when it takes connections."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -F"
        self._run("pg_ctl", "start", "-w", "-s", "-o", options, "-l", str(self._folder / "log"))

    def stop(self, how: Shutdown = "fast") -> None:
        """Returns when it is gone: every session has lost its connection."""
        self._run("pg_ctl", "stop", "-w", "-s", "-m", how)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"database_{next(self._numbers)}"
        words = ["-h", self._folder, "-U", NAME, "--template", "template0", name]
        subprocess.run([self._binaries / "createdb", *words], check=True)
        return f"postgresql+psycopg://{NAME}@/{name}?host={self._folder}"

    def _run(self, command: str, *words: str) -> None:
        """One of PostgreSQL's commands, which refuse to be root's."""
        user = self._user
        done = subprocess.run(
            [self._binaries / command, "-D", self._folder / "data", *words],
            cwd=self._folder,
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=None if user is None else [],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # the server keeps it open
            stderr=subprocess.DEVNULL if command == "pg_ctl" else None,
            check=False,
        )
        log = self._folder / "log"
        said = log.read_text() if log.exists() else ""
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {said}"


@contextmanager
def serving(binaries: Path) -> Iterator[PostgresServer]:
    """A server that runs until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))  # short, as a socket's path must be
    try:
        server = PostgresServer(binaries, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)


def find_binaries() -> Path | None:
    """The folder of PostgreSQL's commands; None where it is not installed."""
    on_path = shutil.which("pg_ctl")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)  # Debian's
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _user() -> pwd.struct_passwd | None:
    """Whose the server is where the tests are root's."""
    if os.getuid() != 0:
        return None
    names = [entry.pw_name for entry in pwd.getpwall()]
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")
