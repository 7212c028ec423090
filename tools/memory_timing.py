"""Area and frequency of ``stellar_nic.memory``'s components on ECP5: LFE5UM-45F, speed 6.

``python tools/memory_timing.py [CASE …]``, without a case all; it takes minutes. Needs the tools of
``make install-synth``. The method is that of docs/performance.md, the seeds are 1 to 3.

RAMs of 72 bits and 512 words, side by side: their words are ORed into a register, so that a path is
output register, LUT, register. Four multipliers stand between the harness' registers.
"""

import sys
from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.memory import OutputRAM, PipelinedMultiplier
from stellar_synth.devices import Target
from stellar_synth.measure import Measurement
from stellar_synth.tools import versions

__all__ = ["CASES", "Multipliers", "RAMs", "main"]

SEEDS = [1, 2, 3]


class RAMs(wiring.Component):
    """RAMs whose words are ORed."""

    def __init__(self, *, count, technology, width=72, depth=512):
        self._count = count
        self._parameters = {"width": width, "depth": depth, "technology": technology}
        address = range(depth)
        super().__init__(
            {
                "enable": In(count),
                "write": In(address),
                "data": In(width),
                "read": In(address),
                "word": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        inputs = [self.enable, self.write, self.data, self.read]
        enable, write, data, read = (Signal.like(value) for value in inputs)
        registers = (enable, write, data, read)
        m.d.sync += [register.eq(value) for register, value in zip(registers, inputs, strict=True)]
        words = []
        for index in range(self._count):
            m.submodules[f"ram_{index}"] = ram = OutputRAM(**self._parameters)
            m.d.comb += [
                ram.write_enable.eq(enable[index]),
                ram.write_address.eq(write),
                ram.write_data.eq(data),
                ram.read_address.eq(read),
            ]
            words.append(ram.read_data)
        word = Signal.like(self.word)
        m.d.sync += word.eq(reduce(or_, words))
        m.d.comb += self.word.eq(word)
        return m


class Multipliers(wiring.Component):
    """Four multipliers side by side."""

    def __init__(self, *, technology):
        self._technology = technology
        super().__init__({"a": In(4 * 18), "b": In(4 * 18), "product": Out(4 * 36)})

    def elaborate(self, platform):
        m = Module()
        for index in range(4):
            m.submodules[f"multiplier_{index}"] = part = PipelinedMultiplier(
                technology=self._technology
            )
            m.d.comb += [
                part.a.eq(self.a.word_select(index, 18)),
                part.b.eq(self.b.word_select(index, 18)),
                self.product.word_select(index, 36).eq(part.product),
            ]
        return m


CASES = {
    "rams": lambda: RAMs(count=4, technology="ecp5"),
    "rams_generic": lambda: RAMs(count=2, technology="generic"),
    "rams_deep": lambda: RAMs(count=1, technology="ecp5", width=4, depth=1 << 16),
    "multipliers": lambda: Multipliers(technology="ecp5"),
    "multipliers_generic": lambda: Multipliers(technology="generic"),
}
"""Case → the component that is measured."""


def main(arguments):
    """Measures the cases that are named, or all; returns the exit code."""
    unknown = sorted(set(arguments) - set(CASES))
    if unknown:
        there_are = ", ".join(CASES)
        print(f"error: no case is called {unknown[0]}; there are: {there_are}", file=sys.stderr)
        return 2
    print(", ".join(f"{tool} {version}" for tool, version in versions().items()))
    for name in arguments or CASES:
        target = Target("45k", "6")
        measurement = Measurement(CASES[name](), name=name, target=target, timeout=300)
        print(f"{name}: {measurement.area().block}", flush=True)
        for run in measurement.route(SEEDS):
            hops = run.path.hops if run.path else ()
            path = ", ".join(f"{hop.kind} {hop.ns:.2f}" for hop in hops)
            print(f"  seed {run.seed}: {run.failure or f'{run.mhz:.0f} MHz'} ({path})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
