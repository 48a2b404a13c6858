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
    "regular",
    "options",
    "registry",
    "config",
    "validation",
    "paths",
    "stopping",
    "free_ram",
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
DOT_FILES = {".ci", ".streamlit", ".gitignore", ".mypy.ini", ".ruff.toml", ".pytest.ini"}
MODULES = sorted((PROJECT / "core").rglob("*.py"))
PAGES = sorted([PROJECT / "app.py", *(PROJECT / "pages").rglob("*.py")])
FILES = MODULES + PAGES
NOT_IN_CORE = ["streamlit", "pages"]
NOT_IN_PAGES = ["torch", "core.commands"]
NO_TORCH = ["core.runs.store", "core.config", "core.events"]
MOST_LINES = 220


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


def position(name: str) -> int:
    """How far down its layer lies; core itself lies above all."""
    return LAYERS.index(layer(name)) if layer(name) else -1


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts)


def test_a_module_imports_only_its_own_package_and_those_above_it() -> None:
    offenders = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        for name in imported(path)
        if layer(name) is not None and position(name) > position(name_of(path))
    ]
    assert offenders == []


def test_core_knows_no_streamlit_and_pages_know_no_torch_and_no_command_line() -> None:
    offenders = [
        f"{name_of(path)} imports {name}"
        for paths, refused in ((MODULES, NOT_IN_CORE), (PAGES, NOT_IN_PAGES))
        for path in paths
        for name in imported(path)
        if any(name == each or name.startswith(f"{each}.") for each in refused)
    ]
    assert offenders == []


def test_every_package_of_core_has_its_layer_and_no_file_lies_outside() -> None:
    names = {
        path.stem
        for path in (PROJECT / "core").iterdir()
        if not path.name.startswith("__") and path.suffix in ("", ".py")
    }
    assert names | {"__main__"} == set(LAYERS)
    assert [n for n in map(name_of, MODULES) if layer(n) is None] == ["core.__init__"]


def test_files_are_one_idea_long() -> None:
    lines = {name_of(path): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_only_the_store_speaks_to_its_database() -> None:
    offenders = [
        name_of(path)
        for path in FILES
        if "engine.connect" in path.read_text(encoding="utf-8") and layer(name_of(path)) != "runs"
    ]
    assert offenders == []


def test_tests_import_nothing_from_one_another() -> None:
    """What tests share lies in modules that hold no tests: one that ran is one that was meant."""
    offenders = [
        f"{name_of(path)} imports {name}"
        for path in sorted((PROJECT / "tests").rglob("*.py"))
        for name in imported(path)
        if name.startswith("tests.") and any(part.startswith("test_") for part in name.split("."))
    ]
    assert offenders == []


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


@pytest.mark.slow
def test_pages_open_without_what_only_some_computations_need() -> None:
    """Each takes a second or more to import."""
    rooms = [name_of(path) for path in (PROJECT / "pages" / "shared").rglob("*.py")]
    code = "import sys\n" + "".join(f"import {name}\n" for name in sorted(rooms))
    code += "print([name for name in ('torch', 'scipy.stats', 'sklearn') if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=PROJECT, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


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
