"""The flow table's bench: native simulation, and the judge that holds it against the model.

``engine``
    the Verilated table and a C++ harness, called by ctypes: lookups in every cycle beside commands
``judge``
    answers, events and counters of a run against the golden model
``batches``
    the commands of a batch: filling, churning, emptying, clearing
"""

from .engine import Commands, NativeFlowTable, Run, Traffic
from .faults import FlowError

__all__ = ["Commands", "FlowError", "NativeFlowTable", "Run", "Traffic"]
