"""What only looks at the store of runs: the runs, and what they have recorded.

Nothing here takes a lock or waits for one that writes.
"""

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Engine, Row, Select, select

from core import paths
from core.runs import cells, rows
from core.runs.column_types import MOST_ID
from core.runs.database import Database
from core.runs.run import Run, StoreError, no_run
from core.runs.sqlite import NO_TEXT
from core.runs.tables import runs
from core.text import clean

if TYPE_CHECKING:
    import pandas as pd


class StoreReader:
    """Runs in a database, to be looked at."""

    def __init__(self, url: str | None = None) -> None:
        """StoreError where the database (default: paths.database_url()) can't be opened."""
        if url is None and paths.bucket() and not os.environ.get("TOTAL_RECALL_DATABASE_URL"):
            raise StoreError(
                "TOTAL_RECALL_HOME is an object store, which holds no database: name one in "
                "TOTAL_RECALL_DATABASE_URL."
            )
        self.url = url or paths.database_url()
        self._database = Database(self.url)
        self._damaged: dict[cells.Owner, str] = {}  # of what a record can't be read, and why

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for those who look after the database itself."""
        return self._database.engine

    def close(self) -> None:
        """Let go of the connections."""
        self.engine.dispose()

    def run(self, id: int) -> Run:
        """StoreError where there is no such run, Unreadable where it can't be read."""
        if 0 < id <= MOST_ID:
            with self._database.reading() as connection:
                row = connection.execute(rows.run_rows().where(runs.c.id == id)).first()
            if row is not None:
                return rows.to_run(row)
        raise no_run(id)

    def runs(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        statuses: Collection[str] | None = None,
        among: Select[Any] | None = None,
    ) -> list[Run]:
        """Newest first, without those that can't be read (see `unreadable`).

        `among`: a query for their numbers.
        """
        query = rows.run_rows().order_by(runs.c.id.desc()).offset(min(offset, MOST_ID) or None)
        if limit is not None:
            query = query.limit(min(max(limit, 0), MOST_ID))
        if statuses is not None:
            query = query.where(runs.c.status.in_(list(statuses)))
        if among is not None:
            query = query.where(runs.c.id.in_(among))
        with self._database.reading() as connection:
            return rows.readable(connection.execute(query))[0]

    def unreadable(self) -> list[str]:
        """A sentence for each run that can't be read, for another version wrote it or damage.

        And for one whose name is damaged: it is listed with U+FFFD for what is no text.
        """
        query = rows.run_rows().order_by(runs.c.id)
        with self._database.reading() as connection:
            good, bad = rows.readable(connection.execute(query))
        names = [
            f"Run {run.id} has a damaged name, shown as '{run.name}': give it another."
            for run in good
            if NO_TEXT in run.name
        ]
        said = [*map(str, bad), *names]
        begun = [sentence.split(" can't")[0] for sentence in said]
        records = [why for (kind, id), why in self._damaged.items() if f"{kind} {id}" not in begun]
        return [*said, *records]

    def name(self, id: int) -> str:
        """What the run is called, whichever version wrote it; StoreError where there is none."""
        return clean(str(self._value(id, runs.c.name)))

    def stop_requested(self, id: int) -> bool:
        """StoreError where there is no such run."""
        return bool(self._value(id, runs.c.stop_requested))

    def fetch(self, query: Select[*tuple[Any, ...]]) -> list[Row[Any]]:
        """The rows of a query over `core.runs.tables`, without those of runs that are damaged."""
        good, damaged = cells.whole(query, self._read(query))
        self._damaged |= damaged
        return good

    def frame(self, query: Select[*tuple[Any, ...]]) -> "pd.DataFrame":
        """The same as a DataFrame, one column for each of the query's but `cells.largest`."""
        import pandas as pd

        names = [column.name for column in query.selected_columns]
        frame = pd.DataFrame(self.fetch(query), columns=names)
        return frame.drop(columns=[name for name in names if cells.looked_at(name)])

    def _read(self, query: Select[*tuple[Any, ...]]) -> list[Row[Any]]:
        with self._database.reading() as connection:
            return list(connection.execute(query))

    def _value(self, id: int, column: Column[Any]) -> Any:
        values = self._read(select(column).where(runs.c.id == id)) if 0 < id <= MOST_ID else []
        if not values:
            raise no_run(id)
        return values[0][0]
