"""Which bytes of a beat UDP sum and end-to-end check cover, told from the state in front of it.

The labels of the beat's own words would come too late.  They need not be known: a word more or
less matters only in packets whose sums are judged, and of those the state tells enough.  Words are
counted from the state's, number 0; the beat ends inside word 2 if it has 8 bytes.
"""

from amaranth.hdl import Module, Signal

from stellar_spec.opcodes import StellarFlag

__all__ = ["Ahead"]


class Ahead:
    """What the next words are; answers become signals of the module ``m``.

    ``state`` is the walk's in front of the beat, ``hints`` what the beat's words say.
    """

    def __init__(self, m: Module, state, hints):
        self._m = m
        self._hints = hints
        self._state = state
        self._next = state.learnt.next
        self._announced = state.learnt.announced
        self._label = state.label
        self._here = state.label.header
        self._last = state.label.last
        self._one_left = state.next_last

    def _named(self, name, value):
        signal = Signal(name=name)
        self._m.d.comb += signal.eq(value)
        return signal

    def before_addresses(self, word: int):
        """Word ``word`` lies in front of the IP addresses, or the packet is not IP."""
        here, index = self._here, self._label.index
        early4 = here.ip4 & index.matches(*range(3 - word))
        early6 = here.ip6 & index.matches(*range(2 - word))
        return self._named("before_addresses", here.eth | here.vlan | early4 | early6)

    def opens_addresses(self, word: int):
        """Word ``word`` is the first of the IP addresses."""
        here, index = self._here, self._label.index
        opens = here.ip4 & (index == 3 - word) | here.ip6 & (index == 2 - word)
        return self._named("opens_addresses", opens)

    def outside(self, word: int):
        """Word ``word`` is not covered: it is of an IP header, but not of its addresses.

        Not asked of words in front of the addresses but in a beat in which those begin.
        """
        here, last = self._here, self._last
        near4, at4, soon = self._state.near4, self._state.at4, self._state.soon
        extension_next = self._next.ext
        if word == 0:
            four, six, ext = ~at4, self._label.opens | self._state.one6, 1
        elif word == 1:
            four = ~(self._state.then4 | last)
            six = self._label.opens | last & extension_next
            ext = ~last | extension_next
        else:
            four, six = ~(near4 | soon), soon & extension_next
            ext = self._extension_in_two(soon)
        outside = here.ip4 & four | here.ip6 & six | here.ext & ext
        return self._named(f"outside{word}", outside)

    def _extension_in_two(self, ends):
        """From an extension header's word: two words on there is one still, or the next."""
        hints, label = self._hints[0], self._label
        ends_next = label.opens & (label.kind.fragment | hints.length0)
        return ~(ends_next & ~hints.next.ext | ~label.opens & ends & ~self._next.ext)

    def telemetry(self, word: int):
        """Word ``word`` is of INT or its stack, which the check does not cover."""
        here, last = self._here, self._last
        if word == 0:
            return self._named("telemetry0", here.int | here.hops)
        direct, by_imm = self._leads_to_telemetry()
        stack = here.int & self._hints[0].hops
        if word == 1:
            return self._named("telemetry1", stack | here.hops & ~last | last & direct)
        follows = last & (by_imm | direct & self._hints[1].hops) | self._one_left & direct
        goes_on = here.hops & ~self._state.soon
        return self._named("telemetry2", stack | goes_on | follows)

    def _leads_to_telemetry(self):
        """INT follows this header; or IMM, which is one word, and then INT."""
        here = self._here
        addr, imm, ack, telemetry = (
            self._announced[StellarFlag[name].bit_length() - 1]
            for name in ("ADDR", "IMM", "ACK", "INT")
        )
        to_imm = here.base & ~addr | here.addr
        direct = here.ack | ~ack & (here.imm | ~imm & to_imm)
        return (
            self._named("leads_to_telemetry", telemetry & direct),
            self._named("leads_by_imm", telemetry & ~ack & imm & to_imm),
        )

    def udp_second(self, word: int):
        """Word ``word`` is the second of UDP: length and checksum."""
        opens = self._label.opens
        return self._named(f"udp_second{word}", self._here.udp & (opens if word else ~opens))
