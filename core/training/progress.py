"""How much work a run is, and how fast this machine does it."""

import time

import torch

from core.config import RunConfig
from core.training.assembly import Learner


def work(config: RunConfig) -> float:
    """The work of a run, in rows trained on: the unit of Progress and StageTime."""
    return Learner(config.with_(device="cpu", embeddings="")).work()


def calibrate(config: RunConfig, seconds: float = 1.0) -> float:
    """Work a second of the run's parser on its device: a few real steps on its first task."""
    torch.set_num_threads(config.threads)
    learner = Learner(config.with_(embeddings=""))
    method, optimizer = learner.method, torch.optim.Adam(learner.parser.parameters(), fused=True)
    learner.parser.train()
    rows, began, warm = 0, 0.0, False
    for batch in method.batches(0):
        learner.parser.loss(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
        rows += len(batch) * warm
        if not warm:  # the first step pays for allocations
            warm, began = True, time.perf_counter()
        elif time.perf_counter() - began > seconds:
            break
    return rows / max(time.perf_counter() - began, 1e-9) if rows else 0.0
