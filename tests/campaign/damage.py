"""Every file that is kept, cut short, overwritten or gone: refused in a sentence, or mended."""

import contextlib
import io
import random
import time
from pathlib import Path

import pytest

from core import paths
from core.__main__ import main
from core.data.base import DataError
from core.data.io import download, inventory
from core.data.upload import UploadOptions, store_upload, upload, uploads
from core.runs import checkpoints
from core.runs.checkpoint_files import CheckpointError
from core.runs.manager import close_manager
from core.runs.run import FINISHED
from core.runs.store import Store
from tests.campaign.bits import PLAIN, assert_equal, small_config, words_of
from tests.campaign.kills import LONGEST, begin, until_running
from tests.campaign.tables import ROWS, text
from tests.data.mirror import NAMES, contents, mirror, on_disk, write_digests
from tests.pages.sessions import opened


def damaged(rng: random.Random, path: Path) -> str:
    """Cut the file short, write junk into it or instead of it, or remove it; which of these."""
    kind = rng.choice(["cut", "junk within", "junk instead", "empty", "removed"])
    data = path.read_bytes() if path.exists() else b""
    if kind == "removed":
        path.unlink(missing_ok=True)
    elif kind == "cut":
        path.write_bytes(data[: rng.randrange(len(data))] if data else b"")
    elif kind == "junk within" and data:
        length = rng.randint(1, min(400, len(data)))
        start = rng.randrange(len(data) - length + 1)
        changed = bytes(byte ^ 0xA5 for byte in data[start : start + length])
        path.write_bytes(data[:start] + changed + data[start + length :])
    else:
        path.write_bytes(rng.randbytes(0 if kind == "empty" else rng.randint(1, 5000)))
    return kind


def said(*words: str) -> tuple[int, str]:
    """A command's exit code and what it says on stderr, which is no traceback."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        code = main(list(words))
    assert code in (0, 1, 2, 3)
    assert "Traceback" not in err.getvalue()
    assert "Unexpected" not in err.getvalue(), err.getvalue()
    return code, err.getvalue()


def looked_at(*pages: str) -> None:
    """Pages open without an exception."""
    try:
        for page in pages:
            assert [each.message for each in opened(page).exception] == []
    finally:
        close_manager()


def damaged_database(rng: random.Random, home: Path) -> None:
    """The database of a finished run: commands and pages say what is wrong; a new home works."""
    damaged(rng, home / "runs.sqlite")
    for words in (("runs",), ("show", "1"), ("results", "--dataset", "demo"), ("stop", "1")):
        said(*words)
    looked_at("app.py", rng.choice(["pages/runs.py", "pages/accuracy.py", "pages/launch.py"]))
    if said("runs")[0] == 0:  # it is whole enough to go on with
        code, words = said(*words_of(small_config()), "--quiet")
        assert code == 0 or words


def damaged_log(rng: random.Random, home: Path) -> None:
    """A process is killed and the -wal or -shm that it leaves is damaged: earlier runs are whole,
    and what is there of its own goes on to the same bits.
    """
    store = Store()
    process = begin(*words_of(small_config()), "--quiet")
    until_running(store, PLAIN + 1)
    time.sleep(rng.uniform(0, LONGEST))
    process.kill()
    process.communicate()
    left = {path: path.read_bytes() for path in home.glob("runs.sqlite*")}
    store.close()
    for path, content in left.items():  # closing has moved the log into the database
        path.write_bytes(content)
    damaged(rng, home / f"runs.sqlite-{rng.choice(['wal', 'shm'])}")
    assert said("runs") == (0, "")
    store = Store()
    assert store.run(PLAIN).status == FINISHED
    ids = [run.id for run in store.runs()]
    if PLAIN + 1 in ids and store.run(PLAIN + 1).status != FINISHED:
        assert said("resume", str(PLAIN + 1), "--quiet") == (0, "")
    if PLAIN + 1 in ids:
        for task in range(2):
            left, right = (checkpoints.load_parser(id, task) for id in (PLAIN, PLAIN + 1))
            assert_equal(left, right)
    store.close()


def damaged_checkpoint(rng: random.Random, home: Path) -> None:
    """Of a killed run: it goes on to the same bits, or says that it can't and is begun anew."""
    store, id = Store(), PLAIN + 1
    process = begin(*words_of(small_config()), "--quiet")
    until_running(store, id, rng.uniform(0.1, 0.9))
    process.kill()
    process.communicate()
    store.mark_interrupted()
    files = sorted(checkpoints.folder(id).glob("*.pt"))
    damaged(rng, rng.choice(files) if files else checkpoints.folder(id) / "state.pt")
    if store.run(id).status != FINISHED:
        code, words = said("resume", str(id), "--quiet")
        if code:
            assert "--anew" in words
            assert said("resume", str(id), "--anew", "--quiet")[0] == 0
    assert store.run(id).status == FINISHED
    for task in range(2):  # a parser that was kept before is not written again
        with contextlib.suppress(CheckpointError):
            parser = checkpoints.load_parser(id, task)
            if parser is not None:
                assert_equal(parser, checkpoints.load_parser(PLAIN, task))
    store.close()


def damaged_parser(rng: random.Random, home: Path) -> None:
    """Of a finished run: it is refused in a sentence, never read as something else."""
    task = rng.randrange(2)
    before = checkpoints.load_parser(PLAIN, task)
    damaged(rng, checkpoints.folder(PLAIN) / f"parser-{task}.pt")
    with contextlib.suppress(CheckpointError):
        after = checkpoints.load_parser(PLAIN, task)
        assert after is None or assert_equal(after, before) is None
    said("show", str(PLAIN))
    looked_at("pages/playground.py", "pages/runs.py")


def damaged_upload(rng: random.Random, home: Path) -> None:
    """Its rows or its summary: that file is flagged or refused, another one and all pages work."""
    bad, good = store_upload(text(ROWS), "bad.tsv"), store_upload(text(ROWS + ROWS[:1]), "good.tsv")
    before = upload(UploadOptions(file=bad.digest))
    damaged(rng, home / "uploads" / f"{bad.digest}.{rng.choice(['tsv', 'json'])}")
    assert good in uploads()
    with contextlib.suppress(DataError):
        assert upload(UploadOptions(file=bad.digest)) == before
    looked_at("app.py", "pages/launch.py")


def damaged_download(rng: random.Random, home: Path) -> None:
    """A part of a download that broke off, or a file that is there: in the end as published."""
    folder = paths.home().parent / "data"
    with pytest.MonkeyPatch.context() as patch, mirror(contents()) as server:
        table = write_digests(home.parent / "digests.txt", contents())
        patch.setattr(inventory, "DIGESTS", table)
        patch.setenv("TOTAL_RECALL_DATA", str(folder))
        server.faults = ["cut", "empty"] if rng.random() < 0.7 else []
        with contextlib.suppress(DataError):
            download.get("overnight", server.url)
        server.faults = []
        files = [path for path in folder.rglob("*") if path.is_file()]
        damaged(rng, rng.choice(sorted(files)) if files else folder / NAMES[0])
        with contextlib.suppress(DataError):  # a part with other content is thrown away,
            download.get("overnight", server.url)
        download.get("overnight", server.url)  # and the next call begins anew
        assert on_disk(folder) == contents()
