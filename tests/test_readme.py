"""README: its commands are there, its links lead somewhere, its list of parts is whole."""

import re
import shlex
from pathlib import Path

import pytest

import core
from core.commands.entry import build_parser

ROOT = Path(core.__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line.startswith("python -m core ")]
MOST_LINES = 170


def words_of(line: str) -> list[str]:
    """What follows `python -m core`, without the comment."""
    return shlex.split(line, comments=True)[3:]


def other_commands(line: str) -> list[str]:
    """The names that the comment says there are also; those of data sets are no commands."""
    also = re.search(r"# also: ([^;]*)", line)
    if also is None or words_of(line)[:2] == ["data", "get"]:
        return []
    return [name.split()[0] for name in also[1].split(",")]


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) < MOST_LINES


@pytest.mark.parametrize("line", LINES)
def test_every_command_can_be_typed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(line)
    args, more = build_parser(words).parse_known_args(words)
    assert callable(args.execute)
    assert not more or args.takes_more
    for name in other_commands(line):
        for_help = [*words[:-1], name, "--help"]
        with pytest.raises(SystemExit) as end:
            build_parser(for_help).parse_args(for_help)
        assert end.value.code == 0
        assert f" {name} " in capsys.readouterr().out.partition("\n")[0] + " "


def test_links_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", TEXT) + re.findall(r'src="([^"]+)"', TEXT)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_part_of_core_is_listed() -> None:
    (table,) = re.findall(r"\| part of `core/` .*?\n\n", TEXT, re.DOTALL)
    first_cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    listed = {name.rstrip("/") for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}
    packages = {path.parent.name for path in (ROOT / "core").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "core").glob("*.py")} - {"__init__"}
    assert listed == packages | modules
