"""A mirror of made-up benchmark files on 127.0.0.1, with the faults that networks have."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAMES = [f"overnight/{domain}_{split}.tsv" for domain in "ab" for split in ("train", "test")]


SLOW = {  # what is sent at once, and what a byte at a time for ever
    "slow status": (b"", b"HTTP/1.1 200 OK"),
    "slow head": (b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\nX: ", b"x"),
    "slow heads": (b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n", b"X: x\r\n"),
    "slow chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
}


def contents() -> dict[str, bytes]:
    """File name → bytes; the first is long enough to be cut in the middle."""
    sizes = dict(zip(NAMES, (300_000, 10, 70_000, 20), strict=True))
    return {name: (name.encode() * (size // 10 + 1))[:size] for name, size in sizes.items()}


def write_digests(path: Path, files: dict[str, bytes]) -> Path:
    """A table of digests as the project keeps it."""
    rows = [f"{hashlib.sha256(d).hexdigest()} {len(d)} {name}" for name, d in files.items()]
    path.write_text("# a comment\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def write_files(folder: Path) -> Path:
    """All the files below the folder."""
    for name, content in contents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def on_disk(folder: Path) -> dict[str, bytes]:
    """File name → bytes of every file below the folder."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


class Mirror(ThreadingHTTPServer):
    """Serves `files`; `faults` are taken one a request: cut, empty, stall, one of SLOW or a status
    code."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = dict(files)
        self.faults: list[str | int] = []
        self.has_ranges = True
        self.requests: list[tuple[str, str | None]] = []  # path, Range

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.requests.append((self.path, wanted))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault == "stall":
            time.sleep(1.5)
            return
        if fault == "trickle":
            self.send_response(200)
            self.end_headers()
            for _ in range(60):
                self.wfile.write(b"x")
                time.sleep(0.02)
            return
        if fault in SLOW:
            at_once, slowly = SLOW[fault]
            self.wfile.write(at_once)
            for byte in slowly * 60:
                self.wfile.write(bytes([byte]))
                time.sleep(0.02)
            return
        if fault == "rude":
            self.send_response(503, "no\x1b[31m")
            self.end_headers()
            return
        data = self.server.files.get(self.path.lstrip("/"))
        if isinstance(fault, int) or data is None:
            self.send_error(fault if isinstance(fault, int) else 404)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start and self.server.has_ranges:
            if start >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            data = data[start:]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write({"cut": data[: len(data) // 2], "empty": b""}.get(fault, data))

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def mirror(files: dict[str, bytes]) -> Iterator[Mirror]:
    """A running mirror."""
    with Mirror(files) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
