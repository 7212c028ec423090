"""Stage 4 of the parser: the trailer record, from facts and judgements at a frame's last beat."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import Flag, Reason, Verdict

from .capture import FieldsLayout
from .datagrams import UdpLengthLayout
from .facts import EventsLayout, FactsLayout
from .judge import JudgementLayout
from .labels import LabelLayout
from .layouts import TRAILER_LAYOUT
from .places import PlacesLayout
from .tables import lookup

__all__ = ["TrailerRecord"]


class TrailerRecord(wiring.Component):
    """Writes the trailer record (steps 9 and 10 of docs/parser.md).

    Members
    -------
    events, facts, pending, fields, judgement, port, places, lengths : In
        What is known of the frame at its last beat.
    cut : In(1)
        The frame's end cut off a part of the UDP datagram.
    ip_sum_right, udp_sum_right, check_right : In(1)
        The sums' and the end-to-end check's verdicts.
    max_length, check_flag : In
        Settings.
    record : Out
        The record.

    Timing: combinational.
    """

    def __init__(self):
        super().__init__(
            {
                "events": In(EventsLayout),
                "facts": In(FactsLayout),
                "pending": In(LabelLayout),
                "fields": In(FieldsLayout),
                "judgement": In(JudgementLayout),
                "port": In(1),
                "places": In(PlacesLayout),
                "lengths": In(UdpLengthLayout),
                "cut": In(1),
                "ip_sum_right": In(1),
                "udp_sum_right": In(1),
                "check_right": In(1),
                "max_length": In(17),
                "check_flag": In(1),
                "record": Out(TRAILER_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flags = {flag: Signal(name=flag.name.lower()) for flag in Flag}
        candidate = self._lengths(m, flags)
        self._network(m, flags)
        self._sums(m, flags, candidate)
        m.d.comb += [
            self.record.flags.eq(Cat(flags[flag] for flag in Flag)),
            self.record.length.eq(self.places.less_one + 1),
            self.record.candidate.eq(candidate),
        ]
        self._verdict(m, flags, candidate)
        return m

    def _lengths(self, m, flags):
        """Step 9: the frame's length against that of its IP packet."""
        facts, judged, places = self.facts, self.judgement, self.places
        known, beyond, candidate = facts.ip & ~facts.jumbogram, Signal(), Signal()
        m.d.comb += [
            beyond.eq(known & places.less),
            flags[Flag.OVERSIZE].eq(places.less_one >= self.max_length),
            flags[Flag.IP_LENGTH].eq(beyond | facts.short),
            flags[Flag.PADDED].eq(known & ~places.less & ~places.equal & ~facts.short),
            candidate.eq(judged.candidate & (judged.trimmed | ~beyond)),
        ]
        return candidate

    def _network(self, m, flags):
        facts, judged, cut = self.facts, self.judgement, self.pending.header
        four = facts.ip & ~facts.six
        m.d.comb += [
            flags[Flag.ETH_TRUNCATED].eq(cut.eth | cut.vlan),
            flags[Flag.VLAN_DEPTH].eq(facts.depth),
            flags[Flag.IP_TRUNCATED].eq(cut.ip4 | cut.ip6 | cut.ext),
            flags[Flag.IP_VERSION].eq(facts.bad_version),
            flags[Flag.IPV4_IHL].eq(facts.bad_ihl),
            flags[Flag.IPV4_OPTIONS].eq(four & (self.fields.ihl > 5)),
            flags[Flag.IPV4_CHECKSUM].eq(four & ~self.ip_sum_right),
            flags[Flag.FRAGMENT].eq(judged.fragment),
            flags[Flag.IPV6_EXTENSIONS].eq(facts.extensions),
            flags[Flag.EXT_LIMIT].eq(facts.over),
            flags[Flag.L4_TRUNCATED].eq(facts.no_room | cut.udp | cut.tcp),
        ]

    def _sums(self, m, flags, candidate):
        facts, judged = self.facts, self.judgement
        zero = self.lengths.unsummed
        absent = zero & (~facts.six | self.port)
        present = facts.udp & ~judged.udp_length & ~absent
        hidden = Cat(
            judged.fragment,
            judged.detour,
            judged.trimmed,
            self.cut,
        ).any()
        unjudged = judged.trimmed | judged.other_version | judged.lacking
        m.d.comb += [
            flags[Flag.UDP_LENGTH].eq(judged.udp_length),
            flags[Flag.UDP_CHECKSUM].eq(present & (zero | ~hidden & ~self.udp_sum_right)),
            flags[Flag.UNVERIFIED].eq(present & ~zero & hidden),
            flags[Flag.TRIMMED].eq(candidate & judged.trimmed),
            flags[Flag.STELLAR_VERSION].eq(candidate & judged.other_version),
            flags[Flag.STELLAR_CHECK].eq(
                candidate & ~unjudged & ~judged.no_hops & ~self.check_right
            ),
        ]

    def _verdict(self, m, flags, candidate):
        """Step 10.  What is known late, the sums and INT's room, is put in at the very end."""
        judged, record = self.judgement, self.record
        code, late = Signal(3), Signal(3)
        for condition, value in (
            (judged.bad_extension, _EXTENSION),
            (judged.bad_opcode, _OPCODE),
            (judged.lacking, _TRUNCATED),
            (~candidate | judged.other_version, _HOST),
            (self.events.error, _MAC),
        ):
            with m.If(condition):
                m.d.comb += code.eq(value)
        checked = flags[Flag.STELLAR_CHECK] & ~self.check_flag
        m.d.comb += late.eq(Cat(flags[Flag.UDP_CHECKSUM], judged.no_hops, checked))
        inputs = Cat(code, late)
        m.d.comb += [
            record.reason.eq(lookup(inputs, lambda key: _reason(key)[1], len(record.reason))),
            record.verdict.eq(lookup(inputs, lambda key: _reason(key)[0], len(record.verdict))),
        ]


_NONE, _EXTENSION, _OPCODE, _TRUNCATED, _HOST, _MAC = range(6)


def _reason(key: int):
    """Verdict and reason for the early code and, above it, three bits that are late."""
    code, udp, hops, check = key & 7, key >> 3 & 1, key >> 4 & 1, key >> 5 & 1
    if code == _MAC:
        return Verdict.DROP, Reason.MAC_ERROR
    if code == _HOST:
        return Verdict.HOST, Reason.NONE
    for condition, reason in (
        (udp, Reason.UDP_CHECKSUM),
        (hops or code == _TRUNCATED, Reason.STELLAR_TRUNCATED),
        (code == _OPCODE, Reason.STELLAR_OPCODE),
        (code == _EXTENSION, Reason.STELLAR_EXTENSION),
        (check, Reason.STELLAR_CHECK),
    ):
        if condition:
            return Verdict.DROP, reason
    return Verdict.STELLAR, Reason.NONE
