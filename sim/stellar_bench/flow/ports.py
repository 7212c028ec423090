"""The flow table's ports as the exported Verilog has them: names and bits, from the contract."""

from dataclasses import dataclass

from stellar_model.flow.hash import KEY_BITS
from stellar_spec.flow import (
    ACCOUNT,
    ACTION,
    COUNTERS,
    GENERATION_BITS,
    SLOT_BITS,
    TABLES,
    TIME_BITS,
    EventKind,
    FlowOp,
    FlowStatus,
    seed_bits,
)

from ..native.ports import SELECT

__all__ = ["OUTPUTS", "TablePorts"]


def _bits(fields):
    return sum(field.width for field in fields)


ACTION_BITS, COUNTER_BITS, BYTES_BITS = _bits(ACTION), _bits(COUNTERS), _bits(ACCOUNT)
COUNTS_BITS = COUNTER_BITS - TIME_BITS
"""Of a flow's packets and bytes."""
OP_BITS, STATUS_BITS = max(FlowOp).bit_length(), max(FlowStatus).bit_length()
KIND_BITS = max(EventKind).bit_length()
INTERVAL_BITS = 24
STREAMS = ("request", "result", "account", "command", "answer", "event")
OUTPUTS = {
    *(f"{stream}__ready" for stream in ("request", "account", "command")),
    *(f"{name}__{part}" for name in ("result", "answer", "event") for part in ("valid", "payload")),
    *("present", "stashed", "stale", "unlearned"),
}
"""Ports that the table drives."""


@dataclass(frozen=True)
class TablePorts:
    """Widths of a table of ``slots`` slots; ``select``: bits of the input that chooses a mutant."""

    slots: int
    select: int = 0

    @property
    def index_bits(self) -> int:
        """Bits of f and g."""
        return (self.slots // TABLES).bit_length() - 1

    @property
    def seed_bits(self) -> int:
        """Bits of the hash's seed."""
        return seed_bits(KEY_BITS, self.index_bits)

    @property
    def counted_bits(self) -> int:
        """Bits of a word of the counters' memory: from the lowest, generation, counts, time."""
        return GENERATION_BITS + COUNTER_BITS

    @property
    def settings_bits(self) -> int:
        """Bits of all settings."""
        return self.seed_bits + TIME_BITS + 1 + ACTION_BITS + INTERVAL_BITS

    def settings(self, *, seed=0, idle_timeout=0, learn=0, learn_action=0, learn_interval=0) -> int:
        """Settings, packed.  Raises ``ValueError`` for one that is too wide."""
        value = at = 0
        for name, given, bits in (
            ("seed", seed, self.seed_bits),
            ("idle_timeout", idle_timeout, TIME_BITS),
            ("learn", learn, 1),
            ("learn_action", learn_action, ACTION_BITS),
            ("learn_interval", learn_interval, INTERVAL_BITS),
        ):
            if not 0 <= given < 1 << bits:
                raise ValueError(f"{name} is {given!r}; it must be 0 to 2^{bits} - 1")
            value |= given << at
            at += bits
        return value

    @property
    def macros(self) -> dict[str, int]:
        """What the harness is compiled with, but for the latency."""
        named = {
            "SLOTS": self.slots,
            "TABLES": TABLES,
            "KEY_BITS": KEY_BITS,
            "KEY_BYTES": -(-KEY_BITS // 8),
            "ACTION_BITS": ACTION_BITS,
            "FLOW_BITS": (self.slots - 1).bit_length(),
            "GENERATION_BITS": GENERATION_BITS,
            "COUNTER_BITS": COUNTER_BITS,
            "COUNT_BITS": COUNTS_BITS // 2,
            "BYTES_BITS": BYTES_BITS,
            "OP_BITS": OP_BITS,
            "SLOT_BITS": SLOT_BITS,
            "STATUS_BITS": STATUS_BITS,
            "KIND_BITS": KIND_BITS,
            "TIME_BITS": TIME_BITS,
            "SETTINGS_BITS": self.settings_bits,
        }
        return named | ({"SELECT_BITS": self.select} if self.select else {})

    @property
    def ports(self) -> dict[str, int]:
        """Name → bits."""
        handle = (self.slots - 1).bit_length() + GENERATION_BITS
        record = KEY_BITS + ACTION_BITS + handle + COUNTER_BITS
        payloads = {
            "request": KEY_BITS,
            "result": 1 + ACTION_BITS + handle,
            "account": handle + BYTES_BITS,
            "command": OP_BITS + SLOT_BITS + KEY_BITS + ACTION_BITS,
            "answer": STATUS_BITS + record,
            "event": KIND_BITS + record,
        }
        found = {f"{name}__payload": bits for name, bits in payloads.items()}
        for name in STREAMS:
            found[f"{name}__valid"] = 1
            if name != "result":
                found[f"{name}__ready"] = 1
        found |= {"settings": self.settings_bits, "now": TIME_BITS}
        found |= {"present": self.slots.bit_length(), "stashed": 1, "stale": 1, "unlearned": 1}
        found |= {"clk": 1, "rst": 1}
        return found | ({SELECT: self.select} if self.select else {})
