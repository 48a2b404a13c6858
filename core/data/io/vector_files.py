"""Published word vectors that have a name here: GloVe 6B (Pennington, Socher and Manning, 2014).

All four tables are members of one archive. Its digest, and those of the tables that others have
published by themselves, are pinned below; a table without one is had from the archive alone. What
is fetched lies in the folder `glove` of the data folder, the archive as it came: a table is read
out of it without being unpacked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from core.data.io.inventory import Availability, BenchmarkFile, State, Verdict, verdict

ORIGIN = "https://downloads.cs.stanford.edu/nlp/data/glove.6B.zip"
FOLDER = "glove"
CITATION = (
    "Pennington, Socher and Manning: GloVe: Global vectors for word representation. EMNLP 2014."
)
LICENCE = "Public Domain Dedication and License 1.0."
ABOUT = "Vectors of 400,000 English words, of 50, 100, 200 or 300 numbers (the paper: 200)."

ARCHIVE = BenchmarkFile(
    f"{FOLDER}/glove.6B.zip",
    862_182_613,
    "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
)


@dataclass(frozen=True)
class VectorTable:
    """A table of word vectors: its member in the archive, and what is published of it alone."""

    name: str
    label: str
    member: str
    alone: BenchmarkFile | None = None  # None where no digest of the unpacked table is known


def _table(size: int, n_bytes: int = 0, digest: str = "") -> VectorTable:
    member = f"glove.6B.{size}d.txt"
    alone = BenchmarkFile(f"{FOLDER}/{member}", n_bytes, digest) if digest else None
    return VectorTable(f"glove-6b-{size}", f"GloVe 6B, {size} dimensions", member, alone)


TABLES: Mapping[str, VectorTable] = MappingProxyType(
    {
        table.name: table
        for table in (
            _table(
                50,
                171_350_079,
                "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
            ),
            _table(
                100,
                347_116_733,
                "95dde4dfd627ab26608d33e76d1195ec059734bd29089ea52cadb08d07c64544",
            ),
            _table(200),
            _table(
                300,
                1_037_962_819,
                "91125602f730fea7ca768736c6f442e668b49db095682bf2aad375db061c21ed",
            ),
        )
    }
)


def wanted_file(name: str, mirror: Path | None) -> BenchmarkFile:
    """What is to be there for a table: what is there already, else what is fetched.

    That is the archive, or the table alone where a folder has that and not the archive.
    """
    alone, place = TABLES[name].alone, location(name)
    if alone is not None and place is not None and place[0] == alone.path:
        return alone
    if alone is None or mirror is None or place is not None:
        return ARCHIVE
    only_alone = copy_in(mirror, ARCHIVE) is None and copy_in(mirror, alone) is not None
    return alone if only_alone else ARCHIVE


def copy_in(mirror: Path, file: BenchmarkFile) -> Path | None:
    """Where a mirror has the file: itself, in the folder `glove`, or right there."""
    base = Path(file.name).name
    if mirror.is_file():
        return mirror if mirror.name == base else None
    paths = (mirror / file.name, mirror / base)
    return next((path for path in paths if path.is_file()), None)


def location(name: str) -> tuple[Path, str] | None:
    """The file that has a table and its member there, empty where the file is the table itself.

    None where neither is complete on this machine; judged by size.
    """
    table = TABLES[name]
    if table.alone is not None and _has_size(table.alone):
        return table.alone.path, ""
    return (ARCHIVE.path, table.member) if _has_size(ARCHIVE) else None


def missing(name: str) -> str:
    """What to do where the table is not on this machine."""
    return (
        f"embeddings = '{name}': {TABLES[name].label} is not on this machine. Get it on the home "
        f"page or by python -m core data get {name} ({ARCHIVE.size / 1e6:.0f} MB; --from names a "
        "mirror or a folder)."
    )


def availability(name: str) -> Availability:
    """Whether a table is on this machine; judged by size."""
    place = location(name)
    if place is not None:
        size = place[0].stat().st_size
        return Availability(State.COMPLETE, 1, 1, size, size)
    return Availability(State.MISSING, 0, 1, 0, ARCHIVE.size)


def check(name: str) -> dict[str, Verdict]:
    """File name → verdict, for the file that has the table."""
    file = wanted_file(name, None)
    return {file.name: verdict(file)}


def _has_size(file: BenchmarkFile) -> bool:
    try:
        return file.path.stat().st_size == file.size
    except OSError:
        return False
