"""Registers around a block: what is between them is the block, and nothing of it is trimmed.

::

    si ─► in[0] ─► in[1] ─► … ─► in[n-1]           one register for each input bit, and the reset
            │        │             │
          ┌─▼────────▼─────────────▼─┐
          │          block           │             its own level of hierarchy, kept in synthesis
          └─┬────────┬─────────────┬─┘
          out[0]   out[1]   …   out[m-1]           one register for each output bit
            └────────┼─┬───────────┘
     in[n-1] ► fold[0] ┴─► fold[1] ─► … ─► so      parity of three output bits and the one before

Every input bit can be set, by shifting; every change of any output bit changes ``so`` some cycles
later, so that no bit is without use.  Paths of the harness itself are a register to a register, or
through one 4-input LUT: shorter than what any block has.

The parity chain takes one LUT and one flip-flop for three output bits.  A chain that is loaded from
the output bits and then shifted takes one of each for every bit, and would, where the output
register and the chain are the same flip-flops, put a multiplexer into the block's last path.

The boundary between harness and block is kept in synthesis: without it, yosys would merge a
flip-flop of the block with one of the harness that has the same input, and would trim the register
of an output that is constant.  There are registers on both sides, so nothing is lost by it.
"""

import re

from amaranth.hdl import (
    Cat,
    ClockDomain,
    ClockSignal,
    Elaboratable,
    Instance,
    Module,
    ResetSignal,
    Signal,
    Value,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FOLD", "Harness", "Placeholder", "StandIn", "ports"]

FOLD = 3
"""Output bits that one LUT of the parity chain takes: it has four inputs, one is the chain's."""


def ports(component):
    """The component's ports as two lists of values: inputs, outputs; in order of its signature.

    Raises
    ------
    TypeError
        It is no ``wiring.Component``.
    ValueError
        It has no input or no output bit.
    """
    if not isinstance(component, wiring.Component):
        raise TypeError(f"a block must be a wiring.Component, not {component!r}")
    found = {In: [], Out: []}
    for _, member, value in component.signature.flatten(component):
        found[member.flow].append(Value.cast(value))
    for flow, name in ((In, "input"), (Out, "output")):
        if not sum(len(value) for value in found[flow]):
            raise ValueError(f"{component!r} has no {name} bit; a block needs at least one")
    return found[In], found[Out]


class StandIn(wiring.Component):
    """Wires in place of a block: its ports and no logic, so that the harness alone is measured.

    Output bit k is input bit k, beginning again where the inputs end.

    Parameters
    ----------
    signature : wiring.Signature
        Of the block.
    """

    def __init__(self, signature: wiring.Signature):
        super().__init__(signature)

    def elaborate(self, platform):
        m = Module()
        inputs, outputs = (Cat(*values) for values in ports(self))
        for k in range(len(outputs)):
            m.d.comb += outputs[k].eq(inputs[k % len(inputs)])
        return m


class Placeholder(wiring.Component):
    """An instance of a Verilog module in place of a block.

    Parameters
    ----------
    signature : wiring.Signature
        Of the block.
    module : str
        Name of the module.  Its ports are named as Amaranth names them: the path's parts with
        ``__`` between them.
    text : str
        The Verilog that has the module; told from it is whether there are ``clk`` and ``rst``.
    """

    def __init__(self, signature: wiring.Signature, *, module: str, text: str):
        self._module = module
        self._clocked = [
            name for name in ("clk", "rst") if re.search(rf"^ *input {name};", text, re.MULTILINE)
        ]
        super().__init__(signature)

    def elaborate(self, platform):
        m = Module()
        clocks = {"clk": ClockSignal(), "rst": ResetSignal()}
        pins = {f"i_{name}": clocks[name] for name in self._clocked}
        for path, member, value in self.signature.flatten(self):
            way = "i" if member.flow == In else "o"
            pins[f"{way}_{'__'.join(map(str, path))}"] = value
        m.submodules.module = Instance(self._module, **pins)
        return m


class Harness(Elaboratable):
    """The registers around ``block``.

    Parameters
    ----------
    block : wiring.Component
        What is measured.  It has one clock domain, ``sync``, whose reset comes from a register too.

    Attributes
    ----------
    clk : Signal(), in
        The clock.
    si : Signal(), in
        Shifted in: after ``n`` cycles the first bit is in the ``n``-th register.  The registers are
        the reset, then the block's inputs in order of its signature, lowest bit first.
    so : Signal(), out
        Parity of output bits, in time: output bit k of cycle t counts at cycle
        ``t + 1 + folds - k // FOLD``.
    inputs, outputs : int
        Bits of the block; the reset is not among them.
    folds : int
        Registers of the parity chain.

    Raises ``TypeError`` and ``ValueError`` as :func:`ports` does.
    """

    def __init__(self, block: wiring.Component):
        self._block = block
        self._ins, self._outs = (Cat(*values) for values in ports(block))
        self.inputs, self.outputs = len(self._ins), len(self._outs)
        self.folds = -(-self.outputs // FOLD)
        self.clk = Signal(name="clk")
        self.si = Signal(name="si")
        self.so = Signal(name="so")

    def elaborate(self, platform):
        m = Module()
        # The harness is never reset, or its flip-flops would hang on the pad of the block's reset.
        m.domains.harness = ClockDomain(reset_less=True, local=True)
        m.domains.sync = sync = ClockDomain(local=True)
        m.d.comb += [ClockSignal("harness").eq(self.clk), ClockSignal("sync").eq(self.clk)]
        m.submodules.block = self._block

        chain = Signal(1 + self.inputs, name="harness_in")
        capture = Signal(self.outputs, name="harness_out")
        fold = Signal(self.folds, name="harness_fold")
        m.d.harness += [chain.eq(Cat(self.si, chain[:-1])), capture.eq(self._outs)]
        m.d.comb += [sync.rst.eq(chain[0]), self._ins.eq(chain[1:]), self.so.eq(fold[-1])]
        for k in range(self.folds):
            before = fold[k - 1] if k else chain[-1]
            m.d.harness += fold[k].eq(before ^ capture[FOLD * k : FOLD * (k + 1)].xor())
        return m
