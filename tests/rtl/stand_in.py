"""A stand-in for the parser: its ports, little of its function, and faults on demand.

The settings choose the fault: ``own_ipv4`` is the :class:`Break`, ``own_ipv6`` the index of the
frame that it hits. So one build shows every fault.
"""

import enum

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.parse.layouts import (
    HEADER_LAYOUT,
    INGRESS_LAYOUT,
    SETTINGS_LAYOUT,
    TRAILER_LAYOUT,
)

__all__ = ["CONSTANT", "Break", "StandIn", "expected"]

CONSTANT = 0x155


class Break(enum.IntEnum):
    NONE = 0
    DROP_HEADER = 1
    DROP_TRAILER = 2
    DOUBLE_HEADER = 3
    DOUBLE_TRAILER = 4
    DATA = 5  # flips the top bit of the last byte of the frame
    KEEP = 6
    LAST = 7
    ERROR = 8
    META = 9
    HANG = 10
    EARLY_TRAILER = 11
    WITHDRAW = 12  # header.valid falls while it waits
    CHANGE = 13  # the trailer changes while it waits
    SWALLOW = 14  # the packet is taken and not given
    EXTRA = 15  # a beat at o that was never taken


def packets(width):
    """Signature of a packet stream."""
    members = {"data": 8 * width, "keep": width, "last": 1, "error": 1, "meta": INGRESS_LAYOUT}
    return stream.Signature(data.StructLayout(members))


class StandIn(wiring.Component):
    """Passes packets through.

    The header record has ``meta``, ``eth.dst``, the setting ``stellar_port`` as ``udp.dport``, and
    a constant ``offsets.payload``; the trailer record ``length``, and ``error`` as ``verdict``.

    Both leave one cycle after the handshake that makes them ready: the header record's is that of
    the beat with byte 5, or of the last.
    """

    def __init__(self, *, width):
        self.width = width
        super().__init__(
            {
                "i": In(packets(width)),
                "o": Out(packets(width)),
                "header": Out(stream.Signature(HEADER_LAYOUT)),
                "trailer": Out(stream.Signature(TRAILER_LAYOUT)),
                "settings": In(SETTINGS_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        frame, beat = Signal(16), Signal(17)
        hit = [
            (self.settings.own_ipv4 == kind) & (self.settings.own_ipv6 == frame) for kind in Break
        ]
        take, stop = self._packet(m, frame, beat, hit)
        self._header(m, beat, take, hit)
        self._trailer(m, beat, take, hit)
        m.d.comb += stop.eq(
            (self.header.valid & ~self.header.ready) | (self.trailer.valid & ~self.trailer.ready)
        )
        return m

    def _packet(self, m, frame, beat, hit):
        i, o = self.i.payload, self.o.payload
        take, stop = Signal(), Signal()
        swallow, extra = hit[Break.SWALLOW], hit[Break.EXTRA]
        go = ~stop & ~hit[Break.HANG]
        m.d.comb += [
            o.eq(i),
            o.data[7].eq(i.data[7] ^ (hit[Break.DATA] & (beat == 1))),
            o.keep.eq(i.keep ^ (hit[Break.KEEP] & i.last)),
            o.last.eq(i.last ^ (hit[Break.LAST] & (beat == 1))),
            o.error.eq(i.error ^ hit[Break.ERROR]),
            o.meta.port.eq(i.meta.port ^ hit[Break.META]),
            self.o.valid.eq((self.i.valid & go & ~swallow) | extra),
            self.i.ready.eq((self.o.ready | swallow) & go),
            take.eq(self.i.valid & self.i.ready),
        ]
        with m.If(take):
            m.d.sync += beat.eq(beat + 1)
            with m.If(i.last):
                m.d.sync += [beat.eq(0), frame.eq(frame + 1)]
        return take, stop

    def _header(self, m, beat, take, hit):
        header, i = self.header, self.i.payload
        beats = -(-6 // self.width)
        wire = Signal(48)  # byte 0 lowest
        lanes = Array(wire[at : at + 8] for at in range(0, 48, 8))
        done, again, stalled = Signal(), Signal(), Signal()
        m.d.sync += stalled.eq(header.valid & ~header.ready)
        withdraw = (self.settings.own_ipv4 == Break.WITHDRAW) & stalled
        raised = Signal()
        with m.If(header.ready):
            m.d.sync += [raised.eq(again), again.eq(0)]
        with m.If(take):
            with m.If(beat == 0):
                m.d.sync += wire.eq(0)
            for lane in range(min(self.width, 6)):
                with m.If((beat < beats) & i.keep[lane]):
                    at = (beat * self.width + lane)[:3]
                    m.d.sync += lanes[at].eq(i.data.word_select(lane, 8))
            m.d.sync += done.eq(~i.last & (done | (beat == beats - 1)))
            with m.If(~done & ((beat == beats - 1) | i.last)):
                m.d.sync += [
                    raised.eq(~hit[Break.DROP_HEADER]),
                    again.eq(hit[Break.DOUBLE_HEADER]),
                    header.payload.meta.eq(i.meta),
                    header.payload.offsets.payload.eq(CONSTANT),
                    header.payload.udp.dport.eq(self.settings.stellar_port),
                ]
        m.d.comb += [
            header.valid.eq(raised & ~withdraw),
            header.payload.eth.dst.eq(Cat(wire[at : at + 8] for at in range(40, -1, -8))),
        ]

    def _trailer(self, m, beat, take, hit):
        trailer, i = self.trailer, self.i.payload
        length, kept, again, stalled = Signal(17), Signal(range(65)), Signal(), Signal()
        m.d.comb += kept.eq(sum(i.keep[lane] for lane in range(self.width)))
        m.d.sync += stalled.eq(trailer.valid & ~trailer.ready)
        changed = (self.settings.own_ipv4 == Break.CHANGE) & stalled
        early = hit[Break.EARLY_TRAILER]
        with m.If(trailer.ready):
            m.d.sync += [trailer.valid.eq(again), again.eq(0)]
        with m.If(take):
            m.d.sync += length.eq(length + kept)
            with m.If(i.last | (early & (beat == 0))):
                m.d.sync += [
                    trailer.valid.eq(~hit[Break.DROP_TRAILER]),
                    again.eq(hit[Break.DOUBLE_TRAILER]),
                    trailer.payload.length.eq(length + kept),
                    trailer.payload.verdict.eq(i.error),
                ]
            with m.If(i.last):
                m.d.sync += length.eq(0)
        with m.If(changed):
            m.d.comb += trailer.payload.candidate.eq(1)


def expected(frame, error, meta, port):
    """The packed records of a whole stand-in for one frame."""
    header = {
        "meta": {"port": meta & 0xF, "time": meta >> 4},
        "eth": {"dst": int.from_bytes(frame[:6].ljust(6, b"\0"), "big")},
        "udp": {"dport": port},
        "offsets": {"payload": CONSTANT},
    }
    trailer = {"length": len(frame), "verdict": int(error)}
    layouts = (HEADER_LAYOUT, header), (TRAILER_LAYOUT, trailer)
    return tuple(layout.const(values).as_value().value for layout, values in layouts)
