"""A server that trains while pages poll it: memory, threads and open files level off."""

import random
from contextlib import suppress
from pathlib import Path

from core.runs.store import Store
from tests.campaign.bits import small_config
from tests.campaign.server import Server

SESSIONS, WARM, POLLS = 6, 30, 300
MORE_MB, MORE_THREADS, MORE_FILES = 80, 8, 16  # between the end of warming up and the end
# Streamlit keeps 128 sessions for two minutes after their end, each with an event loop: two sockets
# and what it waits with
MORE_SOCKETS = 3 * 128
PAGES = ["", "runs", "accuracy", "launch", "forgetting", "memories"]


def soak(rng: random.Random, home: Path) -> None:
    """Sessions come, poll and go; pages show no exception and the server does not grow."""
    server, store = Server.start(home, home.parent / "server.log"), Store()
    try:
        store.create(small_config().with_(epochs=60, seed=7))
        for _ in range(2):  # every page once with all that it imports, and a task's end
            poll(rng, server, PAGES, WARM)
        before = used(server.process.pid)
        for _ in range(POLLS // WARM):
            poll(rng, server, rng.choices(PAGES, k=SESSIONS), WARM)
        after = used(server.process.pid)
        assert "Traceback" not in server.log.read_text()
        grown = [b - a for a, b in zip(before, after, strict=True)]
        assert grown[0] < MORE_MB, (before, after)
        assert grown[1] < MORE_THREADS, (before, after)
        assert grown[2] < MORE_FILES, (before, after)
        assert grown[3] < MORE_SOCKETS, (before, after)
    finally:
        server.kill()
        store.close()


def poll(rng: random.Random, server: Server, pages: list[str], times: int) -> None:
    """A session at each page after the other, which polls its share of the times."""
    for page in pages:
        with server.session(page=page) as session:
            assert session.until_drawn() == []
            for _ in range(times // len(pages)):
                session.rerun(page=page)
                assert session.until_drawn() == []


def used(process: int) -> tuple[float, int, int, int]:
    """Megabytes, threads, open files and open sockets (and the like) of a process."""
    folder = Path(f"/proc/{process}")
    fields = dict(
        line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line
    )
    megabytes = int(fields["VmRSS"].split()[0]) / 1024
    links, open_files = list((folder / "fd").iterdir()), 0
    for link in links:
        with suppress(OSError):  # closed by now
            open_files += str(link.readlink()).startswith("/")
    return megabytes, int(fields["Threads"]), open_files, len(links) - open_files
