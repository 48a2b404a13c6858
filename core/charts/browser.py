"""A Chrome that kaleido draws pictures in, kept for the next one: starting it takes most of the
time (some seconds, where a picture takes less than half of one).

It ends by itself after a minute without pictures, and with the process.
"""

import asyncio
import atexit
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
IDLE = 60.0  # seconds without a picture after which the Chrome ends
PATIENCE = 90.0  # seconds for a picture
_ENDING = 3.0  # seconds for the end


class Browser:
    """One Chrome, started for the first picture; any thread may ask, one after the other."""

    def __init__(self, path: str, sandbox: bool) -> None:
        self._settings = {"path": path, "enable_sandbox": sandbox, "timeout": PATIENCE}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kaleido: Any = None
        self._timer: threading.Timer | None = None

    def draw(self, figure: dict[str, Any], options: dict[str, Any]) -> bytes:
        """The picture; where the kept Chrome fails it is tried once more with a new one, whose
        error is raised.
        """
        with self._lock:
            self._unset_timer()
            if self._kaleido is not None:
                try:
                    return self._drawn(figure, options)
                except Exception:  # it may have been killed since: a new one shall tell
                    self._end()
            return self._drawn(figure, options)

    def end(self) -> None:
        """End the Chrome, if there is one; the next picture starts another."""
        with self._lock:
            self._unset_timer()
            self._end()

    def _drawn(self, figure: dict[str, Any], options: dict[str, Any]) -> bytes:
        try:
            if self._kaleido is None:
                self._start()
            image: bytes = self._wait_for(self._kaleido.calc_fig(figure, options), PATIENCE)
        except BaseException:
            self._end()
            raise
        self._timer = threading.Timer(IDLE, self.end)
        self._timer.daemon = True
        self._timer.start()
        return image

    def _start(self) -> None:
        import kaleido  # half a second

        # Its pipe ends by writing "{bye}" to itself, and logs a traceback where that follows more.
        logging.getLogger("choreographer").setLevel(logging.CRITICAL)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=_run, args=[self._loop], name="pictures", daemon=True).start()

        async def opened() -> Any:  # mathjax would be fetched
            browser = kaleido.Kaleido(n=1, mathjax=False, **self._settings)
            await browser.open()
            return browser

        self._kaleido = self._wait_for(opened(), PATIENCE)
        atexit.register(self.end)

    def _end(self) -> None:
        loop, kept = self._loop, self._kaleido
        self._loop = self._kaleido = None
        if loop is None:
            return
        atexit.unregister(self.end)
        try:
            if kept is not None:
                asyncio.run_coroutine_threadsafe(kept.close(), loop).result(_ENDING)
        except Exception as error:  # it is gone already, or hangs
            logging.getLogger(__name__).info("The Chrome for pictures ended: %r", error)
        finally:
            loop.call_soon_threadsafe(loop.stop)

    def _wait_for(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def _unset_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Until it is stopped."""
    try:
        loop.run_forever()
    finally:
        loop.close()
