"""Benchmarks that lie in the data folder, a file for each task and split."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.data.base import DataError, DataMissing, Example, FormReader, Task
from core.data.io.kept import Kept, no_collection
from core.data.io.rows import read_pairs
from core.paths import data_folder
from core.registry import datasets

_State = tuple[tuple[str, int, int], ...]  # path, time of change and size of each file
_loaded: Kept[tuple[Task, ...]] = Kept(3)  # by data set and state of its files


@dataclass(frozen=True)
class Benchmark:
    """Files `<task>_<split>.tsv` of rows `utterance <TAB> logical form` in one folder."""

    dataset: str  # its registered name
    label: str
    folder: str  # below the data folder
    tasks: tuple[str, ...]
    splits: tuple[str, ...]  # of train, dev and test
    notation: str

    def paths(self) -> Mapping[tuple[str, str], Path]:
        """(task, split) → the file's place, whether it is there or not."""
        folder = data_folder() / self.folder
        return {(t, s): folder / f"{t}_{s}.tsv" for t in self.tasks for s in self.splits}

    def load(self) -> tuple[Task, ...]:
        """The tasks, read once while the files do not change.

        DataMissing where a file is not there, DataError where one holds a bad row.
        """
        paths = self.paths()
        state = self._state(paths.values())
        return _loaded.get((self.dataset, state), lambda: self._read(paths))

    def _state(self, paths: Collection[Path]) -> _State:
        missing = []
        state = []
        for path in paths:
            try:
                stat = path.stat()
                state.append((str(path), stat.st_mtime_ns, stat.st_size))
            except FileNotFoundError:
                missing.append(path)
            except OSError as error:
                raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
        if missing:
            amount = "not" if len(missing) == len(paths) else "only in part"
            raise DataMissing(
                f"{self.label} is {amount} on this machine: {len(missing)} of {len(paths)} files "
                f"are missing, the first is {missing[0]}. {self._way_to_get()}set "
                f"TOTAL_RECALL_DATA to a folder that holds {self.folder}/."
            )
        return tuple(state)

    def _way_to_get(self) -> str:
        if not datasets.declared(self.dataset, "folder"):  # nobody has published its files
            return "Put them there, or "
        command = f"python -m core data get {self.dataset}"
        return f"Get it with the command `{command}` or the button on the home page, or "

    def _read(self, paths: Mapping[tuple[str, str], Path]) -> tuple[Task, ...]:
        reader = FormReader(self.notation, canonical=False)

        def rows(task: str, split: str) -> tuple[Example, ...]:
            path = paths.get((task, split))
            return () if path is None else read_pairs(path, reader)

        with no_collection():
            return tuple(
                Task(t, rows(t, "train"), rows(t, "dev"), rows(t, "test")) for t in self.tasks
            )
