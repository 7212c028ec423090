"""Stage 3 of the parser: the UDP length, judged as the UDP header passes (step 7)."""

from functools import partial

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
        ((_, checksum, _),) = pieces(UDP, "checksum")  # in the same word
        length = at.word("udp", index)[place]
        hit = Signal()
        words = self.walked.words
        payload = Cat(self.odd_bytes, self.room.left[:14])
        low = Signal()
        high = Signal()
        m.d.comb += [
            hit.eq(at.hit("udp", index) & ~self.ended),
            low.eq(at.hint("udp", index, lambda hints: hints.short)),
            # For every lane, not for the line: the comparison takes longest.
            high.eq(at.pick("udp", index, [word.data[place] > payload for word in words])),
        ]
        with m.If(hit):
            m.d.sync += [
                lengths.low.eq(low),
                lengths.high.eq(high),
                lengths.unsummed.eq(at.word("udp", index)[checksum] == 0),
            ]
            self._reach(m, lengths, length, payload, partial(at.hint, "udp", index))
        port = self.walked.state.learnt.port
        with m.If(self.valid):
            m.d.sync += lengths.claimed.eq(
                lengths.claimed & ~self.walked.beat.first
                | hit & port & ~low & (self.trimmed | ~high)
            )
        return m

    def _reach(self, m, lengths, length, payload, hint):
        """``hint`` reads a hint of the word with the UDP length."""
        low, far = payload[:REACH_BITS], payload[REACH_BITS:].any()
        some, whole = far | (low > UDP.size), far | (low >= UDP.size + STELLAR.size)
        more = Mux(self.trimmed, far, hint(lambda hints: hints.long))
        m.d.sync += [
            lengths.reach.eq(Mux(self.trimmed, low, length) | more.replicate(REACH_BITS)),
            lengths.some.eq(Mux(self.trimmed, some, ~hint(lambda hints: hints.bytes_most[0]))),
            lengths.whole.eq(
                Mux(self.trimmed, whole, ~hint(lambda hints: hints.bytes_most[STELLAR.size - 1]))
            ),
        ]
