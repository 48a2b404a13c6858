"""The app as people start it, and sessions of it without a browser, over its websocket."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from core.paths import PROJECT

START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class Server:
    """A real server on a home of its own."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @classmethod
    def start(cls, home: Path, log: Path) -> "Server":
        """A server that answers; its home may be in use by others."""
        port = free_port()
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=PROJECT,
                env=os.environ | {"TOTAL_RECALL_HOME": str(home), "OMP_NUM_THREADS": "1"},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        server = cls(process, port, log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert process.poll() is None, log.read_text()
            try:
                with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5):
                    return server
            except (URLError, OSError):
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)

    @contextmanager
    def session(self, query: str = "", page: str = "") -> Iterator["Session"]:
        """A session that has asked for a page (its name in the address; the home page)."""
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        origin = f"http://127.0.0.1:{self.port}"
        protocols = [Subprotocol("streamlit")]
        with connect(
            address, subprotocols=protocols, origin=origin, max_size=None, ping_interval=None
        ) as connection:
            session = Session(connection)
            session.rerun(query, page)
            yield session

    def end(self, number: signal.Signals, seconds: float = 60.0) -> tuple[int, float]:
        """Send the signal; the exit code and how long it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(seconds)
        return code, time.monotonic() - began

    def kill(self) -> None:
        """Whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@dataclass
class Session:
    """What a browser would hold open."""

    connection: ClientConnection

    def rerun(self, query: str = "", page: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        self.connection.send(message.SerializeToString())

    def until_drawn(self, seconds: float = 60.0) -> list[str]:
        """Wait until the script has ended; the types of the exceptions that the page shows."""
        exceptions = []
        deadline = time.monotonic() + seconds
        while True:
            message = ForwardMsg()
            message.ParseFromString(self.connection.recv(max(0.01, deadline - time.monotonic())))
            if message.delta.new_element.HasField("exception"):
                exceptions.append(message.delta.new_element.exception.message)
            if message.WhichOneof("type") == "script_finished":
                return exceptions
