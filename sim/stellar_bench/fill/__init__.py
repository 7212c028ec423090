"""``make bench BLOCK=flow_table``: how full the flow table gets, and what an insertion costs."""

from .measure import Filling, fill

__all__ = ["Filling", "fill"]
