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
    tables, index_bits : int
        Tables, and bits of f and g.

    Members
    -------
    read : In(tables // 2)
        A pair of tables is being read for the hand; ``loaded`` is high when the data are there.
    read_entries : In(entry) for each pair
        From the memories, 2 cycles after ``read``.
    loaded : Out(1)
        The hand has what was read from the next cycle on.
    follow : In(1)
        ``key``, ``f``, ``g`` come into the stash, not yet present.
    begin : In(1)
        It is present from now on, with ``handle``.
    leave : In(1)
        The stash is empty from now on.  What was in it can still be seen.
    change : In(1)
        ``action`` is that of the key in the stash from now on.
    replace : In(1)
        ``chosen`` has ``action`` in place of its own.
    use_stash : In(1)
        ``chosen`` is the stash, not the hand.
    erase : In(1)
        ``written`` is an empty slot.
    stash, chosen, written : Out
        The stash with ``valid`` and ``entry``; the entry that is chosen; that entry as it is
        written.
    stash_f, stash_g : Out
        Of the key in the stash.
    """

    def __init__(self, *, layouts, tables, index_bits):
        entry = layouts.entry
        self._entry, self._pairs = entry, tables // 2
        super().__init__(
            {
                "read": In(tables // 2),
                "read_entries": In(entry).array(tables // 2),
                "loaded": Out(1),
                "follow": In(1),
                "key": In(layouts.key),
                "f": In(index_bits),
                "g": In(index_bits),
                "begin": In(1),
                "handle": In(layouts.handle),
                "leave": In(1),
                "change": In(1),
                "replace": In(1),
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
        hand, stash = self._hand(m), Signal(self._entry, reset_less=True)
        m.d.comb += self.stash.entry.eq(stash)
        with m.If(self.follow):
            m.d.sync += [stash.key.eq(self.key), self.stash_f.eq(self.f), self.stash_g.eq(self.g)]
        with m.If(self.change):
            m.d.sync += stash.action.eq(self.action)
        with m.If(self.begin):
            m.d.sync += [self.stash.valid.eq(1), stash.handle.eq(self.handle)]
        with m.If(self.leave):
            m.d.sync += self.stash.valid.eq(0)
        m.d.comb += [
            Value.cast(self.chosen).eq(Mux(self.use_stash, Value.cast(stash), hand)),
            self.written.eq(self.chosen),
        ]
        with m.If(self.replace):
            m.d.comb += self.chosen.action.eq(self.action)
        with m.If(self.erase):
            m.d.comb += self.written.key.kind.eq(0)
        return m

    def _hand(self, m):
        """What was read last: a register for each pair of tables, all but one of them zero.

        A register is reset without a gate in front of it; a multiplexer would have many.
        """
        under_way = Signal(self._pairs)
        arrived = Signal(self._pairs)
        m.d.sync += [under_way.eq(self.read), arrived.eq(under_way)]
        # For the engine alone: what loads the registers goes to hundreds of flip-flops.
        m.d.sync += self.loaded.eq(under_way.any())
        load = arrived.any()
        union = 0
        for pair in range(self._pairs):
            register = Signal(self._entry, name=f"hand_{pair}", reset_less=True)
            with m.If(load & ~arrived[pair]):
                m.d.sync += register.eq(0)
            with m.Elif(load):
                m.d.sync += register.eq(self.read_entries[pair])
            union = union | Value.cast(register)
        return union
