"""How a server ends: on Ctrl-C or SIGTERM, within ten seconds, its runs stopped before.

The threads of pages and workers are daemons: they may still compute or import when the interpreter
ends, and one that is inside PyTorch then aborts the process. So they are waited for, and not for
long.
"""

import logging
import os
import sys
import threading
import time
from functools import cache

from streamlit import runtime

from core.runs.manager import close_manager

SECONDS = 5.0  # from the end of the server's loop to that of the process
THREADS = ("ScriptRunner", "worker ", "run manager")  # how their names begin


@cache
def end_in_time() -> None:
    """See to it that this process, where it is a server, ends in time; once a process."""
    threading.Thread(target=_end, name="end of the server", daemon=False).start()


def _end() -> None:
    threading.main_thread().join()
    if runtime.exists() and type(runtime.get_instance()) is runtime.Runtime:
        close_or_leave(time.monotonic() + SECONDS)
    else:  # a test of a page
        close_manager()


def close_or_leave(deadline: float) -> None:
    """Close the run manager, which may wait for the store or for a page; then `wait_or_leave`."""
    threading.Thread(target=close_manager, name="run manager's end", daemon=True).start()
    wait_or_leave(deadline)


def wait_or_leave(deadline: float) -> None:
    """Until the threads have ended, or to the deadline, when the process ends whatever they do."""
    for thread in threads():
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            leave()
            return


def threads() -> list[threading.Thread]:
    """The threads of pages and workers that live."""
    return [thread for thread in threading.enumerate() if thread.name.startswith(THREADS)]


def leave() -> None:
    """End the process at once; a run that could not be stopped goes on from its checkpoint."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)
