"""The faults of the flow table's stand-in, and the pipeline of its results with some of them."""

import enum

from amaranth.hdl import Mux, Signal

__all__ = ["LATENCY", "Break", "pipeline"]

LATENCY = 3


class Break(enum.IntEnum):
    NONE = 0
    # of lookups, by their number
    LATE_RESULT = 1  # one result comes a cycle later
    NO_RESULT = 2
    EXTRA_RESULT = 3
    UNCLEAN = 4  # a miss whose payload is not 0
    GHOST = 5  # absent keys hit
    READY = 6  # ready is low one cycle in eight, whatever came in front of it
    SLOW_READY = 7  # the same from the first request on
    # of commands, by their number, and from there on
    WRONG_ACTION = 8  # lookups show the action with a bit changed
    WRONG_HANDLE = 9
    MISSED = 10  # no lookup hits while an UPDATE is under way
    LATE_DELETE = 11  # DELETE is answered before the lookups under way are through
    EARLY_INSERT = 12  # nothing hits for 20 cycles behind the insertion of a key
    SWALLOW = 13  # a command without an answer
    DOUBLE = 14  # an answer given twice
    CHANGE = 15  # an answer changes while it waits
    WITHDRAW = 16
    HANG = 17
    # what only the model can tell
    FULL = 18  # says so with room left
    NOT_FULL = 19  # OK where there is no room
    STATUS = 20  # UPDATE of an absent key is OK
    COUNT = 21  # a byte too many for each packet
    LOST = 22  # packets are not counted
    OLD_GENERATION = 23  # stale packets are counted
    SAME_GENERATION = 24  # a number is given out again as it was
    OLD_ACTION = 25  # UPDATE changes nothing
    CLEAR = 26  # does not clear
    # of ageing
    AGED_SILENTLY = 27
    AGED_EARLY = 28
    HASTY = 30  # a command is taken before its answer is
    FLICKER = 29  # keys are missed while nothing happens to them
    STASHED = 31  # says that a key is in the stash, whatever happens


def pipeline(m, port, broken, transfer, result, at, after):
    """``result`` of a ``transfer`` at ``port``, ``LATENCY`` cycles later.

    ``at``, ``after``: this is the lookup that a fault hits, or it or a later one.
    """
    late = broken[Break.LATE_RESULT] & at & transfer
    kept, held = Signal(), Signal.like(result.as_value())
    m.d.sync += [kept.eq(late), held.eq(result)]
    lost, extra = broken[Break.NO_RESULT] & at, broken[Break.EXTRA_RESULT] & after & ~transfer
    valid = (((transfer & ~lost) | extra) & ~late) | kept
    payload = Mux(kept, held, result.as_value())
    for stage in range(LATENCY):
        register, flag = Signal.like(held, name=f"payload_{stage}"), Signal(name=f"valid_{stage}")
        m.d.sync += [register.eq(payload), flag.eq(valid)]
        valid, payload = flag, register
    m.d.comb += [port.valid.eq(valid), port.payload.as_value().eq(payload)]
