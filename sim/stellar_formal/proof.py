"""What a proof is made of."""

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Module

from .internals import Internals
from .top import Top

__all__ = ["ENGINES", "Proof", "Twin"]

ENGINES = {
    "pdr": "unbounded, PDR",
    "induction": "unbounded, {depth}-induction",
    "bmc": "bounded, {depth} cycles",
    "paths": "structure of the netlist",
}
"""Ways to prove, with what the table says of each."""


@dataclass(frozen=True)
class Twin:
    """A deliberately damaged design, for which the proof must fail.

    Parameters
    ----------
    name : str
        What is broken, in a few words.
    damage : function of (m, s)
        Adds statements to the :class:`Module` ``m``, which count as the last of the damaged
        module: later assignments win.  ``s`` gives the module's signals by name.
    at : str
        The damaged module inside the design, as names of submodules joined by dots; empty: the
        design's own.
    """

    name: str
    damage: Callable[[Module, Internals], None]
    at: str = ""


@dataclass(frozen=True)
class Proof:
    """One property, how it is proved, and what must show that the proof could fail.

    Parameters
    ----------
    name : str
        ``block.property``; ``make formal TEST=…`` selects by it.
    about : str
        What is proved, one line.
    build : function of (top)
        Puts design, model, assertions and covers into a :class:`Top`.
    twins : tuple of :class:`Twin`
        At least one; with each of them the proof must fail.
    engine : str
        A key of :data:`ENGINES`.
    depth : int
        Cycles: the bound for ``bmc``, the length of the induction for ``induction``.
    reach : int
        Cycles within which each twin must fail and each cover must be reached.
    scene : bool
        Twins and covers are shown in one run, to which ``build`` narrows the inputs where
        ``top.guided`` is set: it may be long.  There are no waveforms of twins then.
    timeout : int
        Seconds for each run of a solver; more is a failure.
    """

    name: str
    about: str
    build: Callable[[Top], None]
    twins: tuple[Twin, ...]
    engine: str = "pdr"
    depth: int = 12
    reach: int = 12
    scene: bool = False
    timeout: int = 300

    def __post_init__(self):
        if self.engine not in ENGINES:
            raise ValueError(
                f"{self.name}: engine is {self.engine!r}; there are: {', '.join(ENGINES)}"
            )
        if not self.twins:
            raise ValueError(f"{self.name} has no broken twin; a proof must be seen to fail")
        for name in ("depth", "reach", "timeout"):
            if getattr(self, name) < 1:
                raise ValueError(f"{self.name}: {name} is {getattr(self, name)}; give at least 1")

    @property
    def mode(self) -> str:
        """How far the proof reaches, in words."""
        return ENGINES[self.engine].format(depth=self.depth)

    def top(self, twin: Twin | None = None, *, cover: bool = False) -> Top:
        """The property's top module, over the design or over its ``twin``, or for a ``cover``.

        Raises ``ValueError`` if nothing is asserted or covered, or if the twin does not fit.
        """
        top = Top(twin, guided=self.scene and (cover or twin is not None))
        self.build(top)
        top.check(self.name, structure=self.engine == "paths")
        return top
