"""The blocks that can be soaked; one that joins adds a row to ``SOAKS``, nothing else knows of it.

What stands in a row crosses into other processes, so it holds nothing but names and functions.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from ..flow.soak import FlowSoak, missing_sparse
from .parser import ParserSoak

__all__ = ["SOAKS", "Soak", "SoakedBlock"]


class Soak(Protocol):
    """A block at one width beside its model, in one process.

    ``seen`` counts what the gateware's records said.  Of a block that has no width in bytes,
    ``width`` is its size.
    """

    seen: Counter

    def batch(self, number: int, count: int) -> list[str]:
        """Put batch ``number`` of ``count`` frames through both; lines on what differs, if any.

        The frames depend on seed, number and count, not on what came before.
        """

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of all records so far: the model's and the gateware's."""

    def close(self) -> None:
        """Free the simulation."""


@dataclass(frozen=True)
class SoakedBlock:
    """How a block is soaked.

    ``make(width=, seed=, folder=, verilog=)`` gives its ``Soak``: ``folder`` takes counterexamples,
    ``verilog`` names a file in place of the gateware's own, or is ``None``.  It raises
    ``ValueError``, ``OSError`` or ``BuildError`` for what can't be simulated.  ``missing`` says
    what a long run ought to have seen and has not, ``table`` what it has.

    ``letter`` stands in front of the width in names.  ``things`` is what batches are made of, and
    ``manner`` says more of them.  ``alike``: every width must give the same records.
    """

    name: str
    widths: tuple[int, ...]
    make: Callable[..., Soak]
    missing: Callable[[Counter], list[str]]
    table: Callable[[Counter], str]
    letter: str = "w"
    things: str = "frames"
    manner: str = "good and hostile"
    alike: bool = True

    def bench(self, width: int) -> str:
        """The block's name at a width, e.g. ``parser_w8``."""
        return f"{self.name}_{self.letter}{width}"

    def label(self, width: int) -> str:
        """A width in words."""
        return f"{self.letter.upper()} = {width}"

    def verilog(self, given: dict[str, Path], width: int) -> Path | None:
        """The file that is given for a width, if any."""
        return given.get(self.bench(width))


_COMMANDS = {"letter": "s", "things": "commands", "manner": "beside lookups", "alike": False}

SOAKS = {
    block.name: block
    for block in (
        SoakedBlock("parser", (8, 1), ParserSoak, ParserSoak.missing, ParserSoak.table),
        SoakedBlock(
            *("flow_table", (2048, 64), FlowSoak, FlowSoak.missing, FlowSoak.table),
            **_COMMANDS,
        ),
        SoakedBlock(
            *("flow_table_port", (64,), partial(FlowSoak, engine_port=True)),
            *(FlowSoak.missing, FlowSoak.table),
            **_COMMANDS,
        ),
        SoakedBlock(
            *("flow_table_largest", (65536,), FlowSoak, missing_sparse, FlowSoak.table),
            **_COMMANDS,
        ),
    )
}
"""All of them, by name."""
