"""Stage 3 of the parser: how much of the IP payload is left behind the headers read so far."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import EXTENSION_LIMIT, Protocol
from stellar_spec.headers import IPV6, TCP, UDP

from .labelled import LabelledWords
from .walk import SIZE_BITS, WalkedLayout

__all__ = ["Room", "RoomLayout"]

_BITS = 15
_UNKNOWN = 2 ** (_BITS - 1) - 1  # a jumbogram's payload: more words than are ever walked
_START = IPV6.size // 4
_LIMIT = EXTENSION_LIMIT // 4  # words of all extension headers
_LEAST = 2  # words of the shortest extension headers

RoomLayout = data.StructLayout(
    {
        "whole": 1,  # an extension header is walked: it ends in this beat, and there was room
        "fragment": 1,  # … and it is a fragment header
        "header_words": 7,  # words of the IPv6 header and the extension headers walked
        "payload": 1,  # the IP header fits the IP length, and so do these extension headers
        "udp": 1,  # the IP payload holds a UDP header
        "tcp": 1,  # the IP payload holds a TCP header
        # One cycle later, the extension header that opened in this beat included:
        "left": signed(_BITS),  # words of the IP payload, or less than 0
        "short": 1,  # extension headers are longer than the IP payload
        "over": 1,  # extension headers are past the limit
        "jumbogram": 1,  # the length of the payload is not known
    }
)
"""What the lengths of the IP headers say.  ``short`` and ``over`` stay until the next frame."""


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
        extension = self.walked.extension
        size = Signal(SIZE_BITS)
        one_more = Signal()
        m.d.comb += [
            size.eq(extension.size & extension.opened.replicate(SIZE_BITS)),
            one_more.eq(extension.one_more & extension.opened),
        ]
        left = Signal(signed(_BITS))
        budget = Signal(signed(SIZE_BITS + 1), init=_LIMIT)
        # All ones: left is 0 or 1, so that no extension header fits.  A bit for every few of its
        # bits, as they come late.
        self._tight = Signal(len(_zeros(left[1:])))
        self._count(m, left, size, one_more)
        self._extensions(m, left, budget, size, one_more)
        return m

    def _count(self, m, left, size, one_more):
        """Words left: of the IP header's length, once it has been captured, or of those before."""
        at = LabelledWords(m, self.walked)
        load = Signal()
        jumbogram = Signal()
        known = Signal(_BITS)
        taken = Signal(_BITS)
        # A jumbogram is told a cycle later: the IPv6 header has words enough behind its length.
        alone = Signal(reset_less=True)
        loaded_six = Signal()
        load_four = Signal()
        m.d.sync += [
            load.eq(at.hit("ip4", 0) | at.hit("ip6", 1)),
            load_four.eq(at.hit("ip4", 0)),
            loaded_six.eq(load & self.six & ~self.walked.starts),  # unless its frame was cut there
            alone.eq((self.length == 0) & (self.protocol == Protocol.HOP_BY_HOP)),
        ]
        m.d.comb += [
            known.eq(Mux(load, self.length[2:], left)),
            taken.eq(size | self.ihl & load_four.replicate(4)),
            self.room.left.eq(left),
            self.room.jumbogram.eq(jumbogram),
        ]
        rest = Signal(signed(_BITS))
        short = Signal()
        m.d.comb += [rest.eq(_less(known, taken, one_more)), self.room.short.eq(short)]
        with m.If(~self.ended):
            m.d.sync += [left.eq(rest), self._tight.eq(_zeros(rest[1:]))]
            with m.If(self.walked.extension.opened):
                m.d.sync += short.eq(rest[-1])
        with m.If(loaded_six & alone):
            m.d.sync += [left.eq(_UNKNOWN), self._tight.eq(0), jumbogram.eq(1)]
        with m.If(self.walked.starts):
            m.d.sync += [jumbogram.eq(0), short.eq(0)]

    def _extensions(self, m, left, budget, size, one_more):
        """What is left to extension headers, and whether those that end in this beat fit.

        That needs no look at whether the walk had ended: extension headers without room end it,
        and its other ends lie where none is walked.
        """
        both = self.walked.extension.both
        more = Signal()
        none = Signal()
        fits = Signal()
        spare = Signal(signed(SIZE_BITS + 1))
        strict = Signal(len(_zeros(spare[1:])))  # all ones: less than _LEAST
        m.d.comb += spare.eq(_less(budget, size, one_more))
        with m.If(~self.ended):
            m.d.sync += [budget.eq(spare), strict.eq(_zeros(spare[1:]))]
        with m.If(self.walked.starts):
            m.d.sync += [budget.eq(_LIMIT), strict.eq(0)]
        m.d.comb += [
            more.eq(left[3:-1].any()),
            none.eq(self._tight.all() | strict.all()),
            fits.eq(~left[-1] & ~budget[-1] & ~(both & none)),
        ]

        def holds(header):
            words = header.size // 4
            low = left[:3]
            return more | Mux(both, low >= words + _LEAST, low >= words)

        spent = Mux(both, _START + _LIMIT + _LEAST, _START + _LIMIT)
        m.d.comb += [
            self.room.whole.eq(self.walked.extension.ends & fits),
            self.room.fragment.eq(self.walked.extension.fragment & fits),
            self.room.header_words.eq(spent - budget),
            self.room.payload.eq(fits & ~self.ended),
            self.room.udp.eq(holds(UDP)),
            self.room.tcp.eq(holds(TCP)),
            self.room.over.eq(budget[-1]),
        ]


def _zeros(value):
    """For every group of four bits of ``value``: they are 0."""
    return Cat(value[start : start + 4] == 0 for start in range(0, len(value), 4))


def _less(value, size, one_more):
    """``value`` - ``size`` - ``one_more``, with a single carry chain."""
    size = Cat(size, Const(0, len(value) - len(size)))
    return (Cat(~one_more, value) + Cat(1, ~size))[1:]
