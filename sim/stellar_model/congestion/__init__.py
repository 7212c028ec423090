"""FlowMatrix, by docs/fixed-point.md, in integers as in gateware, and in float64 as it is meant.

``law``    the update of a weight
``rate``   from a weight to a rate, and to the time of a byte
"""

from .law import float_law, law, sigmoid, trajectory_bound
from .rate import byte_time, rate, scale_of

__all__ = ["byte_time", "float_law", "law", "rate", "scale_of", "sigmoid", "trajectory_bound"]
