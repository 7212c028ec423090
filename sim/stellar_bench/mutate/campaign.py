"""All mutants of one build through the stimuli, several at a time."""

import multiprocessing
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait

from .worker import CampaignError, Job, Verdict, Worker

__all__ = ["WHOLE_TIMEOUT", "CampaignError", "run"]

WHOLE_TIMEOUT = 600
"""Seconds for the block as it is and one set of stimuli."""


def run(job: Job, mutants: Iterable[int], *, jobs: int = 2, least: float = 20) -> Iterator[Verdict]:
    """The verdicts on ``mutants``, numbered within their build, as they come.

    First the block as it is goes through all stimuli; where it fails, or can't be run, that raises
    :class:`CampaignError`. A mutant may take 20 times what that took, and ``least`` seconds more.
    """
    context = multiprocessing.get_context("spawn")
    whole = Worker(context, job, lambda _: WHOLE_TIMEOUT)
    workers = [whole]
    try:
        (verdict,) = _run(workers, deque([0]))
        if verdict.by is not None:
            raise CampaignError(
                f"the block without a mutant fails in {verdict.by}: {verdict.reason}"
            )
        # A mutant that hangs is most often noticed by its harness, which counts cycles; this is
        # for what never returns to it, on however busy a machine.
        whole.limit = lambda stimuli: least + 20 * verdict.seconds[stimuli]
        workers += [Worker(context, job, whole.limit) for _ in range(jobs - 1)]
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
