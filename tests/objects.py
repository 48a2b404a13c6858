"""An object store of the tests' own: moto's server in a process of its own, on this machine.

The fixture `bucket_home` (tests/conftest.py) gives the address of an empty home in it.
"""

import importlib.util
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import Request, urlopen

KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests"}


def lacking() -> str:
    """Which package is missing; empty where none is."""
    packages = ("moto", "boto3", "flask", "flask_cors")
    return next((name for name in packages if importlib.util.find_spec(name) is None), "")


@contextmanager
def serving() -> Iterator[str]:
    """The server's host and port, with an empty bucket `tests`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "moto.server", "-p", str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        _make_bucket(f"http://127.0.0.1:{port}/tests", process)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _make_bucket(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        assert process.poll() is None, "the server ended at once"
        try:
            with urlopen(Request(address, method="PUT"), timeout=30):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the server does not answer")
