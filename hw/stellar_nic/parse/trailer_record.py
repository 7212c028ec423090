"""Stage 4 of the parser: the trailer record, from facts and judgements at a frame's last beat."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import Flag, Reason

from .capture import FieldsLayout
from .datagrams import UdpLengthLayout
from .facts import EventsLayout, FactsLayout
from .judge import JudgementLayout
from .labels import LabelLayout
from .layouts import TRAILER_LAYOUT
from .places import PlacesLayout

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
        known = facts.ip & ~facts.jumbogram
        beyond = Signal()
        candidate = Signal()
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
        """Step 10.  What is known late, the sums and INT's room, is put in at the very end.

        Masks, not choices of 0: those would become resets, which come later.
        """
        judged = self.judgement
        error = self.events.error
        early = Signal(Reason)
        checked = Signal()
        ours = Signal(attrs={"keep": 1})
        m.d.comb += [
            ours.eq(candidate & ~judged.other_version),
            checked.eq(~judged.trimmed & ~self.check_flag),
        ]
        for condition, reason in (
            (judged.bad_extension, Reason.STELLAR_EXTENSION),
            (judged.bad_opcode, Reason.STELLAR_OPCODE),
            (judged.lacking, Reason.STELLAR_TRUNCATED),
        ):
            with m.If(condition):
                m.d.comb += early.eq(reason)
        found = early.any()
        wrong = ~self.check_right & checked & ~found
        reason = early | wrong.replicate(len(early)) & Reason.STELLAR_CHECK
        reason = Mux(judged.no_hops, Reason.STELLAR_TRUNCATED, reason)
        reason = Mux(flags[Flag.UDP_CHECKSUM], Reason.UDP_CHECKSUM, reason)
        bad = flags[Flag.UDP_CHECKSUM] | judged.no_hops | found | wrong
        self._say(m, error, ours, reason, bad)

    def _say(self, m, error, ours, reason, bad):
        """The verdict on a frame with the MAC's ``error``, or else on one of ours."""
        reasons, record = len(self.record.reason), self.record
        m.d.comb += [
            record.reason.eq(
                (ours & ~error).replicate(reasons) & reason
                | error.replicate(reasons) & Reason.MAC_ERROR
            ),
            record.verdict.eq(Cat(ours & ~error & ~bad, error | ours & bad)),
        ]
