"""What a test needs and does not find: skipped where people work, a failure where CI is set."""

import re

import pytest

from core.paths import PROJECT
from tests.browser import driving
from tests.conftest import missing


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip), ("true", pytest.fail)])
def test_what_is_missing_is_skipped_and_fails_where_ci_is_set(monkeypatch, tmp_path, ci, outcome):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome.Exception, match="not here"):
        missing("it is not here")
    monkeypatch.setattr(driving, "CHROMIUM", None)
    with pytest.raises(outcome.Exception, match="chromium"):
        driving.serving(tmp_path).__enter__()


ALLOWED = re.compile(
    r"OTHER_DATABASE|another database|in ENGINES|one's own|by /proc|no NVIDIA GPU|this CPU has no"
)


def test_no_test_of_the_data_or_the_browser_skips_by_itself():
    """`missing` does it; what remains are databases, systems, CPUs, cards, packages, uploads."""
    offenders = [
        f"{path.relative_to(PROJECT)}: {line.strip()}"
        for path in sorted((PROJECT / "tests").rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"pytest\.skip\(|mark\.skip", line) and not ALLOWED.search(line)
        if path.stem not in ("conftest", "test_missing")
    ]
    assert offenders == []
