"""The smallest flow table's numbers, what stands in place of its hash and counters, its states."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Module, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.flow.counters import CounterOp
from stellar_nic.flow.layouts import COUNTERS_LAYOUT
from stellar_spec.flow import TIME_BITS

__all__ = [
    "BITS",
    "EXPANSIONS",
    "KEY",
    "SLOTS",
    "TABLES",
    "AnyCounters",
    "AnyHash",
    "is_in",
    "state_numbers",
]

SLOTS, TABLES, EXPANSIONS = 4, 2, 4
BITS = (SLOTS // TABLES - 1).bit_length()
KEY = data.StructLayout({"kind": 3})
"""Seven keys, and 0 for none."""


class AnyHash(wiring.Component):
    """In place of :class:`FlowHash`: f and g of each key are any bits, the same at all times."""

    latency = 1

    def __init__(self, *, all_f, all_g):
        self._all_f, self._all_g = all_f, all_g
        super().__init__({"key": In(KEY.size), "seed": In(1), "f": Out(BITS), "g": Out(BITS)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [
            self.f.eq(self._all_f.word_select(self.key, BITS)),
            self.g.eq(self._all_g.word_select(self.key, BITS)),
        ]
        return m


class AnyCounters(wiring.Component):
    """In place of :class:`FlowCounters`: any counters, after any time."""

    def __init__(self, *, layouts, guided=False):
        self._guided = guided
        generation = layouts.handle["generation"].shape
        super().__init__(
            {
                "account": In(stream.Signature(layouts.account)),
                "now": In(TIME_BITS),
                "op": In(CounterOp),
                "wanted": In(1),
                "flow": In(layouts.handle["flow"].shape),
                "done": Out(1),
                "generation": Out(generation),
                "counters": Out(COUNTERS_LAYOUT),
                "stale": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.done.eq(self.wanted & (1 if self._guided else AnySeq(1)))
        with m.If(self.done):
            m.d.sync += [
                self.generation.eq(0 if self._guided else AnySeq(len(self.generation))),
                Value.cast(self.counters).eq(0 if self._guided else AnySeq(COUNTERS_LAYOUT.size)),
            ]
        return m


def state_numbers(state):
    """States of a machine whose register is ``state``, with their numbers."""
    numbers = {}
    for number in range(1 << len(state)):
        try:
            numbers[state.decoder(number).partition("/")[0]] = number
        except KeyError:  # a number without a state
            break
    return numbers


def is_in(state, *names):
    """Whether a machine's register ``state`` is in one of the states ``names``."""
    numbers = state_numbers(state)
    missing = [name for name in names if name not in numbers]
    if missing:
        raise LookupError(f"no state {missing[0]!r}; there are: {', '.join(numbers)}")
    result = 0
    for name in names:
        result |= state == numbers[name]
    return result
