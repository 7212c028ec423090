"""Stage 3 of the parser: how much of the IP payload is left behind the headers read so far.

The walk needs the answer for the very next beat, in which the next header may end; so what an
extension header takes is subtracted in the cycle in which its label is known.  Even that is too
late for the words behind it in its own beat, which are labelled as if there were room; but nothing
is made of a header before it is whole.
"""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import EXTENSION_LIMIT
from stellar_spec.headers import TCP, UDP

from .labelled import LabelledWords
from .walk import WalkedLayout

__all__ = ["Room", "RoomLayout"]

_BITS = 15
_UNKNOWN = 2 ** (_BITS - 1) - 1  # a jumbogram's payload: more words than are ever walked
_SIZE_BITS = 10  # words of one extension header: up to 255 * 2 + 2
_EXT_BITS = 7  # words of all of them, up to the limit

RoomLayout = data.StructLayout(
    {
        "short": 1,  # the IP length is less than the headers
        "over": 1,  # extension headers are past the limit
        "udp": 1,  # the IP payload holds a UDP header
        "tcp": 1,  # the IP payload holds a TCP header
        "ext_words": _EXT_BITS,  # words of extension headers, the one being read included
        "ext_before": _EXT_BITS,  # the same before this beat
        "stop": 1,  # the walk ends here
        "words": signed(_BITS),  # words of the IP payload, those of extension headers taken off
    }
)
"""What the lengths of the IP headers say.  ``ext_words`` means nothing once it is ``over``."""


class Room(wiring.Component):
    """Counts the words of the IP payload.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat from ``Walk``.
    length, ihl, six, jumbogram : In
        The IP header's length field and IHL, IPv6, a jumbogram: as they were one cycle after the
        beat that held them.
    room : Out
        What the beat leaves.

    Timing: extension headers count at once, an IP header one cycle after its length's beat.
    """

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "length": In(16),
                "ihl": In(4),
                "six": In(1),
                "jumbogram": In(1),
                "room": Out(RoomLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        at = LabelledWords(m, self.walked)
        load, size = Signal(), self._size(m, at)
        left = Signal(signed(_BITS), init=_UNKNOWN)
        known, taken, words = Signal(signed(_BITS)), Signal(_SIZE_BITS), Signal(signed(_BITS))
        m.d.sync += load.eq(at.hit("ip4", 0) | at.hit("ip6", 1))
        m.d.comb += [
            known.eq(Mux(load, self.length[2:], left)),
            taken.eq(Mux(load, Mux(self.six, 0, self.ihl), size)),
            words.eq(known - taken),
        ]
        m.d.sync += left.eq(words)
        with m.If(load & self.jumbogram):
            m.d.sync += left.eq(_UNKNOWN)
        self._judge(m, words, self._extensions(m, size))
        return m

    def _judge(self, m, words, over):
        short, udp, tcp = Signal(), Signal(), Signal()
        header = self.walked.pending.header
        m.d.comb += [
            short.eq(words < 0),
            udp.eq(words >= UDP.size // 4),
            tcp.eq(words >= TCP.size // 4),
            self.room.words.eq(words),
            self.room.short.eq(short),
            self.room.over.eq(over),
            self.room.udp.eq(udp),
            self.room.tcp.eq(tcp),
            self.room.stop.eq(
                short & header.ext
                | over & (header.ext | header.udp | header.tcp)
                | header.udp & ~udp
                | header.tcp & ~tcp
            ),
        ]

    def _size(self, m, at):
        """Words of the extension header that opens in this beat, else 0."""
        size = Signal(_SIZE_BITS)
        sizes = []
        for lane, word in enumerate(at.words):
            kind, length = at.labels[lane].kind, word[16:24]
            words = Mux(kind.ah, length, length << 1) + 2
            with m.If(at.hits("ext", 0)[lane]):
                m.d.comb += size.eq(Mux(kind.fragment, 2, words))
        return size

    def _extensions(self, m, size):
        """Adds them up.  Once the sum is over the limit, the walk has ended and it may be wrong."""
        before, total = Signal(_EXT_BITS), Signal(_SIZE_BITS + 1)
        over = Signal()
        m.d.comb += [
            total.eq(before + size),
            over.eq(total > EXTENSION_LIMIT // 4),
            self.room.ext_before.eq(before),
            self.room.ext_words.eq(total),
        ]
        m.d.sync += before.eq(total)
        with m.If(self.valid & self.walked.beat.first):
            m.d.sync += before.eq(0)
        return over
