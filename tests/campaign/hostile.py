"""Hostile files, addresses and checkpoints, generated from a seed."""

import os
import pickle
import random
import time
from pathlib import Path
from typing import Any

import torch

from core.__main__ import main
from core.data.base import DataError
from core.data.io.import_table import read_tasks
from core.data.upload import store_upload, uploads
from core.runs import checkpoint_files, checkpoints
from core.runs.manager import close_manager
from core.runs.run import FINISHED, INTERRUPTED
from core.runs.store import Store
from tests.campaign.bits import PLAIN, small_config, words_of
from tests.campaign.damage import looked_at, said
from tests.campaign.kills import begin, until_running
from tests.campaign.tables import ROWS, text
from tests.pages.hostile import HOSTILE
from tests.pages.sessions import FILES, opened

FILES_EACH, ADDRESSES_EACH, SECONDS = 40, 12, 20.0
FORMS = [
    "( a ( b c ) )",
    "a(b,c)",
    "answer(A,(state(A),loc(B,A)))",
    "[IN:GET [SL:X y ] ]",
    "\\x.f(x)",
    "(lambda $0 e (and (f $0) (g $0)))",
    "select([name],shop(x))",
    '(say "a (b) c")',
    "eq(a,'b,c')",
]
JUNK = [
    "\0", "\t", "\n", "\r", '"', "'", "(", ")", "[", ",", "\\", "\u202e", "\ufeff", "\u0301", "é",
    "\x1b[31m", " " * 50, "(" * 3000, "9" * 400, "a" * 5000, "=cmd()", "<b>", "🦊", "$x$",
]  # fmt: skip


def hostile_file(rng: random.Random) -> bytes:
    """Rows of a good file, some of their cells spoiled, and at times the bytes."""
    rows = [row.split("\t") for row in ROWS * rng.randint(1, 5)]
    for _ in range(rng.randint(0, 8)):
        row = rng.choice(rows)
        at = rng.randrange(len(row))
        cell = str(row[at])
        cut = rng.randint(0, len(cell))
        row[at] = rng.choice(
            [cell[:cut] + rng.choice(JUNK) + cell[cut:], rng.choice(FORMS), "", cell * 9]
        )
    data = bytearray(text(["\t".join(row) for row in rows]))
    for _ in range(rng.choice([0, 0, 1, 20])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randint(1, len(data))] if rng.random() < 0.2 else data)


def hostile_uploads(rng: random.Random, home: Path) -> None:
    """Forty files: tasks that are read alike again, or a refusal in a sentence, soon."""
    for _ in range(FILES_EACH):
        data, began = hostile_file(rng), time.monotonic()
        try:
            kept = store_upload(data, rng.choice(["x.tsv", "x.csv", "\x1b[31m", "../../x", ""]))
            assert read_tasks(data, "again") == read_tasks(data, "again")
            assert kept in uploads()
        except DataError as error:
            check_sentence(str(error))
        assert time.monotonic() - began < SECONDS
    looked_at("app.py", "pages/launch.py")


def check_sentence(words: str) -> None:
    """There are words, and none that a terminal obeys."""
    assert words.strip()
    assert all(c.isprintable() or c == "\n" for c in words), repr(words)


def hostile_addresses(rng: random.Random, home: Path) -> None:
    """A dozen pages at addresses whose values are hostile, two of them put together."""
    try:
        for _ in range(ADDRESSES_EACH):
            file = rng.choice(FILES)
            names = parameters(file)
            chosen = rng.sample(names, rng.randint(0, len(names)))
            address = {name: rng.choice(HOSTILE) + rng.choice(["", *HOSTILE]) for name in chosen}
            page = opened(file, **address)
            faults = [each.message for each in page.exception]
            assert faults == [], (file.name, {n: v[:200] for n, v in address.items()}, faults)
    finally:
        close_manager()


def parameters(file: Path) -> list[str]:
    """What a page keeps in the address, as it opens."""
    held = opened(file).session_state._state.filtered_state
    return sorted(str(key).split("/")[1] for key in held if str(key).endswith("/written"))


class _Attack:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def hostile_checkpoint(rng: random.Random, home: Path) -> None:
    """A state with another shape or type somewhere, or one that attacks: never "Unexpected".

    It is begun anew in the end; nothing that it would do is done.
    """
    store, id, mark = Store(), PLAIN + 1, home / "attacked"
    process = begin(*words_of(small_config()), "--quiet")
    until_running(store, id, rng.uniform(0.1, 0.8))
    process.kill()
    process.communicate()
    store.mark_interrupted()
    path = checkpoints.folder(id) / "state.pt"
    if store.run(id).status != INTERRUPTED or not path.exists():
        store.close()
        return
    if rng.random() < 0.2:
        attack = _Attack(mark)
        path.write_bytes(pickle.dumps(attack)) if rng.random() < 0.5 else torch.save(attack, path)
    else:
        state = checkpoint_files.read(path)
        assert state is not None
        checkpoint_files.write(path, spoiled(rng, state))
    code, words = said("resume", str(id), "--quiet")
    assert not mark.exists()
    if code:
        assert "--anew" in words, words
        assert main(["resume", str(id), "--anew", "--quiet"]) == 0
    assert store.run(id).status == FINISHED
    store.close()


def spoiled(rng: random.Random, state: dict[Any, Any]) -> dict[Any, Any]:
    """The state with one entry, somewhere within, gone or of another kind."""
    changed = dict(state)
    key = rng.choice(list(changed))
    if isinstance(changed[key], dict) and changed[key] and rng.random() < 0.8:
        changed[key] = spoiled(rng, changed[key])
    elif rng.random() < 0.3:
        del changed[key]
    else:
        replacements = [None, [], {}, "x", -1, 10**6, [10**6], torch.zeros(3, 2), torch.tensor(1)]
        changed[key] = rng.choice(replacements)
    return changed
