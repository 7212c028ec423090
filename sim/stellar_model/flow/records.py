"""Answers and events of the flow table, packed and unpacked; keys and actions stay numbers."""

from typing import NamedTuple

from stellar_spec.flow import ACTION, COUNTERS, FLOW_KEY, FlowStatus, handle

__all__ = ["ACTION_BITS", "KIND_BITS", "MEANT", "Record", "RecordFormat"]

KIND_BITS = FLOW_KEY[0].width
"""Bits of a key's lowest field, which is 0 where there is no key."""
ACTION_BITS = sum(field.width for field in ACTION)
MEANT = (int(FlowStatus.OK), int(FlowStatus.UPDATED))
"""Statuses behind which an answer's fields mean something."""


class Record(NamedTuple):
    """An answer or event: ``code`` is its ``status`` or ``kind``, ``key`` and ``action`` packed."""

    code: int
    key: int = 0
    action: int = 0
    flow: int = 0
    generation: int = 0
    packets: int = 0
    bytes: int = 0
    seen: int = 0


class RecordFormat:
    """The bits of a record.

    Parameters
    ----------
    slots
        Of the table: they give the bits of a flow's number.
    code_bits
        Of ``status`` (3) or ``kind`` (1).
    key_bits
        Of the key.
    """

    def __init__(self, *, slots: int, code_bits: int, key_bits: int):
        rest = [*handle(slots), *COUNTERS]
        self._widths = (code_bits, key_bits, ACTION_BITS, *(field.width for field in rest))
        self._places, at = [], 0
        for width in self._widths:
            self._places.append((at, (1 << width) - 1))
            at += width
        self.bits = at

    def unpack(self, value: int) -> Record:
        """The record in ``value``."""
        return Record._make([value >> at & mask for at, mask in self._places])

    def pack(self, record: Record) -> int:
        """``record`` as one number; raises ``ValueError`` for what is too wide."""
        value = 0
        for name, given, (at, mask) in zip(Record._fields, record, self._places, strict=True):
            if not 0 <= given <= mask:
                raise ValueError(f"{name} is {given}; it must be 0 to {mask}")
            value |= given << at
        return value
