"""What was read lately, held in memory for the whole process: tasks, and what follows from them."""

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Values by key, those used last; each is made once, whichever thread asks."""

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._most = most
        self._lock = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under the key, made where there is none; what `make` raises goes through."""
        with self._lock:
            if key not in self._values:
                self.put(key, make())
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Hashable, value: T) -> None:
        """Keep a value that was made elsewhere."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)


@contextmanager
def no_collection(lasting: bool = False) -> Iterator[None]:
    """Without Python's search for cycles, which takes a third of the time of reading many forms.

    What is made is `lasting` where later searches should leave it out as well: a million objects
    without a cycle, through which each search of a page's imports would go.
    """
    was_on = gc.isenabled()
    if lasting:
        gc.collect()  # what is garbage now must not last
    gc.disable()
    try:
        yield
    finally:
        if lasting:
            gc.freeze()
        if was_on:
            gc.enable()
