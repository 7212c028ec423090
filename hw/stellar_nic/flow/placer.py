"""Brings a key from the stash to a slot, moving others out of its way."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .search import FlowSearch

__all__ = ["FlowPlacer"]


class FlowPlacer(wiring.Component):
    """Searches, then moves: from the free slot back to the new key's, copying before overwriting.

    So a search that fails has changed nothing, and every key is in at least one place at any time:
    a key is in its old and its new slot until another one overwrites the old, and the new key is in
    the stash until the cycle in which it is in its slot.

    Parameters
    ----------
    tables, index_bits, expansions, technology
        As in :class:`FlowSearch`.

    Members
    -------
    start : In(1)
        Begins; ``f`` and ``g`` are those of the key in the stash, until ``done``.
    done : Out(1)
        High for a cycle: ``placed`` tells whether the key is in a slot.
    access : Out(struct)
        To the table's memories: ``wanted`` until ``granted``; ``read``, ``write``, ``slot``.
    granted : In(1)
        It is carried out in this cycle.
    loaded : In(1)
        What was read is in the engine's hand from the next cycle on.
    from_stash : Out(1)
        What is written is the key in the stash, not that in the hand; with the ``granted`` that
        follows the stash is empty.
    vacated : In(1)
        ``slot`` is free from now on.  Not between ``start`` and ``done``.
    slot : In(struct)
        A slot.
    """

    def __init__(self, *, tables, index_bits, expansions, technology="generic"):
        self._search = FlowSearch(
            tables=tables, index_bits=index_bits, expansions=expansions, technology=technology
        )
        signature = self._search.signature.members
        self._slot = signature["free"].shape
        super().__init__(
            {
                "start": In(1),
                "f": In(index_bits),
                "g": In(index_bits),
                "done": Out(1),
                "placed": Out(1),
                "access": Out(
                    data.StructLayout({"wanted": 1, "read": 1, "write": 1, "slot": self._slot})
                ),
                "granted": In(1),
                "loaded": In(1),
                "from_stash": Out(1),
                "vacated": In(1),
                "slot": In(self._slot),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.search = search = self._search
        target = Signal(self._slot)  # where the next key is written
        step = Signal.like(search.step)  # and how it comes
        wait = Signal(1)
        m.d.comb += [search.f.eq(self.f), search.g.eq(self.g), search.node.eq(step.node)]
        self._paint(m, search, target, step)
        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.start):
                    m.d.comb += search.start.eq(1)
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                m.d.sync += [target.eq(search.free), step.eq(search.step), wait.eq(0)]
                m.d.sync += self.placed.eq(search.found)
                with m.If(search.done):
                    m.next = "DONE"
                    with m.If(search.found):
                        m.next = "STEP"
            with m.State("STEP"):  # the node comes from the queue
                m.d.sync += wait.eq(wait + 1)
                with m.If(step.root):
                    m.next = "ARRIVE"
                with m.Elif(wait == 1):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += [
                    self.access.wanted.eq(1),
                    self.access.read.eq(1),
                    self.access.slot.eq(search.at.slot),
                ]
                with m.If(self.granted):
                    m.next = "LOAD"
            with m.State("LOAD"):
                with m.If(self.loaded):
                    m.next = "COPY"
            with m.State("COPY"):
                m.d.comb += [self.access.wanted.eq(1), self.access.write.eq(1)]
                m.d.comb += self.access.slot.eq(target)
                m.d.sync += wait.eq(0)
                with m.If(self.granted):
                    m.d.sync += [target.eq(search.at.slot), step.eq(search.at.step)]
                    m.next = "STEP"
            with m.State("ARRIVE"):
                m.d.comb += [self.access.wanted.eq(1), self.access.write.eq(1)]
                m.d.comb += [self.access.slot.eq(target), self.from_stash.eq(1)]
                with m.If(self.granted):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return m

    def _paint(self, m, search, target, step):
        """Keeps the search's picture of the table up to date."""
        arrives = self.access.write & self.granted
        picture = search.picture
        m.d.comb += [
            picture.write.eq(arrives | self.vacated),
            picture.taken.eq(arrives),
            picture.slot.eq(Mux(arrives, target, self.slot)),
            picture.g.eq(Mux(self.from_stash, self.g, search.at.g)),
        ]
