"""Stage 3 of the parser: the UDP length, judged as the UDP header passes (step 7)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import STELLAR, UDP

from .labelled import SortedWords, pieces
from .room import RoomLayout
from .walk import WalkedLayout

__all__ = ["REACH_BITS", "UdpLength", "UdpLengthLayout"]

REACH_BITS = 8
"""Lengths are clipped to so many bits where they are compared with what headers need."""

UdpLengthLayout = data.StructLayout(
    {
        "low": 1,  # less than a UDP header
        "high": 1,  # more than the IP payload
        "unsummed": 1,  # the UDP checksum is 0
        "reach": REACH_BITS,  # that of the IP payload if trimmed; all ones: or more
        "some": 1,  # it goes beyond the UDP header
        "whole": 1,  # and holds a base header
        "claimed": 1,  # the length lets it be a candidate, and so does the port
    }
)
"""What the UDP length says.  Only ``claimed`` means anything without a UDP header."""


class UdpLength(wiring.Component):
    """Compares the UDP length.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked, room : In
        A labelled beat, and what ``Room`` says of it.
    ended : In(1)
        The walk ended before this beat.
    odd_bytes : In(2)
        The IP length modulo 4; the beat before left it.
    trimmed : In(1)
        A switch has cut the packet.
    lengths : Out
        One cycle later, until the next frame begins.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "room": In(RoomLayout),
                "ended": In(1),
                "odd_bytes": In(2),
                "trimmed": In(1),
                "lengths": Out(UdpLengthLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lengths = Signal(UdpLengthLayout, reset_less=True)
        m.d.comb += self.lengths.eq(lengths)
        at = SortedWords(m, self.walked, "l4", {"udp": 0}, self.walked.odd)
        ((index, place, _),) = pieces(UDP, "length")
        length = at.word("udp", index)[place]
        ((_, place, _),) = pieces(UDP, "checksum")
        hit = Signal()
        payload = Cat(self.odd_bytes, self.room.left[:14])
        low, high = Signal(), Signal()
        m.d.comb += [
            hit.eq(at.hit("udp", index) & ~self.ended),
            low.eq(length < UDP.size),
            high.eq(length > payload),
        ]
        with m.If(hit):
            m.d.sync += [
                lengths.low.eq(low),
                lengths.high.eq(high),
                lengths.unsummed.eq(at.word("udp", index)[place] == 0),
            ]
            self._reach(m, lengths, length, payload)
        port = self.walked.state.learnt.port
        with m.If(self.valid):
            m.d.sync += lengths.claimed.eq(
                lengths.claimed & ~self.walked.beat.first
                | hit & port & ~low & (self.trimmed | ~high)
            )
        return m

    def _reach(self, m, lengths, length, payload):
        reach = Signal(REACH_BITS)
        more = Mux(self.trimmed, payload[REACH_BITS:].any(), length[REACH_BITS:].any())
        m.d.comb += reach.eq(Mux(self.trimmed, payload, length))
        m.d.sync += [
            lengths.reach.eq(reach),
            lengths.some.eq(more | (reach > UDP.size)),
            lengths.whole.eq(more | (reach >= UDP.size + STELLAR.size)),
        ]
        with m.If(more):
            m.d.sync += lengths.reach.eq(2**REACH_BITS - 1)
