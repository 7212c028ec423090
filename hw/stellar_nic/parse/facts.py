"""Stage 3 of the parser: what has been found out about the frame so far."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import VLAN_LIMIT

from .labelled import LabelledWords
from .labels import LabelLayout
from .room import RoomLayout
from .walk import WalkedLayout

__all__ = ["EventsLayout", "Facts", "FactsLayout"]

EventsLayout = data.StructLayout(
    {
        "first": 1,
        "last": 1,
        "error": 1,
        "ended": 1,  # the walk came to rest
        "udp": 1,  # a UDP header is whole
        "base_opened": 1,  # the first word of a base header is there
        "base": 1,  # a base header is whole
        "int": 1,  # INT's first word is there
        "tail": 8,  # first byte of the word that the frame's end cuts
        "tail_there": 1,
    }
)
"""What one beat brought."""

FactsLayout = data.StructLayout(
    {
        "eth": 1,  # layers that are whole in the frame
        "ip": 1,
        "udp": 1,
        "tcp": 1,
        "ports": 1,  # one of both
        "base": 1,
        "addr": 1,
        "imm": 1,
        "ack": 1,
        "int": 1,
        "base_opened": 1,
        "six": 1,  # IPv6
        "depth": 1,  # a third VLAN tag
        "bad_version": 1,
        "bad_ihl": 1,
        "extensions": 1,
        "short": 1,  # the IP length is less than its headers
        "over": 1,  # extension headers beyond the limit
        "reached": 1,  # the IP headers are whole and lead to a payload
        "no_room": 1,  # the IP payload is too short for its UDP or TCP header
        "source_route": 1,
        "segments_left": 1,
        "home_address": 1,
        "jumbogram": 1,
        "halted": 1,  # the walk ended for a bad IP header, or because nothing has room behind it
    }
)
"""What the beats of a frame have shown, until its next first beat."""


class Facts(wiring.Component):
    """Gathers facts from labelled words.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat from ``Walk``.
    room : In
        What ``Room`` says of it.
    ended : Out(1)
        The walk of the frame that ``walked`` belongs to had ended before it.
    stop : Out(1)
        So it had for the beat behind ``walked``, which is being labelled.
    o_valid, opens, events, facts, pending, tags, port : Out
        One cycle later: what the beat brought, what the frame has shown, and where the walk is.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "room": In(RoomLayout),
                "ended": Out(1),
                "stop": Out(1),
                "o_valid": Out(1),
                "opens": Out(1),
                "events": Out(EventsLayout),
                "facts": Out(FactsLayout),
                "pending": Out(LabelLayout),
                "tags": Out(2),
                "port": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        walked, beat = self.walked, self.walked.beat
        at = LabelledWords(m, walked)
        events = Signal(EventsLayout)
        facts = Signal(FactsLayout)
        pending = Signal(LabelLayout)
        alive = Signal()
        stop = self._stop(m, facts)
        m.d.comb += [
            # Behind a frame's last beat the next frame's walk is under way.
            self.ended.eq(stop & ~events.last),
            self.stop.eq(self.ended & ~beat.packet.last),
            alive.eq(~self.ended),
        ]
        m.d.sync += [self.o_valid.eq(self.valid), self.opens.eq(walked.starts)]
        with m.If(self.valid):
            m.d.sync += [events[name].eq(value) for name, value in self._events(at).items()]
            m.d.sync += [pending.eq(walked.pending), self.port.eq(walked.state.learnt.port)]
            for name, hit in {**self._layers(at, alive), **self._findings(at)}.items():
                m.d.sync += facts[name].eq(facts[name] & ~beat.first | hit)
            m.d.sync += self.tags.eq(self._tags(at))
        m.d.comb += [
            self.events.eq(events),
            self.events.ended.eq(events.ended | self.ended),
            self.facts.eq(facts),
            self.facts.short.eq(facts.ip & self.room.left[-1]),
            self.facts.over.eq(self.room.over),
            self.facts.jumbogram.eq(self.room.jumbogram),
            self.pending.eq(pending),
        ]
        with m.If(stop):
            m.d.comb += self.pending.header.eq(0)
        return m

    def _stop(self, m, facts):
        """The walk has ended for another reason than its types."""
        stop = Signal()
        m.d.comb += stop.eq(facts.halted | self.room.over | self.room.short)
        return stop

    def _events(self, at):
        walked, beat = self.walked, self.walked.beat
        return {
            "first": beat.first,
            "last": beat.packet.last,
            "error": beat.packet.error & beat.packet.last,
            "ended": ~walked.pending.header.as_value().any(),
            "udp": at.hit("udp", last=True) & ~self.ended,
            "base_opened": at.hit("base", 0) & ~self.ended,
            "base": at.hit("base", last=True),
            "int": at.hit("int"),
            "tail": beat.tail,
            "tail_there": beat.tail_there,
        }

    def _tags(self, at):
        return Mux(self.walked.beat.first, 0, self.tags) + sum(at.hits("vlan"))

    def _layers(self, at, alive):
        ends = {name: at.hit(name, last=True) & alive for name in ("udp", "tcp", "base")}
        ends |= {name: at.hit(name, last=True) for name in ("eth", "addr", "imm", "ack", "int")}
        return {
            **ends,
            "ip": at.hit("ip4", last=True) | at.hit("ip6", last=True),
            "ports": ends["udp"] | ends["tcp"],
            "six": at.hit("ip6", 0),
            "base_opened": at.hit("base", 0) & alive,
        }

    def _findings(self, at):
        walked, room, leads = self.walked, self.room, self.walked.state.learnt.next
        reached = walked.chain_end & room.payload
        no_room = reached & (leads.udp & ~room.udp | leads.tcp & ~room.tcp)
        third = at.hits("vlan")[-1] & at.hints[-1].vlan
        if len(at.words) == 1:
            third &= self.tags == VLAN_LIMIT - 1
        openings = self._openings(at)
        bad = openings["bad_version"] | openings["bad_ihl"]
        return {
            "depth": third,
            **openings,
            "extensions": walked.pending.header.ext | at.hit("ext"),
            "reached": reached,
            "no_room": no_room,
            "halted": bad | no_room | walked.chain_end & ~room.payload,
            **self._options(at),
        }

    def _openings(self, at):
        """What the first words of IP headers tell."""
        bad_version, bad_ihl, segments_left = [], [], []
        for lane in at.lanes:
            version, hints = at.words[lane][28:], at.hints[lane]
            four, six = at.hits("ip4", 0)[lane], at.hits("ip6", 0)[lane]
            bad_version.append(four & (version != 4) | six & ~hints.six)
            bad_ihl.append(four & (version == 4) & ~hints.four)
            routing = at.hits("ext", 0)[lane] & at.labels[lane].kind.routing
            segments_left.append(routing & hints.last_octet)
        return {
            "bad_version": Cat(*bad_version).any(),
            "bad_ihl": Cat(*bad_ihl).any(),
            "segments_left": Cat(*segments_left).any(),
        }

    def _options(self, at):
        """Options that say where the packet is really going, found by their type's value."""
        routes, homes = [], []
        for lane in at.lanes:
            label, hints = at.labels[lane], at.hints[lane]
            routes.append(at.hits("ip4")[lane] & (label.index >= 5) & hints.route)
            home = Mux(label.opens, hints.home_behind, hints.home)
            homes.append(at.hits("ext")[lane] & label.kind.destination & home)
        return {"source_route": Cat(*routes).any(), "home_address": Cat(*homes).any()}
