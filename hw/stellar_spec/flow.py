"""The flow table: its key, actions, commands, answers and settings, and the numbers of its hash.

A record is packed with its first field in the least significant bits, as Amaranth's
``StructLayout`` packs it.  docs/flow-table.md says what the fields do.
"""

from enum import IntEnum

from .codes import KeyKind
from .fields import Field

__all__ = [
    "ACCOUNT",
    "ACTION",
    "COUNTERS",
    "FLOW_KEY",
    "GENERATION_BITS",
    "POLYNOMIALS",
    "SLOT_BITS",
    "TABLES",
    "TIME_BITS",
    "WORD",
    "handle",
    "rows",
    "seed_bits",
    "Egress",
    "EventKind",
    "FlowOp",
    "FlowStatus",
    "Over",
    "words",
]

FLOW_KEY = (
    Field("kind", max(KeyKind).bit_length(), "KeyKind; NONE: there is no key"),
    Field("selector", 40, "protocol, source and destination port; StellarTP: the flow"),
    Field("src", 128, "source address; IPv4 in the low 32 bits"),
    Field("dst", 128, "destination address; IPv4 in the low 32 bits"),
)
"""The parser's flow key.  ``selector`` of a 5-tuple: protocol in bits 7 to 0, source port in 23 to
8, destination port in 39 to 24; of a StellarTP key: the flow in bits 23 to 0."""


class Egress(IntEnum):
    """Where a packet goes."""

    WIRE = 0
    HOST = 1
    TRANSPORT = 2
    DROP = 3


class Over(IntEnum):
    """What becomes of a packet over its flow's rate."""

    NONE = 0
    POLICE = 1
    MARK = 2


ACTION = (
    Field("egress", max(Egress).bit_length(), "Egress"),
    Field("port", 2, "wire port, for WIRE"),
    Field("over", max(Over).bit_length(), "Over"),
    Field("user", 16, "names the limiter's state; flows may share one"),
)
"""What is to happen to a flow's packets.  The table stores it and does not interpret it."""

GENERATION_BITS = 15
"""Bits of a handle's generation, which tells flows apart that had the same number one after the
other."""

TIME_BITS = 24
"""Bits of the time in which flows are last seen; its unit is the integrator's, e.g. 2**20 ns."""

SLOT_BITS = 17
"""Bits of a slot's number in a command: 65,536 slots and the stash behind them."""


def handle(slots: int) -> tuple[Field, ...]:
    """What a lookup hands out for accounting, in a table of ``slots`` slots."""
    return (
        Field("flow", (slots - 1).bit_length(), "number of the flow, constant while it is present"),
        Field("generation", GENERATION_BITS, "counts the flows that had this number"),
    )


COUNTERS = (
    Field("packets", 48, "packets accounted, modulo 2**48"),
    Field("bytes", 48, "their bytes, modulo 2**48"),
    Field("seen", TIME_BITS, "time of the last packet, or of the insertion"),
)
"""What is kept for each flow."""

ACCOUNT = (Field("bytes", 17, "length of the packet"),)
"""Goes with a handle on the stream of accounting."""


class FlowOp(IntEnum):
    """Commands."""

    INSERT = 0
    DELETE = 1
    UPDATE = 2
    READ = 3
    READ_SLOT = 4
    CLEAR = 5


class FlowStatus(IntEnum):
    """Answers."""

    OK = 0
    UPDATED = 1
    FULL = 2
    NOT_FOUND = 3
    INVALID = 4


class EventKind(IntEnum):
    """What the table does by itself and reports."""

    AGED = 0
    LEARNED = 1


WORD = 18
"""Bits of the words into which the hash cuts a key, and of each factor of a product."""

TABLES = 4
"""Table t is looked up at f + t g, where f and g are the hash's two results, in the field of
2**bits elements: numbers are polynomials over GF(2), so that a sum is an exclusive or."""

POLYNOMIALS = {
    **{1: 0b1, 2: 0b11, 3: 0b11, 4: 0b11, 5: 0b101, 6: 0b11, 7: 0b11, 8: 0b11011, 9: 0b11},
    **{10: 0b1001, 11: 0b101, 12: 0b1001, 13: 0b11011, 14: 0b100001, 15: 0b11, 16: 0b101011},
    **{17: 0b1001, 18: 0b1001},
}
"""Bits of a place → x**bits in that field, where x is 2: the irreducible polynomial of the fewest
and lowest terms (Seroussi: Table of Low-Weight Binary Irreducible Polynomials, 1998)."""


def words(bits: int) -> int:
    """Words of a key of ``bits`` bits: an even number, so that they form pairs."""
    return 2 * -(-bits // (2 * WORD))


def seed_bits(bits: int, index_bits: int) -> int:
    """Bits of the seed for keys of ``bits`` bits and tables of ``2**index_bits`` slots."""
    return words(bits) * WORD + rows(index_bits) * 4 * WORD


def rows(index_bits: int) -> int:
    """Products of the hash's second step: one gives f and g if they fit into its 19 good bits."""
    return 1 if 2 * index_bits <= WORD + 1 else 2
