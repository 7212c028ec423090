"""The blocks that ``make mutate`` knows; a block that joins adds its row."""

from . import parser

__all__ = ["TARGETS"]

TARGETS = {target.name: target for target in (parser.TARGET,)}
"""Name → target."""
