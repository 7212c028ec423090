"""FlowMatrix: how fast a flow may send.

``sigmoid``   1 / (1 + exp(-x)) in fixed point
``law``       one update of a flow's weight
"""

from .law import WeightLaw
from .sigmoid import Sigmoid

__all__ = ["Sigmoid", "WeightLaw"]
