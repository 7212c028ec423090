"""The flow table as a block that is mutated."""

from .target import TARGET

__all__ = ["TARGET"]
