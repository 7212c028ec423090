# Ref: Fotakis, Pagh, Sanders, Spirakis: "Space Efficient Hash Tables with Worst Case Constant
#      Access Time", 2005 (breadth-first search for an augmenting path)
"""Finds a free slot and the moves that make it the one that is wanted."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..memory import OutputRAM
from .hash import times

__all__ = ["FlowSearch"]


class FlowSearch(wiring.Component):
    """Breadth-first search from the slots of a new key, in a picture of the table of its own.

    The picture has, for each slot, whether it is taken, and g of the key in it: with the slot's
    own place that gives the places that the key could have in the other tables.  So the search
    takes no cycle from lookups, and changes nothing.

    A *node* is a taken slot that has been looked at.  Its key could move to the slots that were
    looked at from it.  The first free slot that is found is one that the fewest moves lead to, so
    no slot is on the way to it twice.

    Parameters
    ----------
    tables, index_bits : int
        Shape of the table.
    expansions : int
        Nodes from which the search goes on, at most; a power of two.
    technology : str
        Passed to the memories.

    Members
    -------
    start : In(1)
        Begins a search, with ``f`` and ``g`` of the new key, which stay until ``done``.
    done : Out(1)
        High for a cycle: ``found``, and if so ``free``, a slot, and ``step``, how its key comes.
    step : Out(struct)
        ``root``: the new key itself goes to the slot.  Else the key of ``node`` moves there.
    node : In
        A node's number.
    at : Out(struct)
        Two cycles later, while no search runs: its ``slot``, ``g`` of the key in it, and ``step``,
        how another key comes to that slot.
    picture : In(struct)
        ``write``: ``slot`` is from now on ``taken`` by a key with ``g``, or not.  Not while a
        search runs.

    Timing
    ------
    A search takes at most ``tables + 6 + expansions * (tables + 6)`` cycles.
    Reset: the picture keeps what it holds; the table empties it.
    """

    def __init__(self, *, tables, index_bits, expansions, technology="generic"):
        self._tables, self._bits, self._technology = tables, index_bits, technology
        self._expansions = expansions
        number = (expansions - 1).bit_length()
        self._slot = data.StructLayout({"index": index_bits, "table": (tables - 1).bit_length()})
        self._step = data.StructLayout({"node": number, "root": 1})
        self._node = data.StructLayout({"slot": self._slot, "g": index_bits, "step": self._step})
        super().__init__(
            {
                "start": In(1),
                "f": In(index_bits),
                "g": In(index_bits),
                "done": Out(1),
                "found": Out(1),
                "free": Out(self._slot),
                "step": Out(self._step),
                "node": In(number),
                "at": Out(self._node),
                "picture": In(
                    data.StructLayout({"write": 1, "slot": self._slot, "taken": 1, "g": index_bits})
                ),
            }
        )

    def elaborate(self, platform):
        m = Module()
        queue, picture = self._rams(m)
        self._look(m, picture, queue)
        self._run(m, queue)
        return m

    def _rams(self, m):
        m.submodules.queue = queue = OutputRAM(
            width=self._node.size, depth=self._expansions, technology=self._technology
        )
        m.submodules.picture = picture = OutputRAM(
            width=1 + self._bits, depth=1 << self._slot.size, technology=self._technology
        )
        # What to paint is known late in a cycle, and the memory may be far away.
        paint = Signal.like(self.picture, name="paint")
        m.d.sync += paint.eq(self.picture)
        m.d.comb += [
            picture.write_enable.eq(paint.write),
            picture.write_address.eq(Value.cast(paint.slot)),
            picture.write_data.eq(Cat(paint.taken, paint.g)),
            Value.cast(self.at).eq(queue.read_data),
        ]
        return queue, picture

    def _look(self, m, picture, queue):
        """A slot a cycle: is it free? If not, it becomes a node, if there is room for one."""
        look = data.StructLayout({"valid": 1, "slot": self._slot, "step": self._step})
        self._looks = looks = [Signal(look, name=f"look_{stage}") for stage in range(4)]
        for before, now in zip(looks, looks[1:], strict=False):
            m.d.sync += now.eq(before)
        seen = looks[3]
        taken, g = picture.read_data[0], picture.read_data[1:]
        self._tail = tail = Signal(range(self._expansions + 1))
        push = Signal()
        m.d.comb += [
            picture.read_address.eq(Value.cast(looks[1].slot)),
            push.eq(seen.valid & taken & (tail != self._expansions)),
            queue.write_enable.eq(push),
            queue.write_address.eq(tail),
            queue.write_data.eq(Cat(Value.cast(seen.slot), g, Value.cast(seen.step))),
        ]
        with m.If(push):
            m.d.sync += tail.eq(tail + 1)
        with m.If(seen.valid & ~taken & ~self.found):
            m.d.sync += [
                self.found.eq(1),
                self.free.eq(seen.slot),
                self.step.eq(seen.step),
            ]

    def _run(self, m, queue):
        """Which slots are looked at."""
        head = Signal(range(self._expansions + 1))
        wait = Signal(2)
        # Where the key is whose slots are being looked at; root: it is the new one, f is its place
        # in table 0.  Its place in another table is as far from there as the tables' numbers are.
        own, g = Signal(self._slot, name="look_own"), Signal(self._bits, name="look_g")
        step = Signal(self._step, name="look_step")
        distance = Signal(self._slot["table"].shape)
        look = self._looks[0]
        m.d.comb += [
            look.slot.table.eq(own.table ^ distance),
            look.slot.index.eq(own.index ^ times(distance, g, self._bits)),
            look.step.eq(step),
            # Between searches the queue is read for the moves.
            queue.read_address.eq(self.node),
        ]
        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.start):
                    m.d.sync += [
                        head.eq(0),
                        self._tail.eq(0),
                        self.found.eq(0),
                        own.index.eq(self.f),
                        own.table.eq(0),
                        g.eq(self.g),
                        step.root.eq(1),
                        distance.eq(0),
                    ]
                    m.next = "LOOK"
            with m.State("LOOK"):
                m.d.comb += look.valid.eq(1)
                m.d.sync += [distance.eq(distance + 1), wait.eq(0)]
                with m.If(self.found):
                    m.next = "DONE"
                with m.Elif(distance == self._tables - 1):
                    m.next = "SETTLE"
            with m.State("SETTLE"):  # until what was looked at has become nodes
                m.d.comb += queue.read_address.eq(head)
                m.d.sync += wait.eq(wait + 1)
                with m.If(self.found):
                    m.next = "DONE"
                with m.Elif(wait == 3):
                    m.next = "DONE"
                    with m.If(head != self._tail):
                        m.d.sync += wait.eq(0)
                        m.next = "NEXT"
            with m.State("NEXT"):  # the next node comes from the queue
                m.d.comb += queue.read_address.eq(head)
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 2):
                    m.d.sync += [
                        own.eq(self.at.slot),
                        g.eq(self.at.g),
                        step.root.eq(0),
                        step.node.eq(head),
                        head.eq(head + 1),
                        distance.eq(1),
                    ]
                    m.next = "LOOK"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return m
