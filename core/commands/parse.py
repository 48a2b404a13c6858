"""`parse`: what the parser that a run has kept writes for utterances."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.commands import Subparsers
from core.commands.numbers import count
from core.inspection.utterances import (
    MOST_LETTERS,
    MOST_WORDS,
    Written,
    cut,
    unread_text,
    write,
)
from core.options import ConfigError
from core.runs import checkpoints
from core.runs.run import Run
from core.runs.store import Store
from core.text import clean, counted

_LONGEST = 100_000  # characters of a form on a terminal


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "parse",
        help="parse utterances with a run's parser",
        description="Parse utterances with a parser that a run has kept after a task. Prints a "
        "logical form a line, an empty line where none came to an end.",
    )
    parser.add_argument("id", type=int, metavar="ID", help="of the run")
    parser.add_argument(
        "utterances",
        nargs="*",
        metavar="UTTERANCE",
        help="each in quotation marks; without any, standard input has one a line",
    )
    parser.add_argument(
        "--after",
        metavar="TASK",
        help="the parser as it was after this task, by name or number (default: the last kept)",
    )
    parser.add_argument(
        "--task",
        metavar="TASK",
        help="read the utterances as this task's, which matters with task masking, DAR and HAT "
        "(default: the task of --after)",
    )
    parser.add_argument(
        "--beam", type=count, metavar="N", help="hypotheses kept (default: as many as the run)"
    )
    parser.add_argument(
        "--json", action="store_true", help="a JSON object a line, with P of the form"
    )
    parser.set_defaults(execute=_execute, takes_more=True)


def _execute(args: argparse.Namespace) -> int:
    texts = [*args.utterances, *_behind_options(args.more)]
    given = [_checked(text, f"utterance {n}") for n, text in enumerate(texts, start=1)]
    run = Store().run(args.id)
    kept = checkpoints.saved_parsers(run.id)
    after = _task(run, "--after", args.after) if args.after else max(kept, default=0)
    task = _task(run, "--task", args.task) if args.task else after
    changes = {} if args.beam is None else {"beam_size": args.beam}

    from core.inspection.parsers import Parsers

    with Parsers(run, **changes).after(after) as parser:
        for utterance in given or _typed():
            written = write(parser, utterance, task)
            if written.unread:
                print(unread_text(written.unread), file=sys.stderr)
            if args.json:
                values = _values(run, utterance, written, after, task)
                print(json.dumps(values, ensure_ascii=False), flush=True)
            else:
                print(clean(written.logical_form or "", _LONGEST), flush=True)
    return 0


def _behind_options(words: Sequence[str]) -> Sequence[str]:
    """Utterances that follow an option: argparse takes them for words that it does not know."""
    unknown = [word for word in words if word.startswith("-")]
    if unknown:
        raise ConfigError(f"{clean(unknown[0], 60)} is not an option of parse; see --help.")
    return words


def _checked(text: str, where: str) -> str:
    """The utterance as it is read; ConfigError where that is nothing, or not all of it."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # bytes that were no text
        raise ConfigError(f"{where}: expected text in UTF-8.")
    read = cut(text)
    if not read:
        raise ConfigError(f"{where}: expected words, found none.")
    if len(read) < len(" ".join(text.split())):
        raise ConfigError(
            f"{where}: {counted(len(text.split()), 'word')}, {len(text):,} characters; expected at "
            f"most {MOST_WORDS} words and {MOST_LETTERS:,} characters."
        )
    return read


def _task(run: Run, option: str, text: str) -> int:
    """The number (from 0) of the run's task of this name or number (from 1)."""
    if text in run.tasks:
        return run.tasks.index(text)
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= len(run.tasks):
        return int(text[:9]) - 1
    known = ", ".join(f"{n} {clean(name)}" for n, name in enumerate(run.tasks, start=1))
    raise ConfigError(
        f"{option} {clean(text, 60)!r}: run {run.id} has no such task; there are: "
        f"{known or 'none yet'}."
    )


def _typed() -> Iterator[str]:
    """The utterances of standard input."""
    if sys.stdin.isatty():
        print("An utterance a line; Ctrl-D ends.", file=sys.stderr)
    return _of_lines(sys.stdin)


def _of_lines(lines: Iterable[str]) -> Iterator[str]:
    try:
        for number, line in enumerate(lines, start=1):
            yield _checked(line, f"line {number}")
    except UnicodeDecodeError as error:
        raise ConfigError(f"standard input: expected text in UTF-8 ({error.reason}).") from error


def _values(run: Run, utterance: str, written: Written, after: int, task: int) -> dict[str, Any]:
    """Plain values; `logical_form` is null where none came to an end."""
    return {
        "utterance": utterance,
        "logical_form": written.logical_form,
        "probability": written.probability,
        "unknown_words": list(written.unknown),
        "unread_words": written.unread,
        "run": run.id,
        "after": run.task_name(after),
        "task": run.task_name(task),
    }
