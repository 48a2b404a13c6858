"""Which modules are mutated, and which tests should notice."""

from pathlib import Path

from core.paths import PROJECT

PACKAGES = ("methods", "samplers", "similarity", "language", "analysis")
NO_MATHEMATICS = {"command_line", "durations", "settings", "choosing", "paper_values", "paper"}
SHARED = {"base", "total_recall"}  # of methods: what every test of methods runs


def modules() -> list[Path]:
    """The files that hold the mathematics."""
    files = [path for name in PACKAGES for path in sorted((PROJECT / "core" / name).rglob("*.py"))]
    return [path for path in files if path.stem not in NO_MATHEMATICS and path.stat().st_size > 1]


def arguments(path: Path) -> list[str]:
    """What pytest is given for a module: the tests of its package, those that name it first."""
    relative = path.relative_to(PROJECT / "core")
    name = ".".join(["core", *relative.with_suffix("").parts])
    package = PROJECT / "tests" / relative.parts[0]
    tests = sorted(package.glob("test_*.py"), key=lambda file: -_mentions(file, name, path.stem))
    only = ["-m", "not slow and not browser and not data"]
    if relative.parts[0] == "methods" and len(relative.parts) == 2 and path.stem not in SHARED:
        only += ["-k", path.stem]
    elif any(name in file.read_text(encoding="utf-8") for file in tests):
        tests = [file for file in tests if _mentions(file, name, path.stem)]
    return [*only, *map(str, tests)]


def _mentions(file: Path, name: str, stem: str) -> int:
    text = file.read_text(encoding="utf-8")
    return 100 * text.count(name) + text.count(stem) + 50 * (stem in file.stem)
