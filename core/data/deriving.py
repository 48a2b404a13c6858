"""A run's tasks as it learns them: with larger idioms collapsed, where its config asks for them."""

from collections.abc import Sequence
from dataclasses import replace

from core.config import RunConfig
from core.data.base import Example, Task, load_tasks, source_tasks
from core.data.io.kept import Kept
from core.language import idioms
from core.language.derivation import Rule

_derived: Kept[tuple[tuple[Task, ...], tuple[Task, ...]]] = Kept(8)


def derived_tasks(config: RunConfig) -> tuple[Task, ...]:
    """The tasks of a run, in its order, each row with the derivation that the run learns.

    Read once while the data do not change. DataError or ConfigError say what is wrong with the
    data or the settings.
    """
    source = source_tasks(config)
    settings = (
        config.task_order,
        config.order_seed,
        config.permutation,
        config.evaluation,
        config.idioms,
    )

    def make() -> tuple[tuple[Task, ...], tuple[Task, ...]]:
        tasks = load_tasks(config)
        return source, derive(tasks, config.idioms) if config.idioms else tasks

    return _derived.get((id(source), *settings), make)[1]  # kept beside it, the source keeps its id


_Idioms = tuple[idioms.Idiom, ...]
_Memo = dict[tuple[Rule, ...], tuple[Rule, ...]]  # derivations before and after


def derive(tasks: Sequence[Task], merges: int) -> tuple[Task, ...]:
    """The tasks with larger idioms collapsed: each task's own after those of the tasks before."""
    learned: _Idioms = ()
    derived = []
    for task in tasks:
        before = {
            steps: idioms.apply(steps, learned) for steps in {e.derivation for e in task.train}
        }
        learned += idioms.learn([before[example.derivation] for example in task.train], merges)
        memo: _Memo = {}

        def cut(example: Example, memo: _Memo = memo, known: _Idioms = learned) -> Example:
            if example.derivation not in memo:
                memo[example.derivation] = idioms.apply(example.derivation, known)
            return replace(example, derivation=memo[example.derivation])

        derived.append(
            replace(
                task,
                train=tuple(map(cut, task.train)),
                valid=tuple(map(cut, task.valid)),
                test=tuple(map(cut, task.test)),
            )
        )
    return tuple(derived)
