"""Downloads against a mirror on this machine: right or refused, resumed, never half-written."""

import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.data.base import DataError
from core.data.io import sources
from core.data.io.download import DownloadProgress, get
from core.data.io.inventory import Verdict, check
from core.data.io.regular import read_regular
from core.paths import PROJECT
from core.stopping import Stopped
from tests.data.mirror import NAMES, SLOW, Mirror, contents, mirror, on_disk

FILES = contents()
LONG = NAMES[0]


@pytest.fixture
def server() -> Iterator[Mirror]:
    with mirror(FILES) as running:
        yield running


def test_every_file_arrives_as_published(data: Path, server: Mirror) -> None:
    get("overnight", server.url)
    assert on_disk(data) == FILES
    assert set(check("overnight").values()) == {Verdict.RIGHT}


def test_what_is_there_is_not_fetched_again(data: Path, server: Mirror) -> None:
    get("overnight", f"{server.url}/")
    asked = len(server.requests)
    (data / NAMES[1]).unlink()
    get("overnight", server.url)
    assert server.requests[asked:] == [(f"/{NAMES[1]}", None)]


def test_progress_grows_to_the_whole(data: Path, server: Mirror) -> None:
    reports: list[DownloadProgress] = []
    get("overnight", server.url, progress=reports.append)
    done = [progress.bytes_done for progress in reports]
    assert done == sorted(done)
    assert len(set(done)) > len(FILES)  # several times within the long file
    total = sum(map(len, FILES.values()))
    assert reports[-1] == DownloadProgress(NAMES[-1], len(FILES), len(FILES), total, total)


def test_the_authors_repository_is_asked_at_its_commit(
    data: Path, server: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sources.ORIGIN.startswith("https://")
    assert f"{sources.REPOSITORY}/{sources.COMMIT}/" in sources.ORIGIN
    server.files = {name.replace("/", "/continual_split/"): d for name, d in FILES.items()}
    monkeypatch.setattr(sources, "ORIGIN", server.url)
    get("overnight")
    assert on_disk(data) == FILES


def test_other_content_is_thrown_away(data: Path, server: Mirror) -> None:
    server.files[LONG] = b"x" * len(FILES[LONG])
    with pytest.raises(DataError, match=f"{LONG}: what the source holds is not the published"):
        get("overnight", server.url)
    assert on_disk(data) == {}
    server.files[LONG] = FILES[LONG]
    get("overnight", server.url)
    assert on_disk(data) == FILES


def test_a_cut_connection_is_taken_up_where_it_broke(data: Path, server: Mirror) -> None:
    server.faults = ["cut", "cut"]
    get("overnight", server.url)
    half = len(FILES[LONG]) // 2
    asked = [wanted for path, wanted in server.requests if path == f"/{LONG}"]
    assert asked == [None, f"bytes={half}-", f"bytes={half + half // 2}-"]
    assert on_disk(data) == FILES


def test_a_connection_that_keeps_breaking_is_reported_and_a_later_call_goes_on(
    data: Path, server: Mirror
) -> None:
    server.faults = ["cut", "empty"]
    half = len(FILES[LONG]) // 2
    with pytest.raises(DataError, match=rf"cut.*; {half:,} of 300,000 bytes are here") as got:
        get("overnight", server.url)
    assert "goes on from there" in str(got.value)
    assert on_disk(data) == {f"{LONG}.part": FILES[LONG][:half]}
    get("overnight", server.url)
    assert server.requests[2] == (f"/{LONG}", f"bytes={half}-")
    assert on_disk(data) == FILES


def test_a_server_without_ranges_sends_the_file_anew(data: Path, server: Mirror) -> None:
    server.has_ranges = False
    server.faults = ["cut"]
    get("overnight", server.url)
    assert on_disk(data) == FILES


@pytest.mark.parametrize("extra", [0, 5])
def test_a_part_that_went_wrong_does_not_stay(data: Path, server: Mirror, extra: int) -> None:
    part = data / f"{LONG}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * (len(FILES[LONG]) + extra))
    if not extra:  # as long as the file, so that nothing is left to fetch
        with pytest.raises(DataError, match="not the published file"):
            get("overnight", server.url)
        assert on_disk(data) == {}
    get("overnight", server.url)
    assert on_disk(data) == FILES


def test_a_source_that_is_shorter_than_our_part_is_no_match(data: Path, server: Mirror) -> None:
    part = data / f"{LONG}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(FILES[LONG][:200_000])
    server.files[LONG] = FILES[LONG][:1000]
    with pytest.raises(DataError, match="cut, or the file there is shorter"):
        get("overnight", server.url)
    assert LONG not in on_disk(data)


@pytest.mark.parametrize(
    ("fault", "said"), [(404, "has no such file"), (403, "refused"), (503, "refused")]
)
def test_an_answer_that_is_no_file_names_the_address(
    data: Path, server: Mirror, fault: int, said: str
) -> None:
    server.faults = [fault]
    with pytest.raises(DataError, match=rf"{server.url}/{LONG}: the server {said}.*{fault}"):
        get("overnight", server.url)
    assert on_disk(data) == {}


def test_no_server_is_said_to_be_out_of_reach(data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        port = taken.getsockname()[1]
        with pytest.raises(DataError, match=f"127.0.0.1:{port} can't be reached .*refused"):
            get("overnight", f"http://127.0.0.1:{port}")
    assert on_disk(data) == {}


def test_a_silent_server_is_given_up(
    data: Path, server: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "TIMEOUT", 0.2)
    server.faults = ["stall"]
    with pytest.raises(DataError, match=r"can't be reached \(.*timed out"):
        get("overnight", server.url)


def test_stopping_keeps_what_came_and_a_later_call_goes_on(data: Path, server: Mirror) -> None:
    reports: list[DownloadProgress] = []
    with pytest.raises(Stopped):
        get(
            "overnight",
            server.url,
            progress=reports.append,
            should_stop=lambda: bool(reports) and reports[-1].bytes_done > 100_000,
        )
    (name, part), *more = on_disk(data).items()
    assert name == f"{LONG}.part"
    assert not more
    assert FILES[LONG].startswith(part)
    get("overnight", server.url)
    assert server.requests[1] == (f"/{LONG}", f"bytes={len(part)}-")
    assert on_disk(data) == FILES


def test_a_file_with_other_content_is_replaced(data: Path, server: Mirror) -> None:
    get("overnight", server.url)
    (data / LONG).write_bytes(b"y" * len(FILES[LONG]))
    get("overnight", server.url)
    assert on_disk(data) == FILES


def test_one_download_at_a_time(data: Path, server: Mirror) -> None:
    def again(progress: DownloadProgress) -> None:
        with pytest.raises(DataError, match="being downloaded already"):
            get("overnight", server.url)

    get("overnight", server.url, progress=again)
    get("overnight", server.url)


def test_another_process_keeps_a_data_set_to_itself(data: Path, server: Mirror) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom core.data.io.exclusive import alone\n"
        "with alone('overnight', Path(sys.argv[1])):\n"
        "    print('in', flush=True)\n    sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, str(data / "overnight")]
    with subprocess.Popen(
        words, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"in\n"
        with pytest.raises(DataError, match="overnight is being downloaded already"):
            get("overnight", server.url)
        assert server.requests == []
        process.kill()  # its lock goes with it
    get("overnight", server.url)
    assert on_disk(data) == FILES


def test_a_folder_that_can_not_be_written_is_named(data: Path, server: Mirror) -> None:
    data.write_text("a file where the folder should be")
    with pytest.raises(DataError, match="can't be written"):
        get("overnight", server.url)


def test_a_full_disk_is_named_and_the_download_goes_on_later(data: Path, server: Mirror) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(DataError, match=rf"{LONG}.part: can't be written: File too large"):
            get("overnight", server.url)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(on_disk(data)) == [f"{LONG}.part"]
    get("overnight", server.url)
    assert on_disk(data) == FILES


NEITHER = ["/nowhere/at/all", "ftp://127.0.0.1/x", "file:///etc", "", "~nobody-here", "x" * 5000]
NO_ADDRESS = ["http://[::1", "http://a b", "http://127.0.0.1:port", "http://127.0.0.1/\u00e4"]


@pytest.mark.parametrize("source", [*NEITHER, "a\0b", *NO_ADDRESS])
def test_what_is_neither_folder_nor_address_is_refused(data: Path, source: str) -> None:
    expected = "expected an http or https" if source in NO_ADDRESS else "expected a folder that is"
    with pytest.raises(DataError, match=expected):
        get("overnight", source)
    assert on_disk(data) == {}


def test_an_address_may_be_in_capitals(data: Path, server: Mirror) -> None:
    get("overnight", server.url.replace("http", "HTTP"))


@pytest.mark.parametrize("name", ["demo", "upload", "moon"])
def test_what_can_not_be_downloaded_is_named(data: Path, name: str) -> None:
    with pytest.raises(DataError, match=f"'{name}' is no data set .*overnight, nlmap_qt"):
        get(name)


def test_a_source_of_a_few_bytes_a_second_is_given_up(
    data: Path, server: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "TIMEOUT", 0.3)
    server.faults = ["trickle"]
    with pytest.raises(DataError, match="less than 1,000 bytes a second came"):
        get("overnight", server.url)
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", SLOW)
def test_an_answer_that_begins_a_byte_at_a_time_is_given_up(
    data: Path, server: Mirror, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(sources, "TIMEOUT", 0.2)
    server.faults = [fault]
    with pytest.raises(DataError, match=r"timed out: no answer within 0\.2 s"):
        get("overnight", server.url)
    get("overnight", server.url)
    assert on_disk(data) == contents()


def test_what_a_server_says_is_printed_without_control_characters(
    data: Path, server: Mirror
) -> None:
    server.faults = ["rude"]
    with pytest.raises(DataError) as got:
        get("overnight", server.url)
    assert "503 no[31m" in str(got.value)


def test_a_part_that_is_a_link_is_not_written_through(
    data: Path, server: Mirror, tmp_path: Path
) -> None:
    linked = tmp_path / "other"
    linked.write_bytes(b"mine")
    part = data / f"{LONG}.part"
    part.parent.mkdir(parents=True)
    part.symlink_to(linked)
    get("overnight", server.url)
    assert linked.read_bytes() == b"mine"
    assert not (data / LONG).is_symlink()


def test_pipes_and_devices_are_no_files(data: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "mirror" / LONG
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="expected a file, found a folder, a pipe or a device"):
        get("overnight", tmp_path / "mirror")
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(DataError, match="expected a file, found"):
            read_regular(path, 10)
