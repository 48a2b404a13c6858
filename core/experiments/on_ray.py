"""An experiment's cells as tasks of a Ray cluster (https://docs.ray.io): one task a cell.

The queue stays the store's. A task claims its run there, so that no cell is carried out twice
whoever dispatches; a cell whose node is lost goes back to the queue like that of any process that
disappears, and on from its checkpoint in a new task. So a dispatcher can be killed and begun again.
"""

import logging
import os
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import make_url

from core import paths
from core.options import ConfigError
from core.runs import devices, queue, worker_list
from core.runs.owner import new_owner
from core.runs.run import RUNNING, StoreError
from core.runs.store import Store
from core.runs.tables import experiments, runs

RAY = "ray"  # the kind of worker
MISSING = "Ray is not installed: pip install -r tests/requirements-ray.txt"
_AHEAD = 2  # tasks that wait in the cluster, for each that it has room for
_REACH_SECONDS = 10.0  # for a cluster's head to answer
_END_SECONDS = 60.0  # for what runs to stop within a batch
_LEFT_OUT = ["/runs", "/data", "/shared", "/.git", "/.venv", "/tests", "/assets", "**/__pycache__"]
_ENVIRONMENT = ("OMP_NUM_THREADS", "AWS_", "TOTAL_RECALL_")  # what tasks take over, by beginnings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Share:
    """What a cell takes of a node: cores, and GPUs or a part of one."""

    cpus: float = 1.0
    gpus: float = 0.0


class RayPool:
    """Keeps a cluster busy with an experiment's cells (beside core.runs.pool.Pool)."""

    def __init__(
        self, store: Store, experiment: int, address: str | None = None, share: Share | None = None
    ) -> None:
        """`address` of a cluster; None begins one on this machine.

        ConfigError where Ray is missing or can't be reached, StoreError where its nodes can't see
        the store.
        """
        self._ray = _ray()
        self._store, self._experiment, self._share = store, experiment, share or Share()
        self._tasks: dict[Any, int] = {}  # a task and its run
        self._begun = not self._ray.is_initialized()
        if self._begun:
            _connect(self._ray, address)
        _check_store(self._ray, store)
        self._task = self._ray.remote(
            num_cpus=self._share.cpus, num_gpus=self._share.gpus, max_retries=0, max_calls=1
        )(carry_out)

    def room(self) -> int:
        """How many cells the cluster has room for at once."""
        has = self._ray.cluster_resources()
        cores = has.get("CPU", 0.0) / self._share.cpus if self._share.cpus else float("inf")
        gpus = has.get("GPU", 0.0) / self._share.gpus if self._share.gpus else float("inf")
        return int(min(cores, gpus)) if min(cores, gpus) < float("inf") else 1

    def watch(self) -> None:
        """Take in what has ended and hand out what waits."""
        self._take_in()
        most = _AHEAD * max(1, self.room()) - len(self._tasks)
        under_way = set(self._tasks.values())
        query = queue.next_waiting(experiment=self._experiment).limit(most + len(under_way))
        waiting = [row.id for row in self._store.fetch(query) if row.id not in under_way]
        for id in waiting[: max(0, most)]:
            self._tasks[self._task.remote(id, self._experiment)] = id

    def end(self) -> None:
        """Let what runs stop within a batch (the experiment is paused), then leave the cluster."""
        deadline = time.monotonic() + _END_SECONDS
        while self._tasks and time.monotonic() < deadline and self._any_runs():
            self._take_in(1.0)
        self.kill()

    def kill(self) -> None:
        """Leave the cluster at once; cells that run there count as interrupted."""
        self._tasks.clear()
        if self._begun:
            self._ray.shutdown()

    def _any_runs(self) -> bool:
        ids = list(self._tasks.values())
        query = select(runs.c.id).where(runs.c.status == RUNNING, runs.c.id.in_(ids)).limit(1)
        return bool(self._store.fetch(query))

    def _take_in(self, seconds: float = 0.0) -> None:
        ended, _ = (
            self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=seconds)
            if self._tasks
            else ([], [])
        )
        for task in ended:
            id = self._tasks.pop(task)
            try:
                self._ray.get(task)
            except Exception as error:  # the node is lost, say: the store knows what is to be done
                log.warning("The task of run %d ended: %s", id, str(error).split("\n")[0])


def carry_out(id: int, experiment: int) -> None:
    """In a task: claim the run and carry it out; nothing where it no longer waits."""
    from core.runs.execution import execute

    store, owner = Store(), new_owner()
    query = select(experiments.c.paused).where(experiments.c.id == experiment)
    if any(row.paused for row in store.fetch(query)):
        return
    run = store.claim(owner, id=id)
    if run is None:
        return
    try:
        worker_list.beat(store, owner, devices.resolve(run.config), RAY)
        execute(store, run, owner)
    finally:
        with suppress(StoreError):
            worker_list.end(store, owner)
        store.close()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise ConfigError(f"{MISSING}, or run without --on ray.") from error
    return ray


def check_address(address: str) -> None:
    """ConfigError where nobody answers there: Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():  # `auto`, say
        return
    try:
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"Ray at {address} can't be reached: {error}.") from error


def _connect(ray: Any, address: str | None) -> None:
    check_address(address or "")
    try:
        ray.init(
            address=address or "local",
            runtime_env=_surroundings(),
            include_dashboard=None if address else False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        why = str(error).split("\n")[0].rstrip(".")
        raise ConfigError(f"Ray at {address or 'this machine'} can't be reached: {why}.") from error


def _surroundings() -> Mapping[str, Any]:
    """The code goes to the nodes; data, home and database are to be reached from there."""
    taken = {name: value for name, value in os.environ.items() if name.startswith(_ENVIRONMENT)}
    addresses = {
        "TOTAL_RECALL_HOME": paths.home_name(),
        "TOTAL_RECALL_DATA": str(paths.data_folder().absolute()),
        "TOTAL_RECALL_DATABASE_URL": paths.database_url(),
    }
    return {
        "working_dir": str(paths.PROJECT),
        "excludes": _LEFT_OUT,
        "env_vars": taken | addresses,
    }


def _check_store(ray: Any, store: Store) -> None:
    hosts = {node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}
    if len(hosts) > 1 and make_url(store.url).get_backend_name() == "sqlite":
        raise StoreError(
            f"The cluster has {len(hosts)} machines and the run store is a file of one: name a "
            "PostgreSQL database in TOTAL_RECALL_DATABASE_URL."
        )
