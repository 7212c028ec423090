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

from stellar_spec.headers import IPV6, STELLAR_VERSION
from stellar_spec.opcodes import INT_HOPS_MAX

from .capture import FieldsLayout
from .facts import EventsLayout, FactsLayout
from .labels import LabelLayout
from .layouts import SETTINGS_LAYOUT
from .rule import Rule

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
        "hops": 4,  # of the INT stack that is skipped, 0 if INT is not shown
        "truncated": 1,
        "bad_opcode": 1,
        "bad_extension": 1,
    }
)
"""What follows from the facts, up to the beat that is judged."""

_CLIP = 8  # bits in which lengths are compared with what headers need, which is less than 2**8


class Judge(wiring.Component):
    """Judges a frame as its beats pass.

    Members
    -------
    valid, events, facts, pending, fields, port : In
        A beat's findings from ``Facts`` and ``Capture``.
    ip_words : In(14)
        Words of the IP payload, known a cycle before the UDP header is found whole.
    ip_sum_right : In(1)
        Verdict on the IPv4 header's sum.
    settings : In
        The parser's settings.
    judgement : Out
        Valid with the beat, without latency.
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
                "pending": In(LabelLayout),
                "fields": In(FieldsLayout),
                "port": In(1),
                "ip_words": In(14),
                "ip_sum_right": In(1),
                "settings": In(SETTINGS_LAYOUT),
                "judgement": Out(JudgementLayout),
                "due": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.rule = self._rule = Rule()
        self._trimmed = Signal(reset_less=True)
        self._reach = Signal(_CLIP)  # UDP length that counts, of a candidate; 255: or more
        self._some = Signal()  # it goes beyond the UDP header
        self._whole = Signal()  # it holds a base header
        self._fits = Signal()  # and the announced extensions, and body and check unless trimmed
        self._network(m)
        self._length(m)
        self._version(m)
        self._layers(m)
        self._due(m)
        return m

    def _network(self, m):
        """Steps 5 to 7: what the network header says.  ``fit``: it does not exclude a candidate."""
        facts, fields, settings, out = self.facts, self.fields, self.settings, self.judgement
        fragment = fields.fragment_offset.any() | fields.more_fragments
        seen = Signal()  # of several fragment headers the last one's fields are kept
        ours = self._own_address(m)
        right = facts.six | self.ip_sum_right
        total = Signal(17, reset_less=True)
        self._fit = Signal(reset_less=True)
        m.d.comb += [
            out.total_length.eq(total),
            out.fragment.eq(facts.ip & (seen & ~self.events.first | fragment)),
            out.detour.eq(
                facts.source_route | facts.segments_left | facts.home_address | facts.jumbogram
            ),
        ]
        m.d.sync += [
            total.eq(Cat(fields.length[:3], fields.length[3:] + Mux(facts.six, IPV6.size // 8, 0))),
            self._fit.eq(right & ~out.fragment & ~out.detour & (ours | ~settings.filter)),
            self._trimmed.eq(settings.trim & (fields.dscp == settings.trim_dscp)),
        ]
        with m.If(self.valid):
            m.d.sync += seen.eq(out.fragment)

    def _own_address(self, m):
        """The destination is this card's.

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
        return Cat(common).all() & (~six | Cat(upper).all())

    def _length(self, m):
        """Step 7: UDP length against that of the IP payload, and whether it is a candidate."""
        facts, out, length = self.facts, self.judgement, self.fields.udp_length
        reach, beyond = self._reach, self._reach[5:].any()
        payload = Signal(16, reset_less=True)
        clipped = Signal(_CLIP, reset_less=True)
        low, high, large = Signal(), Signal(), Signal()
        known = Cat(self.fields.length[:2], self.ip_words)
        m.d.sync += [payload.eq(known), clipped.eq(known[:_CLIP])]
        with m.If(known[_CLIP:].any()):
            m.d.sync += clipped.eq(2**_CLIP - 1)
        m.d.comb += [
            large.eq(length[_CLIP:].any()),
            low.eq(~large & (length[3:_CLIP] == 0)),
            high.eq(length > payload),
            reach.eq(Mux(self._trimmed, clipped, length[:_CLIP] | large.replicate(_CLIP))),
            # More than the 8 bytes of UDP's header, which both lengths of a candidate have at
            # least; and the 20 bytes of both headers.
            self._some.eq(beyond | reach[4] | reach[:3].any()),
            self._whole.eq(beyond | reach[4] & reach[2:4].any()),
            out.udp_length.eq(facts.udp & ~facts.jumbogram & (low | high & ~out.fragment)),
            out.trimmed.eq(out.candidate & self._trimmed),
            out.candidate.eq(facts.udp & self._fit & self.port & ~low & (self._trimmed | ~high)),
        ]

    def _version(self, m):
        """Step 8: the version, from the first byte even if the frame ends behind it."""
        events, facts, out = self.events, self.facts, self.judgement
        cut = events.last & self.pending.header.base & events.tail_there
        self._strange = Signal()
        m.d.comb += [
            self._strange.eq(
                Mux(
                    facts.base_opened,
                    self.fields.base.version != STELLAR_VERSION,
                    cut & (events.tail[6:] != STELLAR_VERSION),
                )
            ),
            out.other_version.eq(out.candidate & self._some & self._strange),
        ]

    def _layers(self, m):
        """Step 8: what is shown of StellarTP, and what is wrong with it."""
        facts, fields, out, rule = self.facts, self.fields, self.judgement, self._rule
        fits, whole, trimmed = self._fits, self._whole, self._trimmed
        spare = Signal(7, reset_less=True)  # words behind what the base header announces
        opened = Signal(reset_less=True)  # what a base header at the place would be shown
        hops, excess, hops_fit = fields.int.hops_reserved, Signal(), Signal()
        m.d.comb += [
            rule.opcode.eq(fields.base.opcode),
            rule.flags.eq(fields.base.flags[:4]),
            rule.trimmed.eq(trimmed),
        ]
        m.d.sync += spare.eq(self._reach[2:] - rule.need)
        with m.If(self.valid):
            m.d.sync += opened.eq(out.candidate & whole & ~self._strange)
        m.d.comb += [
            fits.eq(~spare[6]),
            excess.eq(hops > INT_HOPS_MAX),
            hops_fit.eq(excess | (spare[1:6] >= hops)),
            out.hops.eq(Mux(out.int & ~excess, hops, 0)),
            out.stellar.eq(facts.base & opened),
        ]
        m.d.comb += [out[n].eq(facts[n] & opened & fits) for n in ("addr", "imm", "ack")]
        m.d.comb += out.int.eq(facts.int & opened & fits & (trimmed | hops_fit))
        lost = Mux(trimmed, ~facts.base, out.stellar & (~fits | facts.int & ~hops_fit))
        malformed = excess | (fields.int.hops_used > hops) | fields.int.zero.any()
        m.d.comb += [
            out.truncated.eq(out.candidate & ~out.other_version & (~whole | lost)),
            out.bad_opcode.eq(out.stellar & ~trimmed & ~rule.known),
            out.bad_extension.eq(
                out.stellar & ~trimmed & (rule.known & rule.wrong | out.int & malformed)
            ),
        ]

    def _due(self, m):
        """The first beat at which nothing more can change the header record.

        What is no candidate is due with its UDP header and needs no look at its base header.
        """
        events, out = self.events, self.judgement
        emitted, done = Signal(), Signal()
        m.d.comb += done.eq(
            Cat(
                events.last,
                events.ended,
                events.udp & ~(out.candidate & self._some),
                events.base_opened & (self._strange | ~self._whole),
                events.base & ~self._fits,
                events.int,
            ).any()
        )
        m.d.comb += self.due.eq(self.valid & done & (events.first | ~emitted))
        with m.If(self.valid):
            m.d.sync += emitted.eq(done | emitted & ~events.first)
