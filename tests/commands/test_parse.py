"""`parse`: the form that the run's own parser writes, or a sentence."""

import io
import json
import math
import shutil
import sys

import pytest
import torch

from core.__main__ import main
from core.inspection.parsers import Parsers
from core.parser.batch import encode_examples
from core.parser.decode import parse
from core.runs import checkpoints
from core.runs.store import Store
from tests.conftest import TOY_FORMS

pytestmark = pytest.mark.usefixtures("filled_home")
UTTERANCES = [utterance for rows in TOY_FORMS.values() for utterance, _ in rows]


@pytest.fixture(autouse=True)
def threads():
    yield
    torch.set_num_threads(1)


def parsed(capsys, *words: str) -> list[str]:
    assert main(["parse", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


@pytest.mark.parametrize("beam", [1, 3])
def test_the_forms_and_their_probabilities_are_those_of_decoding(capsys, beam: int) -> None:
    lines = parsed(capsys, "2", "--json", "--beam", str(beam), *UTTERANCES)
    parsers = Parsers(Store().run(2), beam_size=beam)
    rows = [row for task in parsers.tasks for row in task.test]
    with parsers.after(2) as parser:
        hypotheses = parse(parser, encode_examples(rows, 2, parser.vocabulary, parser.grammar))
    for line, utterance, hypothesis in zip(lines, UTTERANCES, hypotheses, strict=True):
        values = json.loads(line)
        assert values["utterance"] == utterance
        assert (values["logical_form"] is not None) == hypothesis.complete
        assert values["probability"] == pytest.approx(math.exp(hypothesis.log_prob), rel=1e-3)
        assert (values["unknown_words"], values["unread_words"]) == ([], 0)
        assert (values["run"], values["after"], values["task"]) == (2, "farm", "farm")
    assert any(hypothesis.complete for hypothesis in hypotheses)


def test_text_is_a_form_a_line_from_arguments_or_standard_input(capsys, monkeypatch) -> None:
    forms = [
        json.loads(line)["logical_form"] for line in parsed(capsys, "2", "--json", *UTTERANCES)
    ]
    assert parsed(capsys, "2", *UTTERANCES) == [form or "" for form in forms]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(UTTERANCES)))
    assert parsed(capsys, "2") == [form or "" for form in forms]


def test_any_kept_parser_reads_an_utterance_as_any_task(capsys) -> None:
    for after in ("port", "2"):
        (line,) = parsed(capsys, "1", "show", "--after", after, "--task", "zoo", "--json")
        assert json.loads(line)["after"] == "port"
        assert json.loads(line)["task"] == "zoo"
    (line,) = parsed(capsys, "1", "ships  SHOW zebras", "--after", "1", "--json")
    assert (json.loads(line)["after"], json.loads(line)["task"]) == ("zoo", "zoo")
    assert json.loads(line)["unknown_words"] == ["zebras"]
    assert json.loads(line)["utterance"] == "ships SHOW zebras"


def test_words_behind_a_transformers_limit_are_counted(capsys, monkeypatch) -> None:
    monkeypatch.setattr("core.inspection.utterances.unread", lambda parser, words: 2)
    assert main(["parse", "1", "show all animals"]) == 0
    assert "of the last 2 words nothing is known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["7", "show"], 1, "There is no run 7."),
        (["1", ""], 2, "utterance 1: expected words, found none."),
        (["1", "show", " \t"], 2, "utterance 2: expected words, found none."),
        (["1", "show " * 101], 2, "utterance 1: 101 words, 505 characters; expected at most 100"),
        (["1", "\udcff"], 2, "utterance 1: expected text in UTF-8."),
        (["1", "--after", "sea", "show"], 2, "--after 'sea': run 1 has no such task; there are: "),
        (["1", "--task", "4", "show"], 2, "there are: 1 zoo, 2 port, 3 farm."),
        (["1", "--beam", "65", "show"], 2, "beam_size = 65: expected a whole number from 1 to 64."),
        (["1", "--form", "show"], 2, "--form is not an option of parse"),
    ],
    ids=str,
)
def test_what_can_not_be_parsed_is_one_sentence(capsys, words, code: int, says: str) -> None:
    assert main(["parse", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(("text", "line"), [("show\n\nfields", 2), ("\n", 1)])
def test_an_empty_line_is_named(capsys, monkeypatch, text: str, line: int) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert main(["parse", "1"]) == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == line - 1
    assert err == f"line {line}: expected words, found none.\n"


def test_bytes_that_are_no_text_are_said(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), "utf-8"))
    assert main(["parse", "1"]) == 2
    assert "standard input: expected text in UTF-8" in capsys.readouterr().err


def test_a_run_that_has_kept_no_parser_says_so(capsys) -> None:
    (checkpoints.folder(1) / "parser-1.pt").unlink()
    assert main(["parse", "1", "show", "--after", "port"]) == 1
    assert capsys.readouterr().err == "Run 1 has kept no parser after task 2.\n"
    shutil.rmtree(checkpoints.folder(1))
    assert main(["parse", "1", "show"]) == 1
    assert capsys.readouterr().err == "Run 1 has kept no parser.\n"
