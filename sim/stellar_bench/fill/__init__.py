"""``make bench BLOCK=flow_table``: how full the flow table gets, and what an insertion costs."""

from .measure import FillError, Filling, fill

__all__ = ["FillError", "Filling", "fill"]
