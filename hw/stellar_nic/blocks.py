"""The blocks that are exported and measured, and the sizes in which they are made."""

from collections.abc import Callable
from dataclasses import dataclass

from .axi import ParserAXI
from .flow import FlowTable
from .parse import PARSER_WIDTHS, Parser

__all__ = ["BLOCKS", "Block"]


@dataclass(frozen=True)
class Block:
    """A block that can be made in several sizes.

    ``make(size, technology)`` gives the component and raises ``ValueError`` for a size that it does
    not take.  ``letter`` stands in front of the size in names, ``unit`` says what the size counts.
    ``sizes`` are those that are exported by default, ``size`` is the one that is measured.
    """

    make: Callable
    sizes: tuple[int, ...]
    size: int = 8
    letter: str = "w"
    unit: str = "bytes a beat"

    def __call__(self, size, technology="generic"):
        """The component; ``technology`` names the cells of the vendor that it may use."""
        return self.make(size, technology)

    @property
    def word(self):
        """What the size is called in results."""
        return "slots" if self.letter == "s" else "width"

    def named(self, name, size):
        """The name of a file and module, for example ``parser_w8``."""
        return f"{name}_{self.letter}{size}"

    def check_only(self, *, width, slots):
        """Raises ``ValueError`` for a size that says nothing of this block."""
        other, given = ("width", width) if self.letter == "s" else ("slots", slots)
        if given is not None:
            raise ValueError(f"{other} {given} is not for a block whose size is its {self.word}")

    def chosen(self, *, width, slots):
        """Of what a command line says, what is this block's size."""
        return slots if self.letter == "s" else width


BLOCKS = {
    "parser": Block(lambda width, _: Parser(width=width), PARSER_WIDTHS),
    "parser_axi": Block(lambda width, _: ParserAXI(width=width), PARSER_WIDTHS),
    "flow_table": Block(
        lambda slots, technology: FlowTable(slots=slots, technology=technology),
        (2048,),
        2048,
        "s",
        "slots",
    ),
}
"""All of them, by name."""
