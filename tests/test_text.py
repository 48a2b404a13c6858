"""Text from outside: one line, bounded, nothing that moves a terminal's cursor or turns writing."""

import ast
import re
import unicodedata
from itertools import pairwise

import pytest

from core.paths import PROJECT
from core.text import NAME_LENGTH, clean, cut_apart, first_few, middle_cut


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\r\nc\td", "a b c d"),
        ("nul\0 and \x1b[31mred\x1b[0m", "nul and [31mred [0m"),
        ("\x9b2J", "2J"),  # the one-character form of ESC [
        ("line\u2028paragraph\u2029end", "line paragraph end"),
        ("\u202egnp.exe\u2066x\u2069\u200f", "gnp.exex"),
        ("  many   blanks\u00a0\u3000here ", "many blanks here"),
        ("\ufeffBOM, zero\u200bwidth", "BOM, zerowidth"),
        ("half \ud800 of one", "half of one"),
        ("e\u0301", "é"),
        (
            "family 👨\u200d👩\u200d👧 नमस्ते می\u200cخواهم",
            "family 👨\u200d👩\u200d👧 नमस्ते می\u200cخواهم",
        ),
        ("", ""),
        ("\n\0\u200e", ""),
    ],
)
def test_a_text_becomes_one_line(text: str, line: str) -> None:
    assert clean(text) == line
    assert clean(line) == line


def test_every_character_alone_is_harmless_or_gone() -> None:
    for code in [*range(0x3000), *range(0xD700, 0x10000), 0xE0001, 0x1F600]:
        shown = clean(f"a{chr(code)}b")
        kinds = {unicodedata.category(character) for character in shown}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
        turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        assert not turning & {unicodedata.bidirectional(character) for character in shown}
        shown.encode()


@pytest.mark.parametrize("length", [NAME_LENGTH - 1, NAME_LENGTH, NAME_LENGTH + 1, 100_000, 10**7])
def test_a_long_text_is_cut(length: int) -> None:
    line = clean("x" * length)
    assert len(line) == min(length, NAME_LENGTH)
    assert line.endswith("…") == (length > NAME_LENGTH)
    assert len(clean("long " * length, 10)) <= 10


def test_no_text_leaves_it_to_the_reader_whether_it_is_one() -> None:
    """`1 action(s)` nowhere, and what is counted before `runs`, `rows` … goes through `counted`."""
    bare = re.compile(r" (runs|rows|cells|steps)\b")
    offenders = []
    for path in [*(PROJECT / "core").rglob("*.py"), *(PROJECT / "pages").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and re.search(r"\w\((s|es)\)", str(node.value)):
                offenders.append(f"{path}:{node.lineno}")
            if isinstance(node, ast.JoinedStr) and "bench" not in path.parts:
                for value, text in pairwise(node.values):
                    if (
                        isinstance(value, ast.FormattedValue)
                        and ast.unparse(value.value).startswith("len(")
                        and isinstance(text, ast.Constant)
                        and bare.match(str(text.value))
                    ):
                        offenders.append(f"{path}:{node.lineno}")
    assert offenders == []


@pytest.mark.parametrize("most", [6, 11, 26])
def test_names_that_differ_in_their_middles_stay_different_when_they_are_cut(most: int) -> None:
    names = [f"rows at random, {how} fast stage, seed 2" for how in ("no", "a", "no")]
    cut = cut_apart(names, most)
    assert cut[0] == cut[2] != cut[1]
    assert all(len(each) < len(name) for each, name in zip(cut, names, strict=True))
    assert cut_apart(["short", "x" * 30], most) == ["short", middle_cut("x" * 30, most)]


def test_the_first_few_of_a_list_are_named_and_the_others_counted():
    assert first_few(["a", "b", "c"], 3) == "a, b, c"
    assert first_few(("a", "b", "c"), 2) == "a, b and 1 more"
    assert first_few([], 2) == ""
