"""All mutants of one build through the stimuli, several at a time."""

import multiprocessing
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait

from .worker import Job, Verdict, Worker

__all__ = ["STIMULI_TIMEOUT", "CampaignError", "run"]

STIMULI_TIMEOUT = 120.0
"""Seconds for one set of stimuli. A design that is whole takes a few; one that hangs is noticed by
its harness after some cycles, so this is for what never returns to it."""


class CampaignError(RuntimeError):
    """The block as it is does not pass, so nothing can be said of its mutants."""


def run(
    job: Job, mutants: Iterable[int], *, jobs: int = 2, timeout: float = STIMULI_TIMEOUT
) -> Iterator[Verdict]:
    """The verdicts on ``mutants``, numbered within their build, as they come.

    First the block as it is goes through all stimuli; where it fails, or can't be run, that raises
    :class:`CampaignError`.
    """
    context = multiprocessing.get_context("spawn")
    workers = [Worker(context, job, timeout) for _ in range(jobs)]
    try:
        for verdict in _run(workers[:1], deque([0])):
            if verdict.by is not None:
                raise CampaignError(
                    f"the block without a mutant fails in {verdict.by}: {verdict.reason}"
                )
        yield from _run(workers, deque(mutants))
    finally:
        for worker in workers:
            worker.close()


def _run(workers: list[Worker], left: deque) -> Iterator[Verdict]:
    while True:
        for worker in workers:
            if left and not worker.busy:
                worker.begin(left.popleft())
        busy = {worker.connection: worker for worker in workers if worker.busy}
        if not busy:
            return
        until = min(worker.deadline for worker in busy.values())
        wait(list(busy), max(0.0, until - time.monotonic()))
        for worker in busy.values():
            if verdict := worker.poll():
                yield verdict
