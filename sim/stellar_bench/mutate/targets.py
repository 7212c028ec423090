"""The blocks that ``make mutate`` knows; a block that joins adds its row."""

from .flow_table import TARGET as FLOW_TABLE
from .parser import TARGET as PARSER

__all__ = ["TARGETS"]

TARGETS = {target.name: target for target in (PARSER, FLOW_TABLE)}
"""Name → target."""
