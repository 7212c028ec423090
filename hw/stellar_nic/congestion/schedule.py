# Ref: ITU-T I.371, the generic cell rate algorithm as virtual scheduling
"""The meter's loop of one cycle: a flow's state goes from packet to packet.

A packet passes three stages.  At MEET it has its time and what the memory knows of its flow.  At
LOOK the packet in front of it is at JUDGE, and this one is compared with all that may become of
their flow: the due time stays, begins anew, or moves on.  So in a cycle there is a comparison and a
choice of one bit, or an addition and a choice, but never a comparison and then a choice of a time.
"""

from functools import reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

from amaranth.hdl import Mux, Signal, Value
from amaranth.lib import data

from stellar_spec.congestion import TIME

from ..memory import OutputRAM
from .delay import delayed

__all__ = ["DECISION", "VirtualSchedule"]

DECISION = data.StructLayout({"conforms": 1, "departure": TIME.width})
"""``conforms``: the packet is within the rate; ``departure``: from when on it is."""
STATE = data.StructLayout({"due": TIME.width, "live": 1})
READ = 3
"""Cycles from the state's address to MEET: its word comes two later, and is chosen in one."""
LOOK, JUDGE, WRITE, TOLD = 1, 2, 3, 4
"""Cycles from MEET to the stages behind it, and to the decision at the port."""
FORWARDED = range(WRITE + 1, WRITE + READ + 1)
"""How far in front a packet may be whose result comes beside the memory's word: what it has written
when the address is given is in the word.  Three that are nearer are looked at from MEET on."""


class _Compared(NamedTuple):
    """A due time beside a packet: it is over; it is near enough for the packet to conform."""

    over: Value
    within: Value


class _After(NamedTuple):
    """For each state that the packet at LOOK may find: that of the packet in front, unless it moves
    on or begins anew; else that of the packet before that, or what was known at MEET."""

    kept: Value
    moved: Value
    anew: Value
    newest: Value
    known: Value


class _Times(NamedTuple):
    """Of the packet at MEET, then of that at LOOK: ``now_less`` and ``limit_less`` by the time that
    the packet in front takes, ``fresh`` is its due time if it begins anew."""

    now: Value
    limit: Value
    now_look: Value
    limit_look: Value
    now_less: Value
    limit_less: Value
    step_look: Value
    fresh_look: Value


class _Front:
    """Registers of the packet at JUDGE, and what becomes of its flow's state."""

    def __init__(self, m, stage):
        times = ("due", "fresh", "step", "now")
        self.due, self.fresh, self.step, self.now = (
            Signal(TIME.width, name=f"{name}_judge", reset_less=True) for name in times
        )
        self.live = Signal(name="live_judge", reset_less=True)
        self.over = Signal(name="over_judge", reset_less=True)
        self.within = Signal(name="within_judge", reset_less=True)
        self.begins = stage["packet"] & self.over
        self.moves = stage["packet"] & self.within & ~self.over
        self.still_live = self.live & ~(stage["sweep"] & self.over)
        self.result = Signal(STATE, name="result")
        unmoved = Mux(self.begins, self.fresh, self.due)
        m.d.comb += [
            self.result.due.eq(Mux(self.moves, self.due + self.step, unmoved)),
            self.result.live.eq(self.begins | self.moves | self.still_live),
        ]


class VirtualSchedule:
    """Memory and loop of a meter.

    Parameters
    ----------
    flows, technology
        As of the meter.
    meet : int
        Cycles from a packet's request to its MEET.
    """

    def __init__(self, *, flows: int, technology: str, meet: int):
        self._flows, self._technology, self._meet = flows, technology, meet
        self.latency = meet + TOLD
        """Cycles from a request to its decision."""
        self.stages = meet + FORWARDED.stop - 1
        """Cycles for which a packet is followed, that of its request among them."""

    def add(self, m, at, time, now, burst):
        """Adds them to ``m``; returns whether there is a decision, and the decision.

        ``at`` tells what is at each stage (``packet``, ``sweep``, ``flow``), ``time`` what the
        packet at MEET takes; ``now`` and ``burst`` count for what is at MEET in the next cycle.
        """
        front = _Front(m, at[self._meet + JUDGE])
        # What became of the flows of the packets that have been judged, the last one first.
        behind = [Signal(STATE, name=f"state_{n}", reset_less=True) for n in range(len(FORWARDED))]
        m.d.sync += behind[0].eq(front.result)
        m.d.sync += [later.eq(before) for before, later in pairwise(behind)]
        known = self._known(m, at, behind)
        self._look(m, at, front, known, behind[0], _times(m, time, now, burst))
        return self._tell(m, at[self._meet + JUDGE]["packet"], front, burst)

    def _same(self, m, at, stage, distance):
        """Register for ``stage``: whether what is so far in front of it is of the same flow."""
        same = Signal(name=f"same_{distance}")
        here, ahead = at[stage - 1], at[stage - 1 + distance]
        there = ahead["packet"] | ahead["sweep"]
        m.d.sync += same.eq(there & (ahead["flow"] == here["flow"]))
        return same

    def _known(self, m, at, behind):
        """The state of the flow at MEET, but for what the three packets in front do to it."""
        m.submodules.states = states = OutputRAM(
            width=STATE.size, depth=self._flows, technology=self._technology
        )
        last = at[self._meet + WRITE]
        m.d.comb += [
            states.read_address.eq(at[self._meet - READ]["flow"]),
            states.write_enable.eq(last["packet"] | last["sweep"]),
            states.write_address.eq(last["flow"]),
            states.write_data.eq(behind[0].as_value()),
        ]
        given = Signal(STATE, reset_less=True)
        m.d.sync += given.eq(data.View(STATE, states.read_data))
        for distance, state in reversed([*zip(FORWARDED, behind, strict=True)]):
            with m.If(self._same(m, at, self._meet - 1, distance)):
                m.d.sync += given.eq(state)
        return given

    def _look(self, m, at, front, known, behind, times):
        """What is at LOOK comes to JUDGE, compared with all that its flow's state may be there."""
        first = self._same(m, at, self._meet + LOOK, 1)
        second = self._same(m, at, self._meet + LOOK, 2)
        state, known = self._meeting(m, at, known, behind, times)
        alone = data.View(STATE, Mux(second, behind, state))
        newest = _compared(times.now_look, times.limit_look, behind.due, live=behind.live)
        # Behind a packet of the same flow, for each of the things that this may do.
        kept = _compared(times.now_look, times.limit_look, front.due, live=front.live)
        moved = _compared(times.now_less, times.limit_less, front.due)
        anew = _registered(m, _compared(times.now, times.limit, times.fresh_look), "anew")
        # Gates in place of a choice behind a choice: what is compared here comes late.
        uses = _After(
            kept=first & ~front.begins & ~front.moves,
            moved=first & front.moves,
            anew=first & front.begins,
            newest=~first & second,
            known=~first & ~second,
        )
        over, within = (
            reduce(or_, (use & bit for use, bit in zip(uses, bits, strict=True)))
            for bits in zip(kept, moved, anew, newest, known, strict=True)
        )
        m.d.sync += [
            front.due.eq(Mux(first, front.result.due, alone.due)),
            front.live.eq(Mux(first, front.result.live, alone.live)),
            front.over.eq(over),
            front.within.eq(within),
            front.now.eq(times.now_look),
            front.fresh.eq(times.fresh_look),
            front.step.eq(times.step_look),
        ]

    def _meeting(self, m, at, known, behind, times):
        """State and comparison of what was at MEET, registered, but for two packets in front."""
        third = self._same(m, at, self._meet, WRITE)
        state = Signal(STATE, name="known_look", reset_less=True)
        m.d.sync += state.eq(Mux(third, behind, known))
        # Both are compared before one is taken: each comes late in its cycle.
        both = (
            _compared(times.now, times.limit, source.due, live=source.live)
            for source in (behind, known)
        )
        chosen = _Compared(*(Mux(third, *pair) for pair in zip(*both, strict=True)))
        return state, _registered(m, chosen, "known")

    def _tell(self, m, packet, front, burst):
        """The decision, and from when on the packet would conform."""
        valid = Signal(name="decided")
        yes = Signal(name="yes")
        since = Signal(TIME.width, name="since", reset_less=True)
        moment = Signal(TIME.width, name="moment", reset_less=True)
        told = Signal(name="told")
        decision = Signal(DECISION, name="decision", reset_less=True)
        burst_then = delayed(m, burst, TOLD, "burst_then")
        m.d.sync += [
            yes.eq(front.over | front.within),
            since.eq(front.due),
            moment.eq(front.now),
            valid.eq(packet),
            told.eq(valid),
            decision.conforms.eq(yes),
            decision.departure.eq(Mux(yes, moment, since - burst_then)),
        ]
        return told, decision


def _times(m, time, now, burst):
    found = {name: Signal(TIME.width, name=name, reset_less=True) for name in _Times._fields}
    t = _Times(**found)
    m.d.sync += [
        t.now.eq(now),
        t.limit.eq(now + burst),
        t.now_look.eq(t.now),
        t.limit_look.eq(t.limit),
        t.now_less.eq(t.now - t.step_look),
        t.limit_less.eq(t.limit - t.step_look),
        t.step_look.eq(time),
        t.fresh_look.eq(t.now + time),
    ]
    return t


def _compared(now, limit, due, *, live=None):
    """Times are compared modulo 2^48: the difference's sign tells which is later."""
    return _Compared(
        ~(now - due)[TIME.width - 1] | (0 if live is None else ~live),
        ~(limit - due)[TIME.width - 1],
    )


def _registered(m, compared, name):
    over = Signal(name=f"{name}_over", reset_less=True)
    within = Signal(name=f"{name}_within", reset_less=True)
    m.d.sync += [over.eq(compared.over), within.eq(compared.within)]
    return _Compared(over, within)
