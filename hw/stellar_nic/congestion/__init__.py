"""FlowMatrix: how fast a flow may send.

``law``       one update of a flow's weight
``rate``      from a weight to a rate, from a rate to the time of a byte
``limiter``   all of them, for many flows
``meter``     whether a packet is within its flow's rate; ``schedule`` is its loop
``sigmoid``   1 / (1 + exp(-x)); ``pieces`` of straight lines make it
"""

from .law import WeightLaw
from .limiter import FlowLimiter
from .meter import FlowMeter
from .rate import ByteTime, WeightRate
from .sigmoid import Sigmoid

__all__ = ["ByteTime", "FlowLimiter", "FlowMeter", "Sigmoid", "WeightLaw", "WeightRate"]
