"""The flow table's text with its mutants, how it is run and judged, and its contract."""

import re
from pathlib import Path
from random import Random

from ...flow import NativeFlowTable
from ...flow.library import generated
from ...flow.soak import run_batch
from ..target import Contract, MutationTarget, Source
from .stimuli import ROWS, Set, made

__all__ = ["TARGET", "FlowTableDevice"]

SLOTS = (64, 128, 256)


def stimuli(slots: int, seed: int) -> list[Set]:
    """All rows of the table for a flow table of ``slots`` slots."""
    return [made(row, slots=slots, seed=seed) for row in ROWS]


class FlowTableDevice:
    """The simulated flow table with its mutants."""

    def __init__(self, slots: int, verilog: Path, bits: int):
        _, latency = generated(slots)  # that of the block as it is, which no mutant may change
        self._engine = NativeFlowTable(slots=slots, verilog=verilog, latency=latency, select=bits)

    def select(self, mutant: int) -> None:
        """Go on with ``mutant``, from reset; 0 is the table as it is."""
        self._engine.select(mutant)

    def run(self, stimuli: Set) -> str | None:
        """What is wrong on these stimuli, in one line; ``None`` if nothing is."""
        for number, one in enumerate(stimuli.batches):
            _, problem = run_batch(self._engine, one)
            if problem:
                return f"batch {number}, " + " / ".join(map(str.strip, problem.splitlines()))
        return None


def source(slots: int) -> Source:
    """The table in RTLIL, each cell with the line of Python that made it."""
    from amaranth.back import rtlil

    from stellar_nic.flow import FlowTable

    text = rtlil.convert(FlowTable(slots=slots), name="flow_table", emit_src=True)
    # The packages' names are enough, wherever they are installed.
    text = used(re.sub(r'(?<=attribute \\src ")\S*/(?=(?:stellar_nic|amaranth)/)', "", text))
    return Source(text, "rtlil", "flow_table")


def used(text: str) -> str:
    """The RTLIL ``text`` with memories as somebody may have left them, who is none of ours.

    A reset empties the table, whatever is in it; generations go on from where they were, and so
    have all their bits, for which one run is too short otherwise.
    """
    rng = Random("memories")

    def filled(found):
        bits = int(found[1])
        return f"connect \\DATA {bits}'{rng.getrandbits(bits):0{bits}b}"

    return re.sub(r"connect \\DATA (\d+)'0+$", filled, text, flags=re.MULTILINE)


def contract(slots: int) -> Contract:
    """docs/streams.md: a payload means nothing without ``valid``, and offers stay."""
    return Contract(("result", "answer", "event"), offers=("request", "account", "command"))


TARGET = MutationTarget(
    *("flow_table", SLOTS, source, stimuli, FlowTableDevice, contract),
    word="slots",
    least=95,
)
