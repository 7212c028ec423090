# amaranth: UnusedElaboratable=no
"""The top module of a property: the design, free inputs, assumptions, assertions, covers."""

import re

from amaranth.asserts import AnyConst
from amaranth.back import rtlil
from amaranth.hdl import (
    Assert,
    Assume,
    ClockDomain,
    Cover,
    Elaboratable,
    Fragment,
    Module,
    Signal,
    Value,
)
from amaranth.lib.wiring import In

from stellar_nic.stream import checker_of

from .internals import Internals, damage, find
from .opened import OpenedMemories

__all__ = ["Top", "unlabel"]


class _Elaborated(Elaboratable):
    """A fragment as a submodule."""

    def __init__(self, fragment):
        self._fragment = fragment

    def elaborate(self, platform):
        return self._fragment


class Top:
    """What a proof's ``build`` fills.

    Every input that is not driven is free: the solver may give it any value in any cycle.  Reset
    is such an input too.  Registers begin with their initial values.

    Attributes
    ----------
    m : :class:`Module`
        For models and further logic, in the domain ``sync``.
    rst : Signal
        The synchronous reset.
    guided : bool
        A run is wanted that shows something, of a twin or to a cover: ``build`` may narrow the
        inputs, so that it is found sooner.  What is found is a run all the same.
    """

    def __init__(self, twin=None, *, guided=False):
        self.m = Module()
        self.m.domains.sync = domain = ClockDomain("sync")
        self.rst = domain.rst
        self.asserts: list[str] = []
        self.covers: list[str] = []
        self.streams: list[tuple[str, str]] = []  # ports of the design: name, "in" or "out"
        self.registered = False  # for "paths": outputs may depend on registers only
        self.paths: list[tuple[str, str]] = []  # for "paths": allowed, and expected to be there
        self.guided = guided
        self._twin = twin
        self._damaged = False
        self._ports = {"clk": (domain.clk, None), "rst": (domain.rst, None)}

    def design(self, component, name="dut", *, tied=(), opened=False, extended=None):
        """Adds the design under proof, broken if this is a twin; returns its internals.

        Its inputs become free, except members named in ``tied``, which ``build`` drives.
        ``opened``: its memories are registers (:class:`OpenedMemories`).  ``extended``: functions
        as in :class:`Twin`, by the path of the submodule that they add to, for more than it does.

        Returns a function: path of a submodule (default: the design itself) to its
        :class:`Internals`.
        """
        fragment = Fragment.get(component, OpenedMemories(guided=self.guided) if opened else None)
        own = {
            "__".join(map(str, path)): Value.cast(value)
            for path, _, value in component.signature.flatten(component)
        }

        def internals(path=""):
            return Internals(find(fragment, path), None if path else own)

        for path, change in (extended or {}).items():
            damage(find(fragment, path), change, internals(path))
        if self._twin is not None and not self._damaged:
            at = self._twin.at
            damage(find(fragment, at), self._twin.damage, internals(at))
            self._damaged = True
        self.m.submodules[name] = _Elaborated(fragment)
        for path, member, value in component.signature.flatten(component):
            if path[0] in tied:
                continue
            port = "__".join(map(str, path))
            self._ports[port] = (Value.cast(value), None)
            if path[-1] == "valid" and len(path) > 1:
                flow = "in" if member.flow is In else "out"
                self.streams.append((port.removesuffix("__valid"), flow))
        return internals

    def free(self, shape, name):
        """A signal of which the solver chooses the value anew in every cycle."""
        signal = Signal(shape, name=name)
        self._ports[name] = (Value.cast(signal), None)
        return signal

    def constant(self, shape, name):
        """A value that the solver chooses once, for the whole run."""
        signal = Signal(shape, name=name)
        self.m.d.comb += signal.eq(AnyConst(shape))
        return signal

    def tie(self, signal, value):
        """The input ``signal`` is no longer free, but ``value``."""
        signal = Value.cast(signal)
        names = [name for name, (port, _) in self._ports.items() if port is signal]
        if len(names) != 1:
            raise LookupError(f"{signal!r} is no free input")
        del self._ports[names[0]]
        self.m.d.comb += signal.eq(value)

    def assume(self, condition):
        """Only such inputs are looked at."""
        self.m.d.comb += Assume(condition)

    def prove(self, condition, what):
        """``condition`` holds in every cycle; ``what`` says so in words."""
        self.m.d.comb += Assert(condition, what)
        self.asserts.append(what)

    def cover(self, condition, what):
        """Some run must reach ``condition``."""
        self.m.d.comb += Cover(condition, what)
        self.covers.append(what)

    def assume_contract(self, port, name):
        """The stream ``port``, an input of the design, keeps docs/streams.md."""
        self.m.d.comb += Assume(~self._checker(port, name).error)

    def prove_contract(self, port, name):
        """The stream ``port``, an output of the design, keeps docs/streams.md."""
        self.prove(~self._checker(port, name).error, f"{name} keeps the stream contract")

    def _checker(self, port, name):
        checker = checker_of(port)
        self.m.submodules[f"{name}_checker"] = checker
        self.m.d.comb += checker.observe(port)
        return checker

    def check(self, name, *, structure=False):
        """Raises ``ValueError`` if the property ``name`` could not fail or shows nothing.

        One about the netlist's ``structure`` needs streams in place of assertions and covers.
        """
        if structure and not self.streams:
            raise ValueError(f"{name} has no stream to look at")
        if not structure and not self.asserts:
            raise ValueError(f"{name} asserts nothing")
        if not structure and not self.covers:
            raise ValueError(f"{name} covers nothing; a proof of what never happens is worthless")
        if self._twin is not None and not self._damaged:
            raise ValueError(f"{name} adds no design, so its twin is not broken")

    def rtlil(self) -> str:
        """The whole as RTLIL, with the top module ``top``."""
        return _labelled(rtlil.convert(self.m, name="top", ports=self._ports, emit_src=True))


def _labelled(text):
    """RTLIL in which the place of each assertion and cover in the source is what it says.

    The tools report failures by place; the words say more, and two in one line stay apart.
    """
    pattern = r'attribute \\src "[^"]*"\n(  cell \$check \S+\n    parameter \\FORMAT "([^"]+)")'
    return re.sub(pattern, lambda m: f'attribute \\src "{m[2].replace(" ", "_")}"\n{m[1]}', text)


def unlabel(label):
    """What an assertion or cover says, from the label in the tools' reports."""
    return label.replace("_", " ")
