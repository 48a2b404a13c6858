"""Which modules are mutated, and which tests execute which of their lines."""

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

from core.paths import PROJECT

PACKAGES = ("methods", "samplers", "similarity", "language", "analysis")
NO_MATHEMATICS = {"command_line", "durations", "settings", "choosing", "paper_values", "paper"}
ONLY = ["-m", "not slow and not browser and not data and not cluster"]

Covering = dict[str, dict[int, list[str]]]  # module → line → tests, the quickest first


def modules() -> list[Path]:
    """The files that hold the mathematics."""
    files = [path for name in PACKAGES for path in sorted((PROJECT / "core" / name).rglob("*.py"))]
    return [path for path in files if path.stem not in NO_MATHEMATICS and path.stat().st_size > 1]


class _Contexts:
    """A plugin of pytest: what is executed belongs to the test that runs, which is timed."""

    def __init__(self, tracer: coverage.Coverage) -> None:
        self.tracer = tracer
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tracer.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)


def covering(path: Path) -> Covering:
    """Every line's tests, as the file has them; where it is not there they are measured, in a
    process of its own, and written to it. A test that fails counts for none.
    """
    if not path.exists():
        child = os.fork()
        if child == 0:
            try:
                path.write_text(json.dumps(_measure()), encoding="utf-8")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    lines = json.loads(path.read_text(encoding="utf-8"))
    return {
        module: {int(line): tests for line, tests in by.items()} for module, by in lines.items()
    }


def _measure() -> Covering:
    files = {str(module.relative_to(PROJECT)): module for module in modules()}
    tracer = coverage.Coverage(data_file=None, include=[str(file) for file in files.values()])
    plugin = _Contexts(tracer)
    tracer.start()
    pytest.main(["-q", "-p", "no:cacheprovider", *ONLY, str(PROJECT / "tests")], plugins=[plugin])
    tracer.stop()
    data, seconds = tracer.get_data(), plugin.seconds
    return {
        name: {
            line: sorted(set(tests) & seconds.keys() - plugin.failed, key=seconds.__getitem__)
            for line, tests in data.contexts_by_lineno(str(file)).items()
        }
        for name, file in files.items()
    }


def tests_of(lines: dict[int, list[str]], first: int, last: int) -> list[str]:
    """The tests that execute any of these lines, then those that execute others of the module."""
    here = [test for line in range(first, last + 1) for test in lines.get(line, [])]
    return list(dict.fromkeys([*here, *(test for tests in lines.values() for test in tests)]))
