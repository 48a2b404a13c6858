"""assets/adding.md is true: what it shows is registered, checked, and works as it stands there."""

import importlib
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.methods.base import Method
from core.paths import PROJECT
from core.registry import NoOptions, datasets, methods, samplers
from core.samplers.base import Selection
from tests.learners import copied, equal, run
from tests.pages.sessions import PATIENCE, SCRIPTS, figures, texts, well

TEXT = (PROJECT / "assets" / "adding.md").read_text(encoding="utf-8")
BLOCKS = [textwrap.dedent(each) for each in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)]
PACKAGES = {"methods": methods, "samplers": samplers, "datasets": datasets}


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the document adds, as long as the test takes."""
    before = {name: dict(package) for name, package in PACKAGES.items()}
    monkeypatch.syspath_prepend(tmp_path)
    for at, block in enumerate(block for block in BLOCKS if ".register(" in block):
        name = f"added_{tmp_path.name}_{at}"
        (tmp_path / f"{name}.py").write_text(block, encoding="utf-8")
        importlib.import_module(name)
    yield
    for name, package in PACKAGES.items():
        package._entries.clear()
        package._entries.update(before[name])


def new(kind: str) -> str:
    """The one name that the document registers."""
    (name,) = re.findall(rf'@{kind}\.register\(\s*"(\w+)"', "\n".join(BLOCKS))
    return name


@pytest.mark.usefixtures("added")
def test_the_method_learns_by_its_own_loss_and_goes_on_to_the_same_bits(toy_config) -> None:
    config = toy_config.with_(method=new("methods"), task_order=("zoo", "port"), epochs=1)
    states: list[dict] = []
    events, end = run(config, save=lambda state: states.append(copied(state)))
    assert any("distillation" in e["parts"] for e in events if e["kind"] == "Epoch")
    plain = run(config.with_(method="finetune"))[1]
    assert not equal(end, plain)
    for state in states[:-1]:
        assert equal(run(config, resume=copied(state))[1], end), state["position"]


@pytest.mark.usefixtures("added")
def test_the_sampler_chooses_and_the_data_set_has_tasks(toy_tasks) -> None:
    sampler, examples = samplers[new("samplers")], toy_tasks[0].train
    chosen = sampler.value(examples, 3, sampler.options(), np.random.default_rng(0), None)
    assert isinstance(chosen, Selection)
    assert len(set(chosen.indices)) == 3
    tasks = datasets[new("datasets")].value(NoOptions())
    assert [task.name for task in tasks] == ["bergen", "cairo"]
    assert all(task.train and task.test for task in tasks)


@pytest.mark.parametrize("filled", [False, True])
def test_the_page_draws_the_runs_of_the_tray_and_says_where_there_are_none(
    filled: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if filled:
        request.getfixturevalue("filled_home")
    (block,) = (block for block in BLOCKS if "open_page(" in block)
    for script in SCRIPTS:  # the app with one page more
        copy = tmp_path / script.relative_to(PROJECT)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(script, copy)
    (tmp_path / "pages" / "durations.py").write_text(block, encoding="utf-8")
    page = AppTest.from_file(str(tmp_path / "app.py"), default_timeout=PATIENCE)
    page = well(page.switch_page("pages/durations.py").run())
    assert page.title[0].value == "Durations"
    if not filled:
        assert "Launch one" in texts(page.info)
        return
    (figure,) = figures(page)
    assert [bars["x"] for bars in figure["data"]] == [["1 · zoo", "2 · port", "3 · farm"]] * 2
    assert len({bars["marker"]["color"] for bars in figure["data"]}) == 2


def test_every_hook_of_a_method_is_in_the_table() -> None:
    hooks = {
        name for name, value in vars(Method).items() if callable(value) and not name.startswith("_")
    }
    helpers = {"attach", "label", "task_parameters", "weighted_losses", "memories", "Options"}
    assert {name for name in hooks - helpers if f"`{name}(" not in TEXT} == set()


def test_every_trait_is_named() -> None:
    traits = set(type(methods["emr"]).__dataclass_fields__) - {"name", "value", "options", "label"}
    assert {name for name in traits if not re.search(rf"`{name}[=`]", TEXT)} == set()
