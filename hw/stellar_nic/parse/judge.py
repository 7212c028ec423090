"""Stage 4 of the parser: is it a candidate, which layers are shown, when is the header record due.

The walk read on as if every packet to StellarTP's port were one.  Here it is judged; what is not
shown was read in vain and stays unseen.  Step numbers are those of docs/parser.md.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import CHECK_SIZE, STELLAR, STELLAR_EXTENSIONS, STELLAR_VERSION, UDP
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, StellarFlag

from .capture import FieldsLayout
from .facts import EventsLayout, FactsLayout
from .labels import LabelLayout
from .layouts import SETTINGS_LAYOUT

__all__ = ["Judge", "JudgementLayout"]

JudgementLayout = data.StructLayout(
    {
        "candidate": 1,  # as far as the headers tell
        "trimmed": 1,
        "other_version": 1,
        "udp_length": 1,  # wrong
        "fragment": 1,
        "ip_payload": 16,  # bytes
        "eth": 1,  # layers shown
        "ip": 1,
        "udp": 1,
        "tcp": 1,
        "stellar": 1,
        "addr": 1,
        "imm": 1,
        "ack": 1,
        "int": 1,
        "hops": 4,  # of the INT stack that is skipped
        "truncated": 1,
        "bad_opcode": 1,
        "bad_extension": 1,
    }
)
"""What follows from the facts, up to the beat that is judged."""

_LEAST_ROOM = UDP.size + STELLAR.size  # UDP length of a datagram that holds a base header


class Judge(wiring.Component):
    """Judges a frame as its beats pass.

    Members
    -------
    valid, events, facts, pending, fields, port : In
        A beat's findings from ``Facts`` and ``Capture``.
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
                "ip_sum_right": In(1),
                "settings": In(SETTINGS_LAYOUT),
                "judgement": Out(JudgementLayout),
                "due": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._trimmed = Signal()
        self._reach = Signal(16)  # UDP length that counts, of a candidate
        self._fits = Signal()  # the announced extensions, and body and check unless trimmed
        self._network(m)
        self._candidate(m)
        self._version(m)
        self._layers(m)
        self._due(m)
        return m

    def _network(self, m):
        """Steps 5 and 6: fragments, and the length of the IP payload."""
        facts, fields, out = self.facts, self.fields, self.judgement
        fragment = fields.fragment_offset.any() | fields.more_fragments
        seen = Signal()  # of several fragment headers the last one's fields are kept
        m.d.comb += out.fragment.eq(facts.ip & (seen & ~self.events.first | fragment))
        payload = Signal(16)
        headers = Mux(facts.six, fields.ext_words, fields.ihl)
        m.d.comb += out.ip_payload.eq(payload)
        m.d.sync += payload.eq(fields.length - (headers << 2))
        with m.If(self.valid):
            m.d.sync += seen.eq(out.fragment)

    def _candidate(self, m):
        """Step 7.  Network headers end at least a beat before the UDP header does."""
        facts, fields, settings, out = self.facts, self.fields, self.settings, self.judgement
        fit, held, here = Signal(), Signal(), Signal()
        trimmed = self._trimmed
        ours = Mux(facts.six, fields.dst == settings.own_ipv6, fields.dst[:32] == settings.own_ipv4)
        hidden = facts.source_route | facts.segments_left | facts.home_address | facts.jumbogram
        m.d.sync += [
            fit.eq(
                (facts.six | self.ip_sum_right)
                & ~out.fragment
                & ~hidden
                & (ours | ~settings.filter)
            ),
            trimmed.eq(settings.trim & (fields.dscp == settings.trim_dscp)),
        ]
        length = fields.udp_length
        low, high = Signal(), Signal()
        m.d.comb += [
            low.eq(length < UDP.size),
            high.eq(length > out.ip_payload),
            out.udp_length.eq(facts.udp & ~facts.jumbogram & (low | high & ~out.fragment)),
            here.eq(fit & self.port & ~low & (trimmed | ~high)),
            out.candidate.eq(Mux(self.events.udp, here, held & ~self.events.first)),
            out.trimmed.eq(out.candidate & trimmed),
            self._reach.eq(Mux(trimmed, out.ip_payload, length)),
        ]
        with m.If(self.valid):
            m.d.sync += held.eq(out.candidate)

    def _version(self, m):
        """Step 8: the version, from the first byte even if the frame ends behind it."""
        events, out = self.events, self.judgement
        cut = (
            events.last
            & self.pending.header.base
            & (self.pending.index == 0)
            & events.tail_there
            & (events.tail[6:] != STELLAR_VERSION)
        )
        opened = self.facts.base_opened & (self.fields.base.version != STELLAR_VERSION)
        some = self._reach > UDP.size
        m.d.comb += out.other_version.eq(out.candidate & some & (opened | cut))

    def _layers(self, m):
        """Step 8: what is shown of StellarTP, and what is wrong with it."""
        facts, fields, out = self.facts, self.fields, self.judgement
        spare, hops_fit, whole = Signal(17), Signal(), Signal()
        fits = self._fits
        need, extensions_right, known = self._rule(m)
        hops = fields.int.hops_reserved
        m.d.sync += spare.eq(self._reach - need)
        m.d.comb += [
            whole.eq(self._reach >= _LEAST_ROOM),
            fits.eq(~spare[16]),
            out.hops.eq(Mux(hops <= INT_HOPS_MAX, hops, 0)),
            hops_fit.eq(spare[3:16] >= out.hops),
            out.eth.eq(facts.eth),
            out.ip.eq(facts.ip),
            out.udp.eq(facts.udp),
            out.tcp.eq(facts.tcp),
            out.stellar.eq(out.candidate & facts.base & ~out.other_version & whole),
        ]
        extended = out.stellar & fits
        m.d.comb += [out[name].eq(extended & facts[name]) for name in ("addr", "imm", "ack")]
        m.d.comb += out.int.eq(extended & facts.int & (out.trimmed | hops_fit))
        lost = Mux(out.trimmed, ~facts.base, out.stellar & (~fits | facts.int & ~hops_fit))
        malformed = (hops > INT_HOPS_MAX) | (fields.int.hops_used > hops) | fields.int.zero.any()
        m.d.comb += [
            out.truncated.eq(out.candidate & ~out.other_version & (~whole | lost)),
            out.bad_opcode.eq(out.stellar & ~out.trimmed & ~known),
            out.bad_extension.eq(
                out.stellar & ~out.trimmed & (known & ~extensions_right | out.int & malformed)
            ),
        ]

    def _rule(self, m):
        """Least UDP length (hops not counted), the extension set's verdict, a known opcode."""
        base = self.fields.base
        announced = base.flags[:4]
        need, right, known = Signal(8), Signal(), Signal()
        body, required, allowed = Signal(5), Signal(4), Signal(4)
        m.d.comb += allowed.eq(15)
        with m.Switch(base.opcode):
            for opcode, rule in OPCODES.items():
                with m.Case(opcode):
                    m.d.comb += [
                        known.eq(1),
                        body.eq(rule.body),
                        required.eq(int(rule.required)),
                        allowed.eq(int(rule.required | rule.allowed)),
                    ]
        sizes = sum(
            Mux(announced[StellarFlag[name].bit_length() - 1], header.size, 0)
            for name, header in STELLAR_EXTENSIONS.items()
        )
        behind = Mux(self._trimmed, 0, body + CHECK_SIZE)
        m.d.comb += [
            need.eq(UDP.size + STELLAR.size + sizes + behind),
            right.eq(~(required & ~announced).any() & ~(announced & ~allowed).any()),
        ]
        return need, right, known

    def _due(self, m):
        """The first beat at which nothing more can change the header record."""
        events, out = self.events, self.judgement
        emitted, done = Signal(), Signal()
        m.d.comb += done.eq(
            Cat(
                events.last,
                events.ended,
                events.udp & (~out.candidate | (self._reach == UDP.size)),
                events.base_opened & (out.other_version | (self._reach < _LEAST_ROOM)),
                events.base & ~self._fits,
                events.int,
            ).any()
        )
        m.d.comb += self.due.eq(self.valid & done & (events.first | ~emitted))
        with m.If(self.valid):
            m.d.sync += emitted.eq(done | emitted & ~events.first)
