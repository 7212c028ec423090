"""FlowMatrix, by docs/fixed-point.md: the update of a weight, in integers and in float64."""

from .law import float_law, law, sigmoid, trajectory_bound

__all__ = ["float_law", "law", "sigmoid", "trajectory_bound"]
