"""The packet parser: packets in, a header and a trailer record for each out.

===========================  ===================================================================
``parser``                   the component: handshakes around the pipeline
``pipeline``                 wires the stages
stage 1: ``words``           beats become words of four bytes
stage 2: ``walk``, ``room``  every word gets its label, as long as the lengths allow
stage 3: ``capture``,        what the labelled words hold: fields, findings, bytes covered, sums,
``facts``, ``cover``,        CRC
``sums``, ``crc``
stage 4: ``judge``,          what follows from it, and the two records
``records``
``layouts``, ``labels``      layouts of the ports, and of a label
``labelled``                 how the stages find words by their labels
===========================  ===================================================================
"""

from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT, SETTINGS_LAYOUT, TRAILER_LAYOUT
from .parser import PARSER_WIDTHS, Parser

__all__ = [
    "HEADER_LAYOUT",
    "INGRESS_LAYOUT",
    "PARSER_WIDTHS",
    "SETTINGS_LAYOUT",
    "TRAILER_LAYOUT",
    "Parser",
]
