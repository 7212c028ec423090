"""The exported AXI4-Stream parser between the bus models of cocotbext-axi.

``beats`` says how frames stand on ``s_axis``, also against the rules; ``environment`` drives and
collects; ``scenarios`` are the tests, which ``testbenches.parser_axi`` hands to cocotb.
"""

__all__ = []
