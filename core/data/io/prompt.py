"""HTTP answers that are given up where their head, or that of a chunk, takes too long.

A socket's own time-out begins anew with every byte, so a server that sends one a second is never
late by it. Here the connection is cut under whoever waits.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, Request, build_opener


def open_promptly(request: Request, seconds: float) -> Any:
    """As `urllib.request.urlopen`; TimeoutError where no answer has begun after so long."""
    return build_opener(_Http, _Https).open(request, timeout=seconds)


def read_promptly(stream: Any, size: int, seconds: float) -> bytes:
    """Some of the bytes that come next, as `read1`; TimeoutError where none is there by then."""
    if not getattr(stream, "chunked", False):  # the socket's own time-out is enough
        return bytes(stream.read1(size))
    with _cut_after(seconds, stream.fp.raw._sock):
        return bytes(stream.read1(size))


@contextmanager
def _cut_after(seconds: float, link: socket.socket) -> Iterator[None]:
    late = threading.Event()

    def cut() -> None:
        late.set()
        with suppress(OSError):
            socket.socket.shutdown(link, socket.SHUT_RDWR)  # below TLS as well

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
        if late.is_set():
            raise TimeoutError(f"timed out: no answer within {seconds:g} s")


class _Connection(HTTPConnection):
    def getresponse(self) -> HTTPResponse:
        with _cut_after(self.timeout or 0.0, self.sock):
            return super().getresponse()


class _TlsConnection(HTTPSConnection):
    def getresponse(self) -> HTTPResponse:
        with _cut_after(self.timeout or 0.0, self.sock):
            return super().getresponse()


class _Http(HTTPHandler):
    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_Connection, request)


class _Https(HTTPSHandler):
    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_TlsConnection, request)
