"""The flow table's golden model: its hash, and the table as a map; written from docs/flow-table.md.

``hash``
    f, g and the places of a key under a seed
``table``
    what commands answer and packets count; what it can't know (a handle's number, when the table
    is full) it takes from the gateware and checks
``records``
    answers and events, packed and unpacked
"""

from .hash import hash_key, hash_keys, places
from .records import Record, RecordFormat
from .table import Accounting, FlowModel, Mismatch, guarantee

__all__ = [
    "Accounting",
    "FlowModel",
    "Mismatch",
    "Record",
    "RecordFormat",
    "guarantee",
    "hash_key",
    "hash_keys",
    "places",
]
