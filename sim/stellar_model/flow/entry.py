"""What the flow table's model keeps of a key, and what goes into it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stellar_spec.flow import GENERATION_BITS, TIME_BITS

__all__ = ["COUNT_MASK", "GENERATION_MASK", "TIME_MASK", "Accounting", "Command", "Entry"]
__all__ += ["Mismatch", "Time"]

COUNT_MASK = (1 << 48) - 1
TIME_MASK = (1 << TIME_BITS) - 1
GENERATION_MASK = (1 << GENERATION_BITS) - 1


class Mismatch(Exception):
    """The gateware said something that the contract rules out; the message says what and why."""


class Time(NamedTuple):
    """What ``now`` was at some moment that is known to a few cycles: from ``low`` to ``high``."""

    low: int
    high: int

    def holds(self, value: int) -> bool:
        return (value - self.low & TIME_MASK) <= (self.high - self.low & TIME_MASK)


class Accounting(NamedTuple):
    """A packet that was accounted."""

    flow: int
    generation: int
    bytes: int
    time: Time


class Command(NamedTuple):
    """A command, its key and action packed."""

    op: int
    slot: int
    key: int
    action: int


@dataclass(slots=True)
class Entry:
    """What is kept of a key that is present."""

    action: int
    flow: int
    generation: int
    seen: Time
    packets: int = 0
    bytes: int = 0

    def counters(self, packets: Sequence[Accounting]):
        """What may be read while ``packets`` are accounted: after none of them, one, …"""
        count, size, seen = self.packets, self.bytes, self.seen
        yield count, size, seen
        for packet in packets:
            count, size = count + 1 & COUNT_MASK, size + packet.bytes & COUNT_MASK
            seen = packet.time
            yield count, size, seen
