"""The packet parser: packets in, a header and a trailer record for each out.

===========================  ===================================================================
``parser``                   the component: handshakes around the pipeline
``pipeline``                 wires the stages
stage 1: ``words``,          beats become words of four bytes; what each would say is decoded
``decode``
stage 2: ``walk``,           every word gets its label; the bytes that sums and check cover are
``steps``, ``cover``,        chosen by what the state in front of the beat tells
``ahead``, ``datagram``
stage 3: ``capture``,        what the labelled words hold: fields, findings, places, lengths, rules,
``facts``, ``room``,         sums, CRC
``places``, ``datagrams``,
``rule``, ``sums``, ``crc``
stage 4: ``judge``,          what follows from it, and the two records
``header_record``,
``trailer_record``
``layouts``, ``labels``      layouts of the ports, and of a label
``labelled``                 how the stages find words by their labels
``tables``, ``sharing``      functions of few bits as tables; sums of bits with shared parts
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
