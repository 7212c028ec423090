"""Latency as a property."""

from amaranth.hdl import Signal

__all__ = ["prove_latency"]


def prove_latency(top, due, valid, latency):
    """What is inside is offered after ``latency`` cycles at the latest.

    ``due`` is high from the cycle behind the transfer that completes something to offer.
    """
    waited = Signal(range(latency + 1))
    waiting = due & ~valid
    with top.m.If(waiting):
        top.m.d.sync += waited.eq(waited + (waited != latency))
    with top.m.Else():
        top.m.d.sync += waited.eq(0)
    top.prove(~waiting | (waited + 1 < latency), f"offered within {latency} cycles")
