"""The blocks that ``make mutate`` knows; a block that joins adds its row."""

from .parser import TARGET as PARSER

__all__ = ["TARGETS"]

TARGETS = {target.name: target for target in (PARSER,)}
"""Name → target."""
