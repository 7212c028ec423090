"""What a block has to say of itself to be mutated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from stellar_nic.sizes import SIZES, named

__all__ = ["LEAST", "Contract", "Device", "MutationTarget", "Source", "Stimuli"]

LEAST = 90
"""Per cent that must be killed, unless a block asks for more."""


@dataclass(frozen=True)
class Source:
    """A block's text: ``language`` is ``rtlil`` or ``verilog``, ``top`` its top module.

    ``rtlil`` is better where there is a choice: its cells name the line of Python that made them.
    """

    text: str
    language: str
    top: str

    def __post_init__(self):
        if self.language not in ("rtlil", "verilog"):
            raise ValueError(f"language is {self.language!r}; it must be rtlil or verilog")


@dataclass(frozen=True)
class Contract:
    """What the proof of an equivalence may build on; see docs/streams.md.

    Parameters
    ----------
    streams
        Names of the output streams: the payload is compared while ``valid`` is high, as it means
        nothing otherwise. All other outputs are compared always.
    assumptions
        Verilog expressions over the inputs' names that hold in every cycle.
    offers
        Names of input streams: what is offered stays until it is taken, or there is a reset.
    clock, reset
        The one clock; the reset, high, if there is one.
    """

    streams: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    clock: str = "clk"
    reset: str = "rst"


class Stimuli(Protocol):
    """One set of stimuli with what the model expects; it goes to other processes by pickle."""

    name: str


class Device(Protocol):
    """A simulated block with all of a build's mutants."""

    def select(self, mutant: int) -> None:
        """Go on with ``mutant``, from reset; 0 is the block as it is."""

    def run(self, stimuli: Any) -> str | None:
        """What is wrong on these stimuli, in one line; ``None`` if nothing is."""


@dataclass(frozen=True)
class MutationTarget:
    """A block that can be mutated. The functions are those of a module, as they are pickled.

    Parameters
    ----------
    name
        As on the command line.
    widths
        The sizes for which there is one: in what ``unit`` says.
    source
        Function of the width: the block's text.
    stimuli
        Function of width and seed: the sets, the cheapest first; each is a :class:`Stimuli`.
    device
        Function of width, Verilog file, and bits of its input ``mutsel``: a :class:`Device`. It
        raises :class:`stellar_bench.verilate.BuildError` where the build fails.
    contract
        Function of the width: what proofs of equivalence may use.
    word
        What the size is called, one of :data:`stellar_nic.sizes.SIZES`.
    least
        Per cent of the mutants that must be killed.
    usual
        The size where none is named; ``None``: the first.
    """

    name: str
    widths: tuple[int, ...]
    source: Callable[[int], Source]
    stimuli: Callable[[int, int], Sequence[Stimuli]]
    device: Callable[[int, Path, int], Device]
    contract: Callable[[int], Contract]
    word: str = "width"
    least: int = LEAST
    usual: int | None = None

    @property
    def unit(self) -> str:
        """What the size counts."""
        return SIZES[self.word]

    def named(self, width: int) -> str:
        """The block's name at a size, for example ``parser_w8``."""
        return named(self.name, self.word, width)
