"""The naive model of a queue: a count, and one item whose place is known.

The solver marks one item at the input: any one, in any run.  The model counts how many are ahead of
it.  When they have left, what leaves next must be the marked item.  Since it may be any item, this
holds for all: the n-th that leaves is the n-th that came, so nothing is lost, doubled, changed or
overtaken.
"""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MarkedItem"]


class MarkedItem(wiring.Component):
    """Model of a queue of items.

    Parameters
    ----------
    width : int
        Bits of an item.
    capacity : int
        The most items that may be inside.
    batch : int
        The most items that may enter or leave in a cycle.

    Members
    -------
    push, items : In
        How many items enter in this cycle, and which; the first ones of ``items``.
    pop : In
        How many leave.
    mark, choice : In
        Free: mark the item ``items[choice]``, if it enters and none is marked.
    inside : Out
        Items inside, before this cycle.
    leaves, lane, kept : Out
        The marked item is the one of those that leave in this cycle with the number ``lane``;
        it is ``kept``.
    overflow : Out(1)
        More items enter than ``capacity`` allows, or more leave than are inside.
    """

    def __init__(self, *, width, capacity, batch=1):
        self._capacity = capacity
        super().__init__(
            {
                "push": In(range(batch + 1)),
                "items": In(width).array(batch),
                "pop": In(range(batch + 1)),
                "mark": In(1),
                "choice": In(range(max(2, batch))),
                "inside": Out(range(capacity + 1)),
                "leaves": Out(1),
                "lane": Out(range(capacity + 1)),
                "kept": Out(width),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        marked = Signal()
        m.d.comb += [
            self.leaves.eq(marked & (self.lane < self.pop)),
            self.overflow.eq(
                (self.pop > self.inside) | (self.inside + self.push - self.pop > self._capacity)
            ),
        ]
        m.d.sync += self.inside.eq(self.inside + self.push - self.pop)
        with m.If(marked):
            m.d.sync += self.lane.eq(self.lane - self.pop)
            with m.If(self.leaves):
                m.d.sync += marked.eq(0)
        with m.Elif(self.mark & (self.choice < self.push)):
            m.d.sync += [
                marked.eq(1),
                self.kept.eq(Array(self.items)[self.choice]),
                self.lane.eq(self.inside + self.choice - self.pop),
            ]
        return m

    @classmethod
    def put(cls, top, **parameters):
        """Adds a model to ``top``, with free marks; asserts that it does not overflow."""
        top.m.submodules.model = model = cls(**parameters)
        top.m.d.comb += [
            model.mark.eq(top.free(1, "mark")),
            model.choice.eq(top.free(len(model.choice), "choice")),
        ]
        top.prove(~model.overflow, "never more inside than there is room, nor out than came in")
        return model
