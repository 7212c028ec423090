"""Cells of Lattice's ECP5 in simulation, to judge the components that are made of them.

``block_ram.v``, ``multiplier.v``  the models, in Verilog
``carry.v``                        a carry chain's steps, likewise
``cells``                          the same with the pins and parameters that netlists have
``vectors``                        runs Verilog on arrays of inputs, one row a cycle
"""

from .cells import block_ram_text, cells_text
from .vectors import VectorSimulation

__all__ = ["VectorSimulation", "block_ram_text", "cells_text"]
