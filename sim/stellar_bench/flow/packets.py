"""The packets that were accounted in a run, as the judge needs them."""

from stellar_model.flow import Accounting, FlowModel

from .engine import Run

__all__ = ["Packets"]

SEEN_WITHIN = 16
"""Cycles from an accounting's transfer to the cycle whose ``now`` is kept, at most."""


class Packets:
    """The accountings of a run, fed to the model as time goes on."""

    def __init__(self, run: Run, model: FlowModel, time):
        table = run.accounted
        self._cycles = table["cycle"].tolist()
        self._flows, self._generations = table["flow"].tolist(), table["generation"].tolist()
        self._sizes = table["bytes"].tolist()
        self._model, self._time, self._at = model, time, 0
        self._early: dict[tuple[int, int], list[Accounting]] = {}

    def _packet(self, at):
        cycle = self._cycles[at]
        time = self._time(cycle, cycle + SEEN_WITHIN)
        return Accounting(self._flows[at], self._generations[at], self._sizes[at], time)

    def until(self, cycle: int) -> None:
        """Account all that were handed over before ``cycle``."""
        cycles, at, account = self._cycles, self._at, self._model.account
        while at < len(cycles) and cycles[at] < cycle:
            packet = self._packet(at)
            at += 1
            if not account(packet):
                self._early.setdefault(packet[:2], []).append(packet)
        self._at = at

    def early(self, flow: int, generation: int) -> list[Accounting]:
        """Those of a handle that no one had when they were accounted: not stale after all."""
        found = self._early.pop((flow, generation), [])
        self._model.stale -= len(found)
        return found

    def waiting(self, flow: int, generation: int, sure: int, last: int):
        """Those of a handle that wait, up to cycle ``last``; how many came before ``sure``."""
        found, certain = [], 0
        cycles, flows = self._cycles, self._flows
        for at in range(self._at, len(cycles)):
            if cycles[at] > last:
                break
            if flows[at] == flow and self._generations[at] == generation:
                found.append(self._packet(at))
                certain += cycles[at] < sure
        return found, certain

    def of_present(self, last: int) -> int:
        """How many wait, up to cycle ``last``, whose handle is not over."""
        count = 0
        for at in range(self._at, len(self._cycles)):
            if self._cycles[at] > last:
                break
            count += self._model.entry_of(self._flows[at], self._generations[at]) is not None
        return count
