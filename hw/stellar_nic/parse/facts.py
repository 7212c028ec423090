"""Stage 3 of the parser: what has been found out about the frame so far."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import LENGTH_MAX, TPIDS, VLAN_LIMIT, IPv4Option, IPv6Option, Protocol

from .labelled import LabelledWords
from .labels import LabelLayout
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
    o_valid, events, facts, pending, tags, port, length, kept : Out
        One cycle later: what the beat brought, what the frame has shown, where the walk is, and
        the bytes up to this beat and of it.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "o_valid": Out(1),
                "events": Out(EventsLayout),
                "facts": Out(FactsLayout),
                "pending": Out(LabelLayout),
                "tags": Out(2),
                "port": Out(1),
                "length": Out(17),
                "kept": Out(4),
            }
        )

    def elaborate(self, platform):
        m = Module()
        walked, beat = self.walked, self.walked.beat
        at = LabelledWords(m, self.valid, walked.words, walked.labels)
        events = {
            "first": beat.first,
            "last": beat.packet.last,
            "error": beat.packet.error & beat.packet.last,
            "ended": walked.pending.header.rest & ~walked.began_at_rest,
            "udp": at.hit("udp", last=True),
            "base_opened": at.hit("base", 0),
            "base": at.hit("base", last=True),
            "int": at.hit("int"),
            "tail": beat.tail,
            "tail_there": beat.tail_there,
        }
        m.d.sync += self.o_valid.eq(self.valid)
        with m.If(self.valid):
            m.d.sync += [self.events[name].eq(value) for name, value in events.items()]
            m.d.sync += [
                self.pending.eq(walked.pending),
                self.tags.eq(walked.state.tags),
                self.port.eq(walked.state.port),
            ]
            for name, hit in {**self._layers(at), **self._findings(at)}.items():
                m.d.sync += self.facts[name].eq(self.facts[name] & ~beat.first | hit)
            length, kept = Signal(18), sum(beat.packet.keep)
            with m.If(beat.first):
                m.d.comb += length.eq(kept)
            with m.Else():
                m.d.comb += length.eq(self.length + kept)
            m.d.sync += [self.length.eq(length), self.kept.eq(kept)]
            with m.If(length > LENGTH_MAX):
                m.d.sync += self.length.eq(LENGTH_MAX)
        return m

    def _layers(self, at):
        ends = {name: at.hit(name, last=True) for name in ("udp", "tcp", "base")}
        ends |= {name: at.hit(name, last=True) for name in ("eth", "addr", "imm", "ack", "int")}
        return {
            **ends,
            "ip": at.hit("ip4", last=True) | at.hit("ip6", last=True),
            "six": at.hit("ip6", 0),
            "base_opened": at.hit("base", 0),
        }

    def _findings(self, at):
        walked, room, state = self.walked, self.walked.room, self.walked.state
        stop = room.short | room.over
        opens = at.hit("ext", 0)
        reached = walked.chain_end & ~stop
        no_room = (state.next.udp & ~room.udp | state.next.tcp & ~room.tcp) & ~state.later
        last = at.lanes[-1]
        third = Cat(*(at.words[last][:16] == tpid for tpid in TPIDS)).any()
        return {
            "depth": at.hits("vlan")[last] & (state.tags == VLAN_LIMIT) & third,
            **self._openings(at),
            "extensions": walked.pending.header.ext | at.hit("ext"),
            "short": room.short & (opens | at.hit("ip4", last=True)),
            "over": room.over & opens,
            "reached": reached,
            "no_room": reached & no_room,
            **self._options(at),
        }

    def _openings(self, at):
        """What the first words of IP headers tell."""
        bad_version, bad_ihl, jumbogram, segments_left = [], [], [], []
        for lane in at.lanes:
            word = at.words[lane]
            four, six = at.hits("ip4", 0)[lane], at.hits("ip6", 0)[lane]
            bad_version.append(four & (word[28:] != 4) | six & (word[28:] != 6))
            bad_ihl.append(four & (word[28:] == 4) & (word[24:28] < 5))
            alone = (word[16:] == 0) & (word[8:16] == Protocol.HOP_BY_HOP)
            jumbogram.append(at.hits("ip6", 1)[lane] & alone)
            routing = at.hits("ext", 0)[lane] & at.labels[lane].kind.routing
            segments_left.append(routing & word[:8].any())
        return {
            "bad_version": Cat(*bad_version).any(),
            "bad_ihl": Cat(*bad_ihl).any(),
            "jumbogram": Cat(*jumbogram).any(),
            "segments_left": Cat(*segments_left).any(),
        }

    def _options(self, at):
        """Options that say where the packet is really going, found by their type's value."""
        routes, homes = [], []
        for lane in at.lanes:
            label = at.labels[lane]
            octets = [at.words[lane].word_select(k, 8) for k in range(4)]
            route = Cat(*(octet == option for octet in octets for option in IPv4Option)).any()
            routes.append(at.hits("ip4")[lane] & (label.index >= 5) & route)
            home = [octet == IPv6Option.HOME_ADDRESS for octet in octets]
            found = Cat(*home[:2]).any() | Cat(*home[2:]).any() & (label.index != 0)
            homes.append(at.hits("ext")[lane] & label.kind.destination & found)
        return {"source_route": Cat(*routes).any(), "home_address": Cat(*homes).any()}
