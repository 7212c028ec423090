"""The meter: virtual scheduling, packet by packet (docs/fixed-point.md)."""

from dataclasses import dataclass
from typing import NamedTuple

from stellar_spec.congestion import BYTE_BITS, MANTISSA, TIME

__all__ = ["Decision", "Meter", "packet_time"]


def packet_time(size: int, mantissa: int, exponent: int) -> int:
    """The time of ``size`` bytes at M and n, the nearest step, halves upward."""
    shift = BYTE_BITS - MANTISSA.fraction - exponent
    product = size * mantissa
    return product << shift if shift >= 0 else (product + (1 << -shift - 1)) >> -shift


class Decision(NamedTuple):
    """Whether a packet conforms to its flow's rate, and from when on it does, modulo 2^48."""

    conforms: bool
    departure: int


@dataclass
class _Flow:
    """``due``: when its packets so far would have been sent."""

    mantissa: int = 0
    exponent: int = 0
    due: int | None = None


class Meter:
    """The meters of ``flows`` flows.

    Time never wraps here, and a flow may be idle for ever: that the gateware says the same with
    times of 48 bits is what it promises.
    """

    def __init__(self, flows: int):
        self._flows = [_Flow() for _ in range(flows)]

    def pace(self, flow: int, mantissa: int, exponent: int) -> None:
        """From now on a byte of the flow takes M and n."""
        self._flows[flow].mantissa, self._flows[flow].exponent = mantissa, exponent

    def packet(self, flow: int, size: int, now: int, burst: int) -> Decision:
        """A packet of ``size`` bytes on the wire at ``now``; times in steps of 2^-10 ns."""
        state = self._flows[flow]
        due = now if state.due is None else max(now, state.due)
        if due > now + burst:
            return Decision(False, (due - burst) % (1 << TIME.width))
        state.due = due + packet_time(size, state.mantissa, state.exponent)
        return Decision(True, now % (1 << TIME.width))
