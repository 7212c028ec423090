"""Frames that parsers stumble over, by families: a generator that needs nothing of the gateware.

    for frame in stellar_hostile.frames(["fragment-ipv4"], seed=7):
        my_parser(frame.data)

docs/hostile-frames.md lists the families and says how to run them on a parser of one's own.
"""

from .catalogue import FAMILIES, Family, frames
from .frame import Hostile
from .good import GOOD, good, interleaved

__all__ = ["FAMILIES", "GOOD", "Family", "Hostile", "frames", "good", "interleaved"]
