"""Memories, multipliers, comparators: what synthesis does not use to the full by itself.

===============  ===============================================================================
``output_ram``   a RAM with one write and one read port, read through an output register
``pair_ram``     two such memories in one, read together, or one of them for somebody else
``multiplier``   18 × 18 bits, three cycles
``wide_equal``   are two words the same?
``ecp5``         all as cells of Lattice's ECP5, and how many block RAMs a shape takes
``technology``   the names of the technologies
===============  ===============================================================================

Every component has a generic form for any device, and one for each technology that says the same in
every cycle.
"""

from .multiplier import PipelinedMultiplier
from .output_ram import OutputRAM
from .pair_ram import PairRAM
from .technology import TECHNOLOGIES, check_technology
from .wide_equal import WideEqual

__all__ = [
    "TECHNOLOGIES",
    "OutputRAM",
    "PairRAM",
    "PipelinedMultiplier",
    "WideEqual",
    "check_technology",
]
