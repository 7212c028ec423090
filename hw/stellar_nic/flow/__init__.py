"""The flow table: exact match from a flow key to an action and counters.

=============  ====================================================================================
``table``      the component: wires the three parts
``lookup``     the pipeline of a lookup, with the memories; ``hash`` gives the places of a key
``engine``     commands, ageing and learning, one after the other; ``steps`` of a job
``entries``    the two entries that the engine has in its hands
``placer``     brings a new key to a slot by moving others; ``search`` finds how
``handles``    the numbers of flows
``timers``     when the table acts by itself
``counters``   packets, bytes and time of each flow
``layouts``    layouts of the ports
=============  ====================================================================================
"""

from .hash import FlowHash
from .layouts import ACTION_LAYOUT, COUNTERS_LAYOUT, KEY_LAYOUT, FlowLayouts
from .table import FlowTable

__all__ = [
    "ACTION_LAYOUT",
    "COUNTERS_LAYOUT",
    "KEY_LAYOUT",
    "FlowHash",
    "FlowLayouts",
    "FlowTable",
]
