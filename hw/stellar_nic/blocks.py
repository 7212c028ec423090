"""The blocks that are exported and measured, and the sizes in which they are made."""

from collections.abc import Callable
from dataclasses import dataclass

from .axi import ParserAXI
from .congestion import FlowLimiter
from .flow import FlowTable
from .parse import PARSER_WIDTHS, Parser
from .sizes import SIZES, chosen, named

__all__ = ["BLOCKS", "Block"]


@dataclass(frozen=True)
class Block:
    """A block that can be made in several sizes.

    ``make(size, technology)`` gives the component and raises ``ValueError`` for a size that it does
    not take.  ``sizes`` are those that are exported by default, ``size`` is the one that is
    measured, ``word`` what it is called, one of :data:`~stellar_nic.sizes.SIZES`.
    """

    make: Callable
    sizes: tuple[int, ...]
    size: int = 8
    word: str = "width"

    def __call__(self, size, technology="generic"):
        """The component; ``technology`` names the cells of the vendor that it may use."""
        return self.make(size, technology)

    @property
    def unit(self):
        """What the size counts."""
        return SIZES[self.word]

    def named(self, name, size):
        """The name of a file and module, for example ``parser_w8``."""
        return named(name, self.word, size)

    def chosen(self, **sizes):
        """Of the sizes on a command line, this block's or None; ``ValueError`` for another's."""
        return chosen(self.word, **sizes)


BLOCKS = {
    "parser": Block(lambda width, _: Parser(width=width), PARSER_WIDTHS),
    "parser_axi": Block(lambda width, _: ParserAXI(width=width), PARSER_WIDTHS),
    "flow_table": Block(
        lambda slots, technology: FlowTable(slots=slots, technology=technology),
        (2048,),
        2048,
        "slots",
    ),
    "limiter": Block(
        lambda flows, technology: FlowLimiter(flows=flows, technology=technology),
        (1024,),
        1024,
        "flows",
    ),
}
"""All of them, by name."""
