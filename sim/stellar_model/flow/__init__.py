"""The flow table's golden model: its hash, and the table as a map; written from docs/flow-table.md.

``hash``
    f, g and the places of a key under a seed
``table``
    what commands answer and packets count; what it can't know (a handle's number, when the table
    is full) it takes from the gateware and checks
``placement``
    how many keys it must hold, and whether keys have room at all
``entry``
    what is kept of a key, and what goes into it
``records``
    answers and events, packed and unpacked
"""

from .entry import Accounting, Command, Mismatch, Time
from .hash import hash_key, hash_keys, places
from .placement import guarantee
from .records import Record, RecordFormat
from .table import FlowModel

__all__ = [
    "Accounting",
    "Command",
    "FlowModel",
    "Mismatch",
    "Record",
    "RecordFormat",
    "Time",
    "guarantee",
    "hash_key",
    "hash_keys",
    "places",
]
