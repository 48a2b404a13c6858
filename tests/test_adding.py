"""assets/adding.md is true: what it shows is registered, checked, and works as it stands there."""

import importlib
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.methods.base import Method
from core.paths import PROJECT
from core.registry import NoOptions, datasets, methods, samplers
from core.samplers.base import Selection
from tests.learners import copied, equal, run

TEXT = (PROJECT / "assets" / "adding.md").read_text(encoding="utf-8")
BLOCKS = [textwrap.dedent(each) for each in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)]
PACKAGES = {"methods": methods, "samplers": samplers, "datasets": datasets}


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the document adds, as long as the test takes."""
    before = {name: dict(package) for name, package in PACKAGES.items()}
    monkeypatch.syspath_prepend(tmp_path)
    for at, block in enumerate(BLOCKS):
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


def test_every_hook_of_a_method_is_in_the_table() -> None:
    hooks = {
        name for name, value in vars(Method).items() if callable(value) and not name.startswith("_")
    }
    helpers = {"attach", "label", "task_parameters", "weighted_losses", "memories", "Options"}
    assert {name for name in hooks - helpers if f"`{name}(" not in TEXT} == set()


def test_every_trait_is_named() -> None:
    traits = set(type(methods["emr"]).__dataclass_fields__) - {"name", "value", "options", "label"}
    assert {name for name in traits if not re.search(rf"`{name}[=`]", TEXT)} == set()
