"""Broken flow tables, of which each must be found out by the proof of its lookups."""

from amaranth.hdl import Signal

from stellar_nic.flow.lookup import AFTER_READ

from ..proof import Twin
from .flow_parts import is_in

__all__ = ["TWINS"]


def _when(m, s, *states):
    return m.If(is_in(s.fsm_state, *states))


def _source_first(m, s):
    with _when(m, s, "READ"):  # what is in the hand is from before
        m.d.comb += s.access[1:3].eq(0b11)


def _stash_early(m, s):
    with _when(m, s, "PLACING"):
        m.d.sync += s.leave.eq(1)


def _compared_late(m, s):
    before = Signal(name="stash_valid_before")
    m.d.sync += [before.eq(s.stash_valid), s.stash_both.eq(s.stash_equal.all() & before)]


def _not_erased(m, s):
    with _when(m, s, "ERASE"):
        m.d.sync += s.erase.eq(0)


def _not_painted(m, s):
    with m.If(s.vacated):
        m.d.comb += s.picture[0].eq(0)


def _not_drained(m, s):
    with _when(m, s, "RETIRE"):
        m.d.sync += s.drain.eq(AFTER_READ + 1)


def _written_anyway(m, s):
    m.d.comb += s.free.eq(1)


def _not_again(m, s):
    with _when(m, s, "LOOKED"):
        m.d.sync += s._again.eq(0)


def _always_found(m, s):
    with _when(m, s, "SETTLE"), m.If(s.wait == 3):
        m.d.sync += s.found.eq(1)


def _follows_always(m, s):
    with _when(m, s, "IDLE"):
        m.d.comb += s.follow.eq(1)


TWINS = (
    Twin("a key is overwritten before it is copied", _source_first, at="engine.placer"),
    Twin("the stash is left before its key is in a slot", _stash_early, at="engine"),
    Twin("the stash's valid is compared a cycle late", _compared_late, at="lookup"),
    Twin("an erased slot is not written", _not_erased, at="engine"),
    Twin("an erased slot stays in the search's picture", _not_painted, at="engine.placer"),
    Twin("lookups under way are not waited for", _not_drained, at="engine"),
    Twin("a write takes a lookup's cycle", _written_anyway, at="lookup"),
    Twin("a second key comes into the stash", _not_again, at="engine"),
    Twin("keys move though no slot is free", _always_found, at="engine.placer.search"),
    Twin("the stash follows while a key is in it", _follows_always, at="engine"),
)
"""Each breaks one rule that keys in motion hang on."""
