"""What a test needs and does not find: skipped where people work, a failure where CI is set."""

from pathlib import Path

import pytest

from core.paths import PROJECT
from tests.browser import test_browser
from tests.conftest import missing


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip), ("true", pytest.fail)])
def test_what_is_missing_is_skipped_and_fails_where_ci_is_set(monkeypatch, tmp_path, ci, outcome):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome.Exception, match="not here"):
        missing("it is not here")
    monkeypatch.setattr(test_browser, "CHROMIUM", None)
    with pytest.raises(outcome.Exception, match="chromium"):
        next(test_browser.server.__wrapped__(tmp_path))


@pytest.mark.parametrize("path", sorted((PROJECT / "tests").rglob("*.py")), ids=lambda p: p.stem)
def test_no_test_of_the_data_or_the_browser_skips_by_itself(path: Path):
    if path.stem in ("conftest", "test_missing"):
        return
    text = path.read_text(encoding="utf-8")
    assert "pytest.skip(" not in text
    for line in text.splitlines():
        if "skipif" in line:
            assert not any(word in line.lower() for word in ("chrom", "browser", "data"))
