"""The two entries that the engine has in its hands: one being moved, one without a slot."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FlowEntries"]


class FlowEntries(wiring.Component):
    """The *hand*, what was read last, and the *stash*, a key that is present without a slot.

    Every new key is in the stash first, where lookups see it, until it has a slot; if none can be
    made free, it stays there.

    Parameters
    ----------
    layouts : FlowLayouts
        Of the table.
    index_bits : int
        Bits of f and g.

    Members
    -------
    read : In(1)
        The memories are being read for the hand; ``loaded`` is high when the data are there.
    read_entry : In(entry)
        From the memories, 2 cycles after ``read``.
    loaded : Out(1)
        The hand has what was read from the next cycle on.
    arrive : In(1)
        ``key``, ``f``, ``g`` come into the stash, not yet present.
    begin : In(1)
        It is present from now on, with ``handle``.
    leave : In(1)
        The stash is empty from now on.  What was in it can still be seen.
    change : In(1)
        ``action`` is that of the entry that is ``chosen``.
    use_stash : In(1)
        ``chosen`` is the stash, not the hand.
    erase : In(1)
        ``written`` is an empty slot.
    stash, chosen, written : Out
        The stash with ``valid``, ``entry``, ``f``, ``g``; the entry that is chosen; that entry as it
        is written.
    """

    def __init__(self, *, layouts, index_bits):
        entry = layouts.entry
        self._entry = entry
        super().__init__(
            {
                "read": In(1),
                "read_entry": In(entry),
                "loaded": Out(1),
                "arrive": In(1),
                "key": In(layouts.key),
                "f": In(index_bits),
                "g": In(index_bits),
                "begin": In(1),
                "handle": In(layouts.handle),
                "leave": In(1),
                "change": In(1),
                "action": In(entry["action"].shape),
                "use_stash": In(1),
                "erase": In(1),
                "stash": Out(data.StructLayout({"valid": 1, "entry": entry})),
                "stash_f": Out(index_bits),
                "stash_g": Out(index_bits),
                "chosen": Out(entry),
                "written": Out(entry),
            }
        )

    def elaborate(self, platform):
        m = Module()
        hand, stash = Signal(self._entry), self.stash.entry
        under_way = Signal()
        m.d.sync += [under_way.eq(self.read), self.loaded.eq(under_way)]
        with m.If(self.loaded):
            m.d.sync += hand.eq(self.read_entry)
        with m.If(self.arrive):
            m.d.sync += [stash.key.eq(self.key), self.stash_f.eq(self.f), self.stash_g.eq(self.g)]
        with m.If(self.change & ~self.use_stash):
            m.d.sync += hand.action.eq(self.action)
        with m.If(self.change & self.use_stash):
            m.d.sync += stash.action.eq(self.action)
        with m.If(self.begin):
            m.d.sync += [self.stash.valid.eq(1), stash.handle.eq(self.handle)]
        with m.If(self.leave):
            m.d.sync += self.stash.valid.eq(0)
        m.d.comb += [
            Value.cast(self.chosen).eq(
                Mux(self.use_stash, Value.cast(stash), Value.cast(hand))
            ),
            self.written.eq(self.chosen),
        ]
        with m.If(self.erase):
            m.d.comb += self.written.key.kind.eq(0)
        return m
