"""Stage 2 of the parser: how much of the IP payload is left behind the headers read so far."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import EXTENSION_LIMIT, Protocol
from stellar_spec.headers import TCP, UDP

from .labelled import LabelledWords
from .labels import LabelLayout
from .words import WordLayout, word_lanes

__all__ = ["Room", "RoomLayout"]

_BITS = 15
_UNKNOWN = 2 ** (_BITS - 1) - 1  # a jumbogram's payload: more words than are ever walked
_EXT_BITS = 10  # words of extension headers: the limit and one more header of 255 * 8 + 8 bytes

RoomLayout = data.StructLayout(
    {
        "short": 1,  # the IP length is less than the headers
        "over": 1,  # extension headers are past the limit
        "udp": 1,  # the IP payload holds a UDP header
        "tcp": 1,  # the IP payload holds a TCP header
        "ext_words": _EXT_BITS,  # words of extension headers, the one being read included
        "ext_before": _EXT_BITS,  # the same before this beat
        "words": signed(_BITS),  # words of the IP payload, those of extension headers taken off
    }
)
"""What the lengths of the IP headers say."""


class Room(wiring.Component):
    """Counts the words of the IP payload.

    Extension headers are counted as they are labelled, since the next header may follow in the
    next beat; the IP headers, of five words or more, a cycle later.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, first, words, labels : In
        A beat's words as they are labelled.
    o_valid, o_words, o_labels : In
        The beat that was labelled one cycle before.
    room : Out
        Valid with ``o_words``.

    Timing: latency 1 cycle from ``words``, of IPv4 and IPv6 headers from ``o_words``.
    """

    def __init__(self, *, width: int):
        words = data.ArrayLayout(WordLayout, word_lanes(width))
        labels = data.ArrayLayout(LabelLayout, word_lanes(width))
        super().__init__(
            {
                "valid": In(1),
                "first": In(1),
                "words": In(words),
                "labels": In(labels),
                "o_valid": In(1),
                "o_words": In(words),
                "o_labels": In(labels),
                "room": Out(RoomLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        left = Signal(signed(_BITS), init=_UNKNOWN)
        room = self.room
        m.d.comb += [
            room.words.eq(left),
            room.short.eq(left < 0),
            room.over.eq(room.ext_words > EXTENSION_LIMIT // 4),
            room.udp.eq(left >= UDP.size // 4),
            room.tcp.eq(left >= TCP.size // 4),
        ]
        with m.If(self.valid):
            m.d.sync += room.ext_before.eq(Mux(self.first, 0, room.ext_words))
            with m.If(self.first):
                m.d.sync += room.ext_words.eq(0)
        now = LabelledWords(m, self.valid, self.words, self.labels, "now")
        for lane, word in enumerate(now.words):
            kind, length = now.labels[lane].kind, word[16:24]
            size = Mux(kind.fragment, 2, Mux(kind.ah, length, length << 1) + 2)
            with m.If(now.hits("ext", 0)[lane]):
                m.d.sync += [left.eq(left - size), room.ext_words.eq(room.ext_words + size)]
        then = LabelledWords(m, self.o_valid, self.o_words, self.o_labels, "then")
        for lane, word in enumerate(then.words):
            with m.If(then.hits("ip4", 0)[lane]):
                m.d.sync += left.eq(word[2:16] - word[24:28])
            with m.If(then.hits("ip6", 1)[lane]):
                jumbogram = (word[16:32] == 0) & (word[8:16] == Protocol.HOP_BY_HOP)
                m.d.sync += left.eq(Mux(jumbogram, _UNKNOWN, word[18:32]))
        return m
