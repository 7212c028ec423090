"""Stage 3 of the parser: how much of the IP payload is left behind the headers read so far."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import EXTENSION_LIMIT, Protocol
from stellar_spec.headers import IPV6, TCP, UDP

from .labelled import LabelledWords
from .walk import WalkedLayout

__all__ = ["Room", "RoomLayout"]

_BITS = 15
_UNKNOWN = 2 ** (_BITS - 1) - 1  # a jumbogram's payload: more words than are ever walked
_SIZE_BITS = 10  # words of one extension header: up to 255 * 2 + 2
_START = IPV6.size // 4
_LIMIT = _START + EXTENSION_LIMIT // 4  # words of an IPv6 header and its extension headers
_LEAST = 2  # words of the shortest extension headers

RoomLayout = data.StructLayout(
    {
        "whole": 1,  # an extension header is walked: it ends in this beat, and there was room
        "header_words": _SIZE_BITS,  # words of the IPv6 header and the extension headers walked
        "payload": 1,  # the IP header fits the IP length, and so do these extension headers
        "udp": 1,  # the IP payload holds a UDP header
        "tcp": 1,  # the IP payload holds a TCP header
        # One cycle later, the extension header that opened in this beat included:
        "left": signed(_BITS),  # words of the IP payload, or less than 0
        "over": 1,  # extension headers are past the limit
        "jumbogram": 1,  # the length of the payload is not known
    }
)
"""What the lengths of the IP headers say.  ``over`` stays until the next frame begins."""


class Room(wiring.Component):
    """Counts the words of the IP payload.

    A beat that ends an IP header or extension header is judged by the count in front of that beat,
    for speed.  Only an extension header that opened in the same beat is not in it yet: that one has
    two words.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat from ``Walk``.
    ended : In(1)
        The walk ended before this beat.
    length, ihl, protocol, six : In
        Of the IP header: length field, IHL, next header, IPv6; as the beat before left them.
    room : Out
        What this beat leaves.

    Timing: combinational, but for what follows the remark in ``RoomLayout``.
    """

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "ended": In(1),
                "length": In(16),
                "ihl": In(4),
                "protocol": In(8),
                "six": In(1),
                "room": Out(RoomLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        at = LabelledWords(m, self.walked)
        size, one_more = self._size(m, at)
        left = Signal(signed(_BITS))
        total = Signal(_SIZE_BITS)
        self._count(m, at, left, size, one_more)
        self._extensions(m, at, left, total, size, one_more)
        return m

    def _size(self, m, at):
        """Words of the extension header that opens in this beat, or 0, as a sum of two numbers."""
        size, one_more = Signal(_SIZE_BITS), Signal()
        sizes, more = [], []
        for lane, hit in enumerate(at.hits("ext", 0)):
            kind, units = at.labels[lane].kind, at.hints[lane].units
            words = Mux(kind.fragment, _LEAST, Mux(kind.ah, units, units << 1))
            sizes.append(Mux(hit & ~self.ended, words, 0))
            more.append(hit & ~self.ended & kind.ah)
        m.d.comb += [size.eq(sizes[0] | sizes[-1]), one_more.eq(Cat(*more).any())]
        return size, one_more

    def _count(self, m, at, left, size, one_more):
        """Words left: of the IP header's length, once it has been captured, or of those before."""
        load, jumbogram, alone = Signal(), Signal(), Signal()
        known, taken = Signal(_BITS), Signal(_BITS)
        m.d.sync += load.eq(at.hit("ip4", 0) | at.hit("ip6", 1))
        m.d.comb += [
            known.eq(Mux(load, self.length[2:], left)),
            taken.eq(size | Mux(load & ~self.six, self.ihl, 0)),
            alone.eq((self.length == 0) & (self.protocol == Protocol.HOP_BY_HOP)),
            self.room.left.eq(left),
            self.room.jumbogram.eq(jumbogram),
        ]
        # known - taken - one_more, with a single carry chain
        m.d.sync += left.eq((Cat(~one_more, known) + Cat(1, ~taken))[1:])
        with m.If(load & self.six & alone):
            m.d.sync += [left.eq(_UNKNOWN), jumbogram.eq(1)]
        with m.If(self.valid & self.walked.beat.first):
            m.d.sync += jumbogram.eq(0)

    def _extensions(self, m, at, left, total, size, one_more):
        """The sum of all IPv6 headers, and what is left when one of them ends."""
        opens, ends = at.hits("ext", 0)[0], at.hits("ext", last=True)
        later, fits, more = Signal(_SIZE_BITS), Signal(), Signal()
        both = Signal()  # one opens and ends
        m.d.comb += [
            both.eq(opens & ends[-1]) if len(at.words) == 2 else both.eq(0),
            later.eq((Cat(one_more, total) + Cat(one_more, size))[1:]),
            more.eq(left[3:-1].any()),
            fits.eq(~left[-1] & ~(both & ((left < _LEAST) | (total > _LIMIT - _LEAST)))),
        ]
        m.d.sync += total.eq(later)
        with m.If(self.valid & self.walked.beat.first):
            m.d.sync += total.eq(_START)

        def holds(header):
            words = header.size // 4
            low = left[:3]
            return more | Mux(both, low >= words + _LEAST, low >= words)

        m.d.comb += [
            self.room.whole.eq(ends.any() & fits & ~self.ended),
            self.room.header_words.eq(Mux(both, later, total)),
            self.room.payload.eq(fits & ~self.ended),
            self.room.udp.eq(holds(UDP)),
            self.room.tcp.eq(holds(TCP)),
            self.room.over.eq(total > _LIMIT),
        ]
