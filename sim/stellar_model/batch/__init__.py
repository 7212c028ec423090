"""The golden model for many frames at once: equal to ``stellar_model.parse`` on every record.

Written like the readable model from docs/parser.md and the specification, never from the gateware,
step by step in its words; what differs is that a step handles all frames that get there, as numpy
arrays.  No kind of frame is left to the readable model.  ``parse`` gives ``Columns``; ``decode``
makes them of packed records, whoever gave those; ``pack_headers`` and ``pack_trailers`` pack them;
``RecordDigest`` is the one digest by which makers of records are compared.
"""

from .columns import FIELDS, Columns, concatenate, of_records
from .digest import RecordDigest, digest
from .packing import HEADER_BYTES, TRAILER_BYTES, decode, pack_headers, pack_trailers
from .parser import parse
from .repair import repair

__all__ = [
    "FIELDS",
    "HEADER_BYTES",
    "TRAILER_BYTES",
    "Columns",
    "RecordDigest",
    "concatenate",
    "decode",
    "digest",
    "of_records",
    "pack_headers",
    "pack_trailers",
    "parse",
    "repair",
]
