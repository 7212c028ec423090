"""Stage 3 of the parser: which bytes of a beat the UDP sum and the end-to-end check cover.

Bytes are looked at in their lanes; a lane's byte belongs to the word that its part of the beat
belongs to (8 bytes: lanes 0-1 end the first word, 2-5 are the second, 6-7 begin the one behind).
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import UDP

from .labelled import LabelledWords
from .walk import WalkedLayout

__all__ = ["Cover"]


class Cover(wiring.Component):
    """Masks for the bytes of a beat, and how much of the UDP datagram is still to come.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat from ``Walk``.
    sum : Out(width)
        Lanes of the UDP sum: addresses and the datagram, without what follows it.
    check : Out(width)
        Lanes of the end-to-end check: the same without UDP checksum and INT.
    invert : Out(width)
        Lanes of the first four bytes that the check covers.
    over : Out(1)
        The datagram ended before this beat.
    length_again : Out(16)
        The UDP length in the beat in which it passes, else 0: the pseudo header counts it again.
    left : Out(16)
        Bytes of the datagram behind the beat before.
    pad : Out(range(width))
        Lanes behind the datagram's end in the beat that held it; one cycle later than the masks.

    Timing: masks are combinational; ``left`` and ``pad`` have a latency of 1 cycle.
    """

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "sum": Out(width),
                "check": Out(width),
                "invert": Out(width),
                "over": Out(1),
                "length_again": Out(16),
                "left": Out(16),
                "pad": Out(range(max(2, width))),
            }
        )

    def _part(self, lane: int) -> int:
        """The word of the beat, or the one behind, to which the byte in ``lane`` belongs."""
        return (lane + 2) // 4 if self._width >= 4 else 0

    def elaborate(self, platform):
        m = Module()
        at = LabelledWords(m, self.walked)
        lengths = at.hits("udp", UDP.size // 4 - 1)
        behind = Signal()  # the UDP header has passed
        here = Signal()
        m.d.comb += [
            here.eq(behind & ~self.walked.beat.first),
            self.over.eq(here & (self.left == 0)),
        ]
        with m.If(self.valid):
            m.d.sync += behind.eq(here | Cat(*lengths).any())
        labels = [*at.labels, self.walked.pending]
        for lane in range(self._width):
            part = self._part(lane)
            inside = Signal(name=f"inside{lane}")
            m.d.comb += inside.eq(here & (self.left > lane))
            for earlier in range(part):
                # The length stands in the upper half of the word that ends at 4 * earlier + 1.
                distance = lane - (4 * earlier + 2)
                with m.If(lengths[earlier]):
                    m.d.comb += inside.eq(at.words[earlier][16:] > UDP.size + distance)
            self._masks(m, lane, labels[part], inside)
        for word, hit in zip(at.words, lengths, strict=True):
            with m.If(hit):
                m.d.comb += self.length_again.eq(word[16:])
        self._count(m, at, lengths, here)
        return m

    def _masks(self, m, lane, label, inside):
        low = self.walked.beat.low if self._width < 4 else lane % 4 < 2
        header, index = label.header, label.index
        address = header.ip4 & ((index == 3) | (index == 4)) | header.ip6 & (index >= 2)
        opening = header.ip4 & (index == 3) | header.ip6 & (index == 2)
        checksum = header.udp & (index == 1) & low
        keep = self.walked.beat.packet.keep[lane]
        m.d.comb += [
            self.sum[lane].eq(keep & (address | header.udp | inside)),
            self.check[lane].eq(
                keep & (address | header.udp & ~checksum | inside & ~header.int & ~header.hops)
            ),
            self.invert[lane].eq(opening),
        ]

    def _count(self, m, at, lengths, here):
        """Bytes of the datagram that are left behind this beat."""
        kept = Signal(range(self._width + 1))
        m.d.comb += kept.eq(sum(self.walked.beat.packet.keep))
        rest = Signal(17)
        m.d.comb += rest.eq(Mux(here, self.left - kept, 0))
        for part, hit in enumerate(lengths):
            behind = max(0, self._width - (4 * part + 2)) if self._width >= 4 else 0
            later = Mux(kept > self._width - behind, kept - (self._width - behind), 0)
            with m.If(hit):
                m.d.comb += rest.eq(at.words[part][16:] - UDP.size - later)
        with m.If(self.valid):
            m.d.sync += self.left.eq(Mux(rest[16], 0, rest[:16]))
            with m.If(here & ~self.over & (self.left <= self._width)):
                m.d.sync += self.pad.eq(self._width - self.left)
