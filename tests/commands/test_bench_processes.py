"""Measurements in several processes: they meet, and a fault is reported rather than waited for."""

import os

import pytest

from core.commands.bench.processes import Meet, in_processes
from core.options import ConfigError
from core.runs.run import StoreError


def _meet_and_return(value: int, meet: Meet) -> tuple[int, int]:
    meet()
    return value, os.getpid()


def _fail(value: int, meet: Meet) -> None:
    if value:
        raise ConfigError("expected 0")
    meet()


def _end(value: int, meet: Meet) -> None:
    if value:
        os._exit(3)
    meet()


def test_each_has_a_process_of_its_own() -> None:
    results = in_processes(_meet_and_return, [(5,), (7,)])
    assert [value for value, _ in results] == [5, 7]
    assert len({pid for _, pid in results} | {os.getpid()}) == 3


@pytest.mark.parametrize("arguments", [[(0,), (1,)], [(1,), (0,)]])
def test_the_fault_of_one_ends_all(arguments: list[tuple[int]]) -> None:
    with pytest.raises(ConfigError, match="expected 0"):
        in_processes(_fail, arguments)


def test_a_process_that_ends_is_told() -> None:
    with pytest.raises(StoreError, match="ended by itself"):
        in_processes(_end, [(0,), (1,)])
