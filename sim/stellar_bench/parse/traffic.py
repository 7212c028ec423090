"""Frames to the parser and back, in whatever simulator: sent, held, released, compared, timed."""

from dataclasses import dataclass
from random import Random

from stellar_spec.records import INGRESS

from ..packets import Packet, PacketFormat
from ..scoreboard import ParserScoreboard
from ..stream_agents import Sink, Source

__all__ = ["INGRESS_WIDTH", "Gate", "ParserTraffic", "Rationed"]

INGRESS_WIDTH = sum(field.width for field in INGRESS)
"""Bits of a packet's meta."""


class Gate:
    """A throttle that a test opens and shuts; shut, it overrides the random pauses of ``inner``."""

    def __init__(self, inner=None):
        self.inner = inner
        self.open = True

    def paused(self) -> bool:
        """Whether the next cycle is a pause."""
        return not self.open or (self.inner is not None and self.inner.paused())


class Rationed(Gate):
    """A source's gate that lets ``limit`` beats pass in all; ``None``: any number."""

    def __init__(self, source: Source, inner=None):
        super().__init__(inner)
        self._source = source
        self.limit = None

    def paused(self) -> bool:
        """Whether the next cycle is a pause."""
        spent = self.limit is not None and len(self._source.transfers) >= self.limit
        return spent or super().paused()


class _Tap(Sink):
    """A sink that hands on what it takes in place of comparing it."""

    def __init__(self, deliver, *arguments, **options):
        super().__init__(*arguments, **options)
        self._deliver = deliver

    def take(self, cycle, payload):
        """Accept one payload."""
        self.transfers.append(cycle)
        item = self._assembler.push(payload) if self._assembler else payload
        if item is not None:
            self._deliver(item)


@dataclass(frozen=True)
class _Marks:
    """Beats, counted over all that was sent: the one with the last header byte, and the last."""

    header: int
    trailer: int


class ParserTraffic:
    """Takes over the source and the sinks of a stream bench around the parser.

    Parameters
    ----------
    bench
        Has ``sources`` and ``sinks`` by port name, as ``StreamBench`` has, and does not run yet.
    width : int
        Bytes per beat.
    """

    def __init__(self, bench, *, width: int):
        self.width = width
        self.scoreboard = None
        self.beats = 0
        self.marks: list[_Marks] = []
        fmt = PacketFormat(width, INGRESS_WIDTH)
        self._noise = noise = Random(0)
        self.source = bench.sources["i"] = Source(fmt.bits, rng=noise, fmt=fmt)
        self.header = _Tap(lambda value: self.scoreboard.header(value), "header", rng=noise)
        self.trailer = _Tap(lambda value: self.scoreboard.trailer(value), "trailer", rng=noise)
        self.packet = _Tap(lambda item: self.scoreboard.packet(item), "o", rng=noise, fmt=fmt)
        bench.sinks.update(header=self.header, trailer=self.trailer, o=self.packet)
        self._open_gates()

    def _open_gates(self):
        self.source.throttle = self.input = Rationed(self.source)
        self.header.throttle = self.header_gate = Gate()
        self.trailer.throttle = self.trailer_gate = Gate()
        self.packet.throttle = self.packet_gate = Gate()

    def begin(self, scoreboard: ParserScoreboard, rng: Random) -> None:
        """Start anew, all gates open; ``scoreboard`` judges all that comes out from now on.

        ``rng`` makes what is offered while nothing is valid.
        """
        self.scoreboard = scoreboard
        self._noise.seed(rng.random())
        self._open_gates()
        self.restart()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The three outputs' gates."""
        return (self.header_gate, self.trailer_gate, self.packet_gate)

    def send(self, *stimuli) -> None:
        """Queue frames, and expect what the model says of them."""
        for stimulus in stimuli:
            parsed = self.scoreboard.expect(stimulus)
            header = self.beats + max(0, (parsed.header_end - 1) // self.width)
            self.beats += -(-len(stimulus.frame) // self.width)
            self.marks.append(_Marks(header, self.beats - 1))
            self.source.send(Packet(stimulus.frame, stimulus.error, stimulus.meta.pack()))

    def latencies(self, name: str) -> list[int]:
        """Cycles to each ``header`` or ``trailer`` record, once all have come.

        They count from the beat with the last header byte, or from the last beat.  It is the time
        of the record's transfer that is known, so this is right while the sink is ready.
        """
        taken = self.source.transfers
        return [
            at - taken[getattr(mark, name)]
            for at, mark in zip(getattr(self, name).transfers, self.marks, strict=True)
        ]

    @property
    def moved(self) -> int:
        """Transfers at all ports so far."""
        agents = (self.source, self.header, self.trailer, self.packet)
        return sum(len(agent.transfers) for agent in agents)

    @property
    def inside_packet(self) -> bool:
        """Whether the last beat accepted was not its packet's last."""
        taken = len(self.source.transfers)
        return taken > 0 and all(mark.trailer + 1 != taken for mark in self.marks)

    def state(self) -> str:
        """What is still under way, for messages."""
        left = [f"{self.source.pending} beats not accepted"]
        left += [
            f"{self.scoreboard.outstanding(name)} {name}s to come"
            for name in ("header", "packet", "trailer")
        ]
        return ", ".join(left)

    def bubbles(self) -> int:
        """Cycles between the first and the last beat taken in which none was."""
        taken = self.source.transfers
        return taken[-1] - taken[0] + 1 - len(taken) if taken else 0

    def restart(self) -> None:
        """Forget all counts and what is still expected: a reset has thrown it away."""
        self.scoreboard.forget()
        self.beats = 0
        self.marks.clear()
        for agent in (self.source, self.header, self.trailer, self.packet):
            agent.transfers.clear()
