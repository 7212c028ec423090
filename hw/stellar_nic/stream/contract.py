"""Checkers of the stream contract, for benches and for formal proofs.

Each observes one stream and says at once, and for good, which rule it broke.
"""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.streams import StreamRule

from ..params import check_shape
from .packet import PacketLayout

__all__ = ["PacketChecker", "StreamChecker", "StreamRule", "checker_of"]


class StreamChecker(wiring.Component):
    """Checks that what a stream offers stays until it is accepted.

    Parameters
    ----------
    shape : shape-like
        Shape of the payload.

    Members
    -------
    valid, ready : In(1)
        The observed stream's.
    payload : In(shape)
        The observed stream's.
    error : Out(1)
        A rule was broken, in an earlier cycle. Stays until reset.
    rule : Out(StreamRule)
        The rule that was broken first; ``NONE`` while ``error`` is 0.

    Timing
    ------
    Observes at every clock edge, drives nothing of the stream. ``error`` rises in the cycle after
    the one at fault. Reset forgets all: the cycle before it and the cycle after it are not
    compared, and no packet is under way.

    For a formal proof: ``m.d.comb += Assert(~checker.error)``.
    """

    def __init__(self, *, shape):
        self._shape = check_shape("shape", shape)
        super().__init__(
            {
                "valid": In(1),
                "ready": In(1),
                "payload": In(shape),
                "error": Out(1),
                "rule": Out(StreamRule),
            }
        )

    @property
    def shape(self):
        """Shape of the observed payload."""
        return self._shape

    def observe(self, stream):
        """Statements for the combinational domain that connect the checker to ``stream``."""
        return [
            self.valid.eq(stream.valid),
            self.ready.eq(stream.ready),
            Value.cast(self.payload).eq(Value.cast(stream.payload)),
        ]

    def elaborate(self, platform):
        m = Module()
        payload = Value.cast(self.payload).as_unsigned()
        stalled = Signal()
        held = Signal(len(payload))
        m.d.sync += [stalled.eq(self.valid & ~self.ready), held.eq(payload)]
        broken = {
            StreamRule.VALID_WITHDRAWN: stalled & ~self.valid,
            StreamRule.PAYLOAD_CHANGED: stalled & self.valid & (payload != held),
            **self._broken(m),
        }
        for rule in sorted(broken, reverse=True):  # later assignments win: the lowest number counts
            with m.If(broken[rule] & ~self.error):
                m.d.sync += [self.error.eq(1), self.rule.eq(rule)]
        return m

    def _broken(self, m):
        """Further rules, each with the condition that breaks it."""
        return {}


class PacketChecker(StreamChecker):
    """Checks all rules of a packet stream.

    Parameters
    ----------
    layout : :class:`PacketLayout`
        Payload of the observed stream.

    Members and timing are those of :class:`StreamChecker`, ``payload`` being ``In(layout)``.
    """

    def __init__(self, *, layout):
        if not isinstance(layout, PacketLayout):
            raise TypeError(f"layout must be a PacketLayout, not {layout!r}")
        super().__init__(shape=layout)

    @property
    def layout(self):
        """Layout of the observed payload."""
        return self._shape

    def _broken(self, m):
        p = self.payload
        meta = Value.cast(p.meta).as_unsigned()
        in_packet = Signal()
        first_meta = Signal(len(meta))
        with m.If(self.valid & self.ready):
            m.d.sync += in_packet.eq(~p.last)
            with m.If(~in_packet):
                m.d.sync += first_meta.eq(meta)
        return {
            StreamRule.KEEP_EMPTY: self.valid & (p.keep == 0),
            StreamRule.KEEP_GAP: self.valid & ((p.keep & (p.keep + 1)) != 0),
            StreamRule.KEEP_PARTIAL: self.valid & ~p.last & ~p.keep.all(),
            StreamRule.META_CHANGED: self.valid & in_packet & (meta != first_meta),
        }


def checker_of(stream):
    """The checker for ``stream``: a :class:`PacketChecker` if its payload is a packet's."""
    shape = stream.payload.shape()
    if isinstance(shape, PacketLayout):
        return PacketChecker(layout=shape)
    return StreamChecker(shape=shape)
