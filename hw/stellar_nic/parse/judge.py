"""Stage 4 of the parser: is it a candidate, which layers are shown, when is the header record due.

The walk read on as if every packet to StellarTP's port were one.  Here it is judged; what is not
shown was read in vain and stays unseen.  Step numbers are those of docs/parser.md.

What a judgement needs is often settled a beat before it: UDP's header ends at least a beat behind
the IP headers, StellarTP's base header at least a beat behind its first word.  Such findings pass
through registers, which keeps the last cycle short.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import IPV6
from stellar_spec.opcodes import INT_HOPS_MAX

from .capture import FieldsLayout
from .datagrams import UdpLengthLayout
from .facts import EventsLayout, FactsLayout
from .layouts import SETTINGS_LAYOUT
from .rule import RuleLayout
from .tables import lookup

__all__ = ["Judge", "JudgementLayout"]

JudgementLayout = data.StructLayout(
    {
        "candidate": 1,  # as far as the headers tell
        "trimmed": 1,
        "other_version": 1,
        "udp_length": 1,  # wrong
        "total_length": 17,  # bytes of the IP packet
        "fragment": 1,
        "detour": 1,  # the address in the IP header is not the final one, or a jumbogram
        "stellar": 1,  # layers shown, where facts do not tell
        "addr": 1,
        "imm": 1,
        "ack": 1,
        "int": 1,
        "hops": 4,  # of the INT stack that is skipped
        "lacking": 1,  # room for what the base header of a candidate announces, hops not counted
        "no_hops": 1,  # but not for the hops
        "bad_opcode": 1,
        "bad_extension": 1,
    }
)
"""What follows from the facts, up to the beat that is judged."""


class Judge(wiring.Component):
    """Judges a frame as its beats pass.

    Members
    -------
    valid, events, facts, fields, lengths, rule : In
        A beat's findings from ``Facts``, ``Capture``, ``UdpLength`` and ``Rule``.
    ip_sum_right : In(1)
        Verdict on the IPv4 header's sum.
    settings : In
        The parser's settings.
    judgement : Out
        Valid with the beat, without latency.
    trimmed : Out(1)
        The DSCP says so; from one cycle behind its word.
    due : Out(1)
        The header record leaves with this beat.

    Timing: outputs are combinational; what they need of earlier beats is registered here.
    """

    def __init__(self):
        super().__init__(
            {
                "valid": In(1),
                "events": In(EventsLayout),
                "facts": In(FactsLayout),
                "fields": In(FieldsLayout),
                "lengths": In(UdpLengthLayout),
                "rule": In(RuleLayout),
                "ip_sum_right": In(1),
                "settings": In(SETTINGS_LAYOUT),
                "judgement": Out(JudgementLayout),
                "trimmed": Out(1),
                "due": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._trimmed = Signal(reset_less=True)
        self._fits = Signal()  # the announced extensions, and body and check unless trimmed
        self._network(m)
        self._length(m)
        self._layers(m)
        self._due(m)
        return m

    def _network(self, m):
        """Steps 5 to 7: what the network header says.  ``fit``: it does not exclude a candidate."""
        facts, fields, settings, out = self.facts, self.fields, self.settings, self.judgement
        seen = Signal()  # of several fragment headers the last one's fields are kept
        right = facts.six | self.ip_sum_right
        total = Signal(17, reset_less=True)
        self._fit = Signal(reset_less=True)
        self._ours = self._own_address(m)
        m.d.comb += [
            out.total_length.eq(total),
            out.fragment.eq(facts.ip & (seen & ~self.events.first | fields.fragmented)),
            out.detour.eq(
                facts.source_route | facts.segments_left | facts.home_address | facts.jumbogram
            ),
        ]
        m.d.sync += [
            total.eq(Cat(fields.length[:3], fields.length[3:] + Mux(facts.six, IPV6.size // 8, 0))),
            self._fit.eq(right & ~out.fragment & ~out.detour),
            self._trimmed.eq(settings.trim & (fields.dscp == settings.trim_dscp)),
        ]
        with m.If(self.valid):
            m.d.sync += seen.eq(out.fragment)

    def _own_address(self, m):
        """The destination is this card's, or need not be; one cycle later, as for ``_fit``.

        Bits are compared in groups that fill a LUT, which synthesis must keep: left alone, it
        merges the comparisons with the tree behind them and takes 1.7 times as many.
        """
        six, dst, settings = self.facts.six, self.fields.dst, self.settings
        common, upper = [], []
        for bit in range(32):
            own = Mux(six, settings.own_ipv6[bit], settings.own_ipv4[bit])
            common.append(Signal(name=f"same{bit}", attrs={"keep": 1}))
            m.d.comb += common[-1].eq(dst[bit] == own)
        for bit in range(32, 128, 2):
            upper.append(Signal(name=f"same{bit}", attrs={"keep": 1}))
            m.d.comb += upper[-1].eq(dst[bit : bit + 2] == settings.own_ipv6[bit : bit + 2])
        parts = Signal(2, reset_less=True)
        m.d.sync += parts.eq(
            Cat(Cat(common).all(), ~six | Cat(upper).all()) | (~settings.filter).replicate(2)
        )
        return parts.all()

    def _length(self, m):
        """Step 7: is it a candidate; and the version, which a candidate must have."""
        facts, out, lengths, trimmed = self.facts, self.judgement, self.lengths, self._trimmed
        wrong = lengths.low | lengths.high & ~out.fragment
        m.d.comb += [
            self.trimmed.eq(trimmed),
            out.udp_length.eq(facts.udp & ~facts.jumbogram & wrong),
            out.candidate.eq(self._fit & self._ours & lengths.claimed),
            out.trimmed.eq(out.candidate & trimmed),
            out.other_version.eq(out.candidate & lengths.some & self.rule.strange),
        ]

    def _layers(self, m):
        """Step 8: what is shown of StellarTP, and what is wrong with it."""
        facts, fields, out, rule = self.facts, self.fields, self.judgement, self.rule
        fits, whole, trimmed = self._fits, self.lengths.whole, self._trimmed
        need = Signal(5)
        spare = Signal(7, reset_less=True)  # words behind what the base header announces
        opened = Signal(reset_less=True)  # what a base header at the place would be shown
        hops = fields.int.hops_reserved
        hops_fit = Signal()
        m.d.comb += need.eq(rule.headers + Mux(trimmed, 0, rule.behind))
        m.d.sync += spare.eq(self.lengths.reach[2:] - need)
        with m.If(self.valid):
            m.d.sync += opened.eq(out.candidate & whole & ~rule.strange)
        m.d.comb += [
            fits.eq(~spare[6]),
            hops_fit.eq(rule.excess | self._has_room(spare[1:6], hops)),
            out.hops.eq(Mux(rule.excess, 0, hops)),
            out.stellar.eq(facts.base & opened),
        ]
        m.d.comb += [out[n].eq(facts[n] & opened & fits) for n in ("addr", "imm", "ack")]
        m.d.comb += out.int.eq(facts.int & opened & fits & (trimmed | hops_fit))
        # Where INT does not fit, what it says does not count: such a packet is truncated.
        lost = Mux(trimmed, ~facts.base, out.stellar & ~fits)
        m.d.comb += [
            out.lacking.eq(~whole | lost),
            out.no_hops.eq(facts.int & opened & fits & ~trimmed & ~hops_fit),
            out.bad_opcode.eq(out.stellar & ~trimmed & ~rule.known),
            out.bad_extension.eq(
                out.stellar
                & ~trimmed
                & (rule.known & rule.wrong.any() | facts.int & rule.malformed)
            ),
        ]

    @staticmethod
    def _has_room(room, hops):
        """``room`` >= ``hops``, unless these are more than may be; without a carry chain."""
        bits = INT_HOPS_MAX.bit_length() - 1
        fits = lookup(Cat(room[:bits], hops[:bits]), lambda k: k % 2**bits >= k >> bits)
        return room[bits:].any() | ~hops[bits] & fits

    def _due(self, m):
        """The first beat at which nothing more can change the header record.

        What is no candidate is due with its UDP header and needs no look at its base header.
        """
        events, out = self.events, self.judgement
        emitted = Signal()
        done = Signal()
        m.d.comb += done.eq(
            Cat(
                events.last,
                events.ended,
                events.udp & ~(out.candidate & self.lengths.some),
                events.base_opened & (self.rule.strange | ~self.lengths.whole),
                events.base & ~self._fits,
                events.int,
            ).any()
        )
        m.d.comb += self.due.eq(self.valid & done & (events.first | ~emitted))
        with m.If(self.valid):
            m.d.sync += emitted.eq(done | emitted & ~events.first)
