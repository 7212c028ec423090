"""Area and timing of blocks on ECP5, with yosys and nextpnr: ``make timing`` and ``make area``.

The method stands in docs/performance.md, its parts here:

``harness``   registers around a block, so that nothing is trimmed and every path is measured
``devices``   the devices and speed grades there are
``tools``     versions of the tools, command lines, processes with a time-out
``netlist``   block → netlist, cached by content; counts of cells
``place``     netlist → area, or seeds → maximum frequency and critical path
``measure``   a block at one width: what is measured, and what of it is the block's
``page``      the table in docs/performance.md
``cli``       the command
"""

__all__ = []
