"""How much work a run is, and how fast this machine does it."""

import time

import torch

from core.config import RANDOM_VECTORS, RunConfig
from core.data.base import load_tasks
from core.training.assembly import Learner
from core.training.workload import Workload


def workload(config: RunConfig) -> Workload:
    """What the run has to do; DataError or ConfigError where it can't be carried out."""
    return Workload(config, load_tasks(config))  # idioms change derivations, not their number


def work(config: RunConfig) -> float:
    """The work of a run, in examples trained on: the unit of Progress and StageTime."""
    return workload(config).total()


def recording_text(config: RunConfig) -> str:
    """What the run will record beside accuracy and what that costs, in a sentence."""
    return workload(config).recording_text()


def calibrate(config: RunConfig, seconds: float = 1.0) -> float:
    """Work a second of the run's parser on its device: a few real steps on its first task."""
    torch.set_num_threads(config.threads)
    learner = Learner(config.with_(embeddings=RANDOM_VECTORS))
    method, optimizer = learner.method, torch.optim.Adam(learner.parser.parameters(), fused=True)
    learner.parser.train()
    n_examples, began, warm = 0, 0.0, False
    for batch in method.batches(0):
        learner.parser.loss(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
        n_examples += len(batch) * warm
        if not warm:  # the first step pays for allocations
            warm, began = True, time.perf_counter()
        elif time.perf_counter() - began > seconds:
            break
    return n_examples / max(time.perf_counter() - began, 1e-9) if n_examples else 0.0
