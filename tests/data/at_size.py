"""An invented file of many rows, and how long it takes to import and to open Launch with it.

`python -m tests.data.at_size 60000` prints seconds, of the clock and of the processor.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from core.data.upload import UploadOptions, store_upload, upload
from core.paths import PROJECT

PLACES = [a + b for a in ("north", "old", "new", "great") for b in ("ham", "ton", "ford", "dale")]
TASKS = 6


def invented(n_rows: int, seed: int = 0) -> bytes:
    """Rows of six tasks; seven of ten forms are distinct, as in the file that was slow."""
    rng = random.Random(seed)
    lines = []
    for number in range(n_rows):
        form, words = _thing(rng, 3)
        split = rng.choices(["train", "valid", "test"], [8, 1, 1])[0]
        utterance = f"show me {words} please {rng.randint(0, n_rows // 3)}"
        lines.append(f"task {number % TASKS}\t{split}\t{utterance}\t( listValue {form} )\n")
    return "".join(lines).encode()


def _thing(rng: random.Random, depth: int) -> tuple[str, str]:
    """A form and words for it."""
    chance, n = rng.random(), rng.randint(0, 39)
    if depth == 0 or chance < 0.25:
        entity = f"{rng.choice(PLACES)}{n}"
        return f"( name {entity} )", entity
    form, words = _thing(rng, depth - 1)
    if chance < 0.6:
        return f"( rel{n} {form} )", f"rel{n} of {words}"
    if chance < 0.8:
        second, more = _thing(rng, depth - 1)
        return f"( and {form} {second} )", f"{words} and {more}"
    return f"( filter {form} ( prop{n} {rng.randint(1, 60)} ) )", f"{words} with prop{n}"


def _print_time(what: str, act: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what}: {wall:.1f} s, CPU {cpu:.1f} s", flush=True)


def main(n_rows: int) -> None:
    """Upload, then Launch in a process that has read nothing."""
    if "TOTAL_RECALL_AT_SIZE" not in os.environ:
        with tempfile.TemporaryDirectory() as home:
            os.environ["TOTAL_RECALL_HOME"] = home
            kept = []
            data = invented(n_rows)
            _print_time("upload", lambda: kept.append(store_upload(data, "big.tsv").digest))
            child = os.environ | {"TOTAL_RECALL_AT_SIZE": kept[0]}
            command = [sys.executable, "-m", "tests.data.at_size", str(n_rows)]
            subprocess.run(command, env=child, cwd=PROJECT, check=True)
        return
    from core.config import RunConfig
    from core.training import progress

    options = UploadOptions(os.environ["TOTAL_RECALL_AT_SIZE"])
    config = RunConfig(dataset="upload", dataset_options={"file": options.file})
    _print_time("Launch in a new server: reading", lambda: upload(options))
    _print_time("Launch in a new server: counting", lambda: progress.recording_text(config))


if __name__ == "__main__":
    main(int(sys.argv[1]))
