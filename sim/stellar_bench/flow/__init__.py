"""The flow table's benches: native simulation and cocotb, and the judge that both ask.

``engine``
    the Verilated table and a C++ harness, called by ctypes: lookups in every cycle beside commands;
    ``ports`` and ``abi`` mirror the table's and the harness' declarations, ``library`` builds it,
    ``faults`` are what the harness finds by itself
``judge``
    answers, events and counters of a run against the golden model; ``packets`` are those accounted
``batches``, ``soak``
    the commands of a batch: filling, churning, emptying, clearing; a long row of them
``scenarios``, ``environment``, ``timeline``
    the cocotb bench: what is done, with what, and what the judge is told of it
"""

from .engine import Commands, NativeFlowTable, Run, Traffic
from .faults import FlowError

__all__ = ["Commands", "FlowError", "NativeFlowTable", "Run", "Traffic"]
