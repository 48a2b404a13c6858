"""The architecture as a contract: who may import whom, and what lies where."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import PROJECT

LAYERS = [
    "text",
    "registry",
    "options",
    "config",
    "validation",
    "paths",
    "stopping",
    "events",
    "generators",
    "language",
    "data",
    "parser",
    "similarity",
    "samplers",
    "methods",
    "evaluation",
    "probes",
    "training",
    "runs",
    "inspection",
    "experiments",
    "analysis",
    "charts",
    "commands",
    "__main__",
]
TOP_LEVEL = {"README.md", "requirements.txt", "app.py", "pages", "core", "tests", "assets"}
DOT_FILES = {".ci", ".streamlit", ".gitignore", ".ruff.toml", ".pytest.ini"}
MODULES = sorted((PROJECT / "core").rglob("*.py"))
PAGES = sorted([PROJECT / "app.py", *(PROJECT / "pages").rglob("*.py")])
NO_TORCH = ["core.runs.store", "core.config", "core.events"]
MOST_LINES = 280


def imported(path: Path) -> Iterator[str]:
    """The full names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(name: str) -> str | None:
    """The layer of a module's full name; None for core itself and for others."""
    parts = name.split(".")
    return parts[1] if parts[0] == "core" and len(parts) > 1 and parts[1] in LAYERS else None


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_its_own_package_and_those_above_it(path) -> None:
    own = layer(name_of(path))
    if own is None:
        assert name_of(path) == "core.__init__"
        return
    for name in imported(path):
        other = layer(name)
        if other is not None:
            assert LAYERS.index(other) <= LAYERS.index(own), f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_core_knows_no_streamlit(path) -> None:
    assert not any(name.split(".")[0] == "streamlit" for name in imported(path))


def test_every_package_of_core_has_its_layer() -> None:
    there = {path.stem for path in (PROJECT / "core").iterdir() if not path.name.startswith("__")}
    assert there | {"__main__"} == set(LAYERS)


@pytest.mark.parametrize("path", MODULES + PAGES, ids=name_of)
def test_files_are_one_idea_long(path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES + PAGES, ids=name_of)
def test_only_the_store_speaks_to_its_database(path) -> None:
    if "runs" not in path.relative_to(PROJECT).parts[:2]:
        assert "engine.connect" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_pages_import_no_torch(path) -> None:
    assert not any(name.split(".")[0] == "torch" for name in imported(path))


@pytest.mark.slow
def test_what_only_looks_loads_no_torch() -> None:
    looking = [
        name_of(path)
        for package in ("inspection", "analysis", "charts")
        for path in (PROJECT / "core" / package).glob("*.py")
    ]
    code = "import sys\n" + "".join(f"import {name}\n" for name in [*NO_TORCH, *looking])
    code += "assert 'torch' not in sys.modules, 'torch is loaded'\n"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)


def test_the_top_level_is_as_agreed() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], check=True, cwd=PROJECT, capture_output=True, text=True
    ).stdout.split("\n")
    names = {name.split("/")[0] for name in tracked if name}
    assert names <= TOP_LEVEL | DOT_FILES


def test_no_benchmark_data_is_committed() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.tsv"], check=True, cwd=PROJECT, capture_output=True, text=True
    ).stdout
    assert tracked == ""
