"""The flow table's gateware in native simulation: commands in, answers and events out.

Beside the commands a lookup is offered in every cycle, unless idle cycles are asked for. The
harness checks by itself that each has its result at the right cycle, and that this is one that the
answers so far allow; that ``request.ready`` is low only where it may be; that offers stay until
they are taken; that there is one answer for each command; and that the table does not hang. What
answers and events say is for the caller to judge, see :mod:`.judge`.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stellar_model.flow.hash import KEY_BITS
from stellar_model.flow.records import RecordFormat
from stellar_spec.flow import TIME_BITS

from ..native.arguments import chance, unsigned
from ..verilate import read_verilog
from . import library
from .abi import ACCOUNTED, ANSWER_TIMES, EVENT_TIMES, CBatch, CFault, CResults, bind
from .faults import flow_error
from .ports import COUNTS_BITS, KIND_BITS, STATUS_BITS, TablePorts

__all__ = ["Commands", "NativeFlowTable", "Run", "Traffic"]

KEY_BYTES = -(-KEY_BITS // 8)
QUIET = 1200
"""Cycles behind the last answer in which lookups go on: a table at rest must take all of them."""
MOST_TICKS = 1 << 32


@dataclass(frozen=True)
class Commands:
    """A row of commands: an array of each member; ``keys`` are places in the pool."""

    ops: np.ndarray
    keys: np.ndarray
    actions: np.ndarray
    slots: np.ndarray

    def __len__(self):
        return len(self.ops)

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, int]]) -> "Commands":
        """From rows of op, key, action, slot."""
        table = np.array(rows, np.uint32).reshape(-1, 4)
        return cls(table[:, 0].astype(np.uint8), *(table[:, at].copy() for at in (1, 2, 3)))


@dataclass(frozen=True)
class Traffic:
    """What goes on beside the commands.

    ``idle``: chance of a cycle without a request.  ``gap``: chance of a pause behind a command.
    ``stall_answer``, ``stall_event``: chances of ``ready`` being low.  ``account``: chance that a
    packet that hit is accounted, 1 to about 1,000 cycles later.  ``start``: ``now`` at the reset;
    ``tick``: cycles in which it counts one further.
    """

    idle: float = 0.0
    gap: float = 0.0
    stall_answer: float = 0.0
    stall_event: float = 0.0
    account: float = 0.1
    start: int = 0
    tick: int = 16

    def __post_init__(self):
        for name in ("idle", "gap", "stall_answer", "stall_event", "account"):
            most = 1 if name in ("gap", "account") else 0.999
            if not 0 <= (value := getattr(self, name)) <= most:
                raise ValueError(f"{name} is {value!r}; a chance from 0 to {most} is needed")
        unsigned("start", self.start, TIME_BITS)
        if not 1 <= self.tick < MOST_TICKS:
            raise ValueError(f"tick is {self.tick!r}; it must be 1 to 2^32 - 1 cycles")

    def chances(self) -> dict[str, int]:
        """The chances in units of 2^-32."""
        names = ("idle", "gap", "stall_answer", "stall_event", "account")
        return {name: chance(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Run:
    """What came out of a batch.  Cycles count from the last reset on.

    ``answers`` and ``events`` are packed records; ``answer_times``, ``event_times`` and
    ``accounted`` have the columns of :mod:`.abi`; ``counts`` the numbers of ``CResults``.
    """

    answers: list[int]
    answer_times: np.ndarray
    events: list[int]
    event_times: np.ndarray
    accounted: np.ndarray
    traffic: Traffic
    counts: dict[str, int] = field(default_factory=dict)


class NativeFlowTable:
    """The Verilated flow table.

    Parameters
    ----------
    slots
        Slots of the table.
    engine_port
        Whether the gateware's engine has a port of its own.
    verilog
        File with the Verilog of such a table, in place of the gateware's own.
    latency
        Cycles from a request to its result; by default the gateware's.
    select
        Bits of that Verilog's input ``mutsel``, which chooses one of several mutants; 0: it has no
        such input.

    The library is built at the first use and cached. Raises ``ValueError`` for Verilog that is no
    such table, :class:`stellar_bench.verilate.BuildError` where the build fails. Use it as a
    context manager, or call :meth:`close`. Not for two threads at once.
    """

    def __init__(
        self,
        *,
        slots: int,
        engine_port: bool = False,
        verilog: Path | None = None,
        latency: int | None = None,
        select: int = 0,
    ):
        self.ports = TablePorts(slots, unsigned("select", select, 6))
        source = "the exported flow table" if verilog is None else str(verilog)
        if verilog is None or latency is None:
            text, own_latency = library.generated(slots, engine_port=engine_port)
            latency = own_latency if latency is None else latency
        if verilog is not None:
            text = read_verilog(verilog)
        self.answer_format, self.event_format = (
            RecordFormat(slots=slots, code_bits=bits, key_bits=KEY_BITS)
            for bits in (STATUS_BITS, KIND_BITS)
        )
        self._library = bind(library.build(self.ports, text, latency, source))
        self._handle = self._library.harness_create()
        self._keys = 0

    @property
    def slots(self) -> int:
        """Slots of the table."""
        return self.ports.slots

    def reset(self) -> None:
        """Lets the next batch begin with a reset, as the first one and those after an error do."""
        self._library.harness_reset(self._open())

    def select(self, mutant: int) -> None:
        """Goes on with ``mutant`` (0: the design as it is), as new as after construction.

        Raises ``ValueError`` for a number that the input has no room for.
        """
        number = unsigned("mutant", mutant, self.ports.select)
        self._library.harness_select(self._open(), number)

    def pool(self, keys: Sequence[int]) -> None:
        """The packed keys that are looked up and that commands name; the next batch resets.

        Raises ``ValueError`` for none at all, for two that are the same, and for one too wide.
        """
        if not keys or len(set(keys)) != len(keys):
            raise ValueError(f"{len(keys)} keys, {len(set(keys))} of them different; all must be")
        rows = b"".join(
            unsigned(f"keys[{at}]", key, KEY_BITS).to_bytes(KEY_BYTES, "little")
            for at, key in enumerate(keys)
        )
        self._keys = len(keys)
        self._library.harness_pool(self._open(), len(keys), rows)

    def close(self) -> None:
        """Frees the simulation; harmless when repeated."""
        if self._handle is not None:
            self._library.harness_destroy(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _open(self):
        if self._handle is None:
            raise ValueError("the engine is closed")
        return self._handle

    def run(
        self,
        commands: Commands,
        *,
        settings: dict[str, int],
        traffic: Traffic,
        seed: int = 1,
        timeout: int | None = None,
        presets: Sequence[tuple[int, int]] | None = None,
    ) -> Run:
        """Gives ``commands`` one behind the other; the table goes on from the last batch.

        Parameters
        ----------
        commands
            Their keys are places in the pool.
        settings
            Those of :meth:`.ports.TablePorts.settings`. ``seed`` may differ from the last batch's
            only if the table is empty and the first command is ``CLEAR``.
        traffic
            What goes on beside.  ``start`` and ``tick`` must not change without a reset.
        seed
            Of all that is drawn.
        timeout
            Cycles in which a command may get nowhere; by default 20,000 and 100 a slot.
        presets
            What each flow that has counted anything has counted before, packets and bytes, by its
            number: as after years.

        Raises :class:`.faults.FlowError`; the next batch then begins with a reset. Raises
        ``ValueError`` for arguments out of range, and for ``presets`` where the Verilog has no
        memory of its counters' size.
        """
        if not self._keys:
            raise ValueError("there is no key; give some by pool()")
        if len(commands) and int(commands.keys.max()) >= self._keys:
            raise ValueError(f"a command names key {commands.keys.max()} of {self._keys}")
        size = 4 * -(-self.ports.settings_bits // 32)
        packed = self.ports.settings(**settings).to_bytes(size, "little")
        self._library.harness_settings(self._open(), packed)
        arrays = {
            name: np.ascontiguousarray(getattr(commands, name), kind)
            for name, kind in (
                ("ops", np.uint8),
                ("slots", np.uint32),
                ("keys", np.uint32),
                ("actions", np.uint32),
            )
        }
        counts = self._counts(presets)
        batch = CBatch(
            presets=None if counts is None else counts.ctypes.data,
            commands=len(commands),
            seed=unsigned("seed", seed, 60),
            ageing=int(settings.get("idle_timeout", 0) > 0),
            learning=settings.get("learn", 0),
            learn_action=settings.get("learn_action", 0),
            start=traffic.start,
            tick=traffic.tick,
            timeout=20_000 + 100 * self.slots if timeout is None else timeout,
            quiet=QUIET,
            **traffic.chances(),
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        return self._run(batch, traffic)

    def _counts(self, presets):
        if presets is None:
            return None
        if not self._library.harness_presets():
            raise ValueError("presets were given, and this Verilog has no memory for them")
        if len(presets) != self.slots:
            raise ValueError(f"presets are {len(presets)} rows; there are {self.slots} flows")
        bits = COUNTS_BITS // 2
        rows = [[unsigned("a preset", value, bits) for value in row] for row in presets]
        return np.array(rows, np.uint64)

    def _run(self, batch, traffic):
        results, fault = CResults(), CFault()
        failed = self._library.harness_run(self._open(), batch, results, fault)
        run = Run(
            self._numbers(results.answer_rows, results.answers, self.answer_format.bits),
            _rows(results.answer_times, results.answers, ANSWER_TIMES),
            self._numbers(results.event_rows, results.events, self.event_format.bits),
            _rows(results.event_times, results.events, EVENT_TIMES),
            _rows(results.accounted, results.accounts, ACCOUNTED),
            traffic,
            {
                name: getattr(results, name)
                for name, kind in CResults._fields_
                if kind != ctypes.c_void_p
            },
        )
        if failed:
            raise flow_error(fault, batch.timeout, run)
        return run

    @staticmethod
    def _numbers(address, count, bits):
        size = -(-bits // 8)
        raw = ctypes.string_at(address, count * size) if count else b""
        return [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]


def _rows(address, count, kind):
    raw = ctypes.string_at(address, count * kind.itemsize) if count else b""
    return np.frombuffer(raw, kind)
