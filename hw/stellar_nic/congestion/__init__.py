"""FlowMatrix: how fast a flow may send.

``law``       one update of a flow's weight
``rate``      from a weight to a rate, from a rate to the time of a byte
``meter``     whether a packet is within its flow's rate
``sigmoid``   1 / (1 + exp(-x)); ``pieces`` of straight lines make it
"""

from .law import WeightLaw
from .meter import FlowMeter
from .rate import ByteTime, WeightRate
from .sigmoid import Sigmoid

__all__ = ["ByteTime", "FlowMeter", "Sigmoid", "WeightLaw", "WeightRate"]
