"""Amaranth layouts of the flow table's streams, derived from ``stellar_spec.flow``."""

from amaranth.lib import data

from stellar_spec import flow as spec

__all__ = ["ACTION_LAYOUT", "COUNTERS_LAYOUT", "KEY_LAYOUT", "FlowLayouts"]


def _row(fields):
    return {field.name: field.width for field in fields}


KEY_LAYOUT = data.StructLayout(_row(spec.FLOW_KEY))
"""A flow key as it is looked up and kept."""

ACTION_LAYOUT = data.StructLayout(_row(spec.ACTION))
"""What is to happen to a flow's packets."""

COUNTERS_LAYOUT = data.StructLayout(_row(spec.COUNTERS))
"""Packets, bytes, and when the flow was last seen."""


class FlowLayouts:
    """The layouts that depend on a table's size and key.

    Parameters
    ----------
    slots : int
        Slots of the table without its stash.
    key : data.StructLayout
        The key; its field ``kind`` is 0 where there is none.
    seed_bits : int
        Of the hash.
    """

    def __init__(self, *, slots, key=KEY_LAYOUT, seed_bits):
        self.key = key
        self.handle = data.StructLayout(_row(spec.handle(slots)))
        self.entry = data.StructLayout({"key": key, "action": ACTION_LAYOUT, "handle": self.handle})
        self.result = data.StructLayout({"hit": 1, "action": ACTION_LAYOUT, "handle": self.handle})
        self.account = data.StructLayout({"handle": self.handle, **_row(spec.ACCOUNT)})
        self.command = data.StructLayout(
            {"op": 3, "slot": spec.SLOT_BITS, "key": key, "action": ACTION_LAYOUT}
        )
        record = {"key": key, "action": ACTION_LAYOUT, "handle": self.handle}
        record |= _row(spec.COUNTERS)
        self.answer = data.StructLayout({"status": 3, **record})
        self.event = data.StructLayout({"kind": 1, **record})
        self.settings = data.StructLayout(
            {
                "seed": seed_bits,
                "idle_timeout": spec.TIME_BITS,
                "learn": 1,
                "learn_action": ACTION_LAYOUT,
                "learn_interval": 24,
            }
        )
