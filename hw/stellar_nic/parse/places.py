"""Stage 3 of the parser: where headers end, in words, and how long the frame is.

Word ``k`` ends with byte 4k + 1 of the frame (see ``words``), so a header that ends with it is
followed by byte 4k + 2.  Its number is the number of beats before, with the lane below: nothing
needs to be added up.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import LENGTH_MAX, VLAN_LIMIT
from stellar_spec.headers import ETHERNET, IPV6, VLAN

from .labelled import LabelledWords
from .room import RoomLayout
from .tables import lookup
from .walk import WalkedLayout
from .words import word_lanes

__all__ = ["PLACE_BITS", "Places", "PlacesLayout"]

PLACE_BITS = 7
_LENGTH_BITS = LENGTH_MAX.bit_length()

PlacesLayout = data.StructLayout(
    {
        "network": PLACE_BITS,  # last word of Ethernet, tags, IP, extension headers or UDP
        "chain": PLACE_BITS,  # last word in front of the IP payload
        "base": PLACE_BITS,  # last word of the base header
        "extension": PLACE_BITS,  # the same, or of the extension behind it, INT not counted
        "telemetry": PLACE_BITS,  # last word in front of INT
        "less_one": _LENGTH_BITS,  # the frame's length up to this beat, less one, saturating
        "less": 1,  # it is less than Ethernet and the IP packet have
        "equal": 1,  # it is just as much
    }
)
"""Places in the frame, of headers whether they are shown or not."""


class Places(wiring.Component):
    """Notes where headers end.

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
    tags, length, six : In
        VLAN tags, length field of the IP header, IPv6; as the beat before left them.
    places : Out
        One cycle later.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "room": In(RoomLayout),
                "ended": In(1),
                "tags": In(range(VLAN_LIMIT + 1)),
                "length": In(16),
                "six": In(1),
                "places": Out(PlacesLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        places = Signal(PlacesLayout, reset_less=True)
        m.d.comb += self.places.eq(places)
        before = Signal(_LENGTH_BITS - (self._width - 1).bit_length())  # beats of the frame
        full = Signal()  # they are more than can be counted
        near = Signal()  # this beat is the last that can
        limit = 2 ** len(before) - 1
        last = self.walked.beat.packet.last
        with m.If(self.valid):
            m.d.sync += [before.eq(before + 1), near.eq(before == limit - 1), full.eq(full | near)]
            with m.If(last):
                m.d.sync += [before.eq(0), near.eq(0), full.eq(0)]
        self._ends(m, places, before)
        self._length(m, places, before, near, full)
        return m

    def _word(self, before, lane):
        """Number of the word in ``lane``."""
        lanes = word_lanes(self._width)
        beats = before[max(0, 2 - (self._width - 1).bit_length()) :]
        return Cat(lane, beats)[:PLACE_BITS] if lanes == 2 else beats[:PLACE_BITS]

    def _ends(self, m, places, before):
        at, alive = LabelledWords(m, self.walked), ~self.ended
        extension = Cat(at.hits(name, last=True) for name in ("base", "addr", "imm", "ack"))
        network = Cat(at.hits(name, last=True) for name in ("eth", "vlan", "ip4", "ip6"))
        lanes, udp, ext = len(at.words), at.hits("udp", last=True), at.hits("ext", last=True)
        base = at.hits("base", last=True)
        late = self.room.whole | udp.any() & alive
        for place, hits, ends in (
            (places.network, Cat(network, ext, udp), network.any() | late),
            (places.base, base, base.any()),
            (places.extension, extension, extension.any()),
        ):
            with m.If(ends):
                # Of two ends in one beat the second counts.
                second = hits[lanes - 1 :: lanes].any()
                m.d.sync += place.eq(self._word(before, second))
        with m.If(self.walked.chain_end & self.room.payload):
            m.d.sync += places.chain.eq(self._word(before, ~self.walked.odd))
        hits = at.hits("int")
        with m.If(hits.any()):
            m.d.sync += places.telemetry.eq(places.extension)
            if lanes == 2:
                with m.If(hits[1]):
                    m.d.sync += places.telemetry.eq(self._word(before, 0))

    def _length(self, m, places, before, near, full):
        """The frame's length, and that of Ethernet and the IP packet; both less one."""
        keep = self.walked.beat.packet.keep
        kept = [keep[1 << bit :: 1 << bit].xor() for bit in range((self._width - 1).bit_length())]
        less_one = Signal(_LENGTH_BITS)
        end = Signal(_LENGTH_BITS, reset_less=True)
        m.d.comb += less_one.eq(Cat(*kept, before))
        m.d.sync += end.eq(self.length + lookup(Cat(self.tags, self.six), self._in_front, 6))
        with m.If(self.valid):
            m.d.sync += [
                places.less_one.eq(less_one),
                places.less.eq(~full & (less_one < end)),
                places.equal.eq(~full & (less_one == end)),
            ]
            with m.If(full | near & Cat(*kept).all()):
                m.d.sync += places.less_one.eq(LENGTH_MAX - 1)

    @staticmethod
    def _in_front(key):
        """Bytes that the IP length does not count, less one; ``key`` is the tags below IPv6."""
        six, tags = divmod(key, 4)
        return ETHERNET.size + tags * VLAN.size + six * IPV6.size - 1
