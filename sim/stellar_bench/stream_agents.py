"""Source, sink and monitor of a stream as plain state machines, one step per clock edge.

They know no simulator: `stellar_bench.streams` runs them under cocotb, and
`stellar_bench.amaranth_streams` in Amaranth's simulator.
"""

from collections import deque

from stellar_spec.streams import StreamRule

from .packets import PacketAssembler

__all__ = ["Monitor", "ScoreboardError", "Sink", "Source", "StreamViolation", "Throttle"]


class StreamViolation(AssertionError):
    """A stream broke a rule of the contract."""

    def __init__(self, port, cycle, rule, detail):
        super().__init__(f"{port}, cycle {cycle}: {rule.name}: {detail}")
        self.port = port
        self.cycle = cycle
        self.rule = rule


class ScoreboardError(AssertionError):
    """A sink received something else, something more, or something less than expected."""


class Throttle:
    """Random pauses: single cycles and bursts, so that queues run empty and full.

    Parameters
    ----------
    rng : random.Random
        Where the random numbers come from.
    probability : float
        Share of the time that is paused, from 0 (never) to below 1.
    """

    BURSTS = (1, 1, 1, 2, 3, 5, 16)

    def __init__(self, rng, probability):
        if not 0 <= probability < 1:
            raise ValueError(f"the share of pauses must be from 0 to below 1, not {probability!r}")
        self._rng = rng
        self._probability = probability
        self._left = 0
        self._paused = False

    def paused(self):
        """Whether the next cycle is a pause."""
        if not self._probability:
            return False
        if not self._left:
            self._left = self._rng.choice(self.BURSTS)
            self._paused = self._rng.random() < self._probability
        self._left -= 1
        return self._paused


class Source:
    """Offers packets (or plain payloads) to a stream input.

    Parameters
    ----------
    bits : int
        Width of the payload.
    rng : random.Random
        For the pauses, and for the payload during them, which nothing may look at.
    fmt : PacketFormat, optional
        How packets travel. Without it the items are payloads, as numbers.
    idle : float
        Share of the time with nothing offered.
    """

    def __init__(self, bits, *, rng, fmt=None, idle=0.0):
        self._bits = bits
        self._rng = rng
        self._fmt = fmt
        self.throttle = Throttle(rng, idle)
        self._beats = deque()
        self._offered = False
        self.in_packet = False
        """Whether a packet has been begun, but its last beat has not been accepted."""
        self.transfers = []
        """Cycle of every transfer."""

    def send(self, *items):
        """Queue packets (or payloads)."""
        for item in items:
            self._beats.extend(self._fmt.beats(item) if self._fmt else (item,))

    @property
    def pending(self):
        """Beats that have not been accepted yet."""
        return len(self._beats)

    @property
    def offering(self):
        """Whether a beat is being offered."""
        return self._offered

    @property
    def offered(self):
        """The payload that is being offered, or None."""
        return self._beats[0] if self._offered else None

    def reset(self):
        """Forget everything that has not been accepted; return what to drive."""
        self._beats.clear()
        self._offered = self.in_packet = False
        return (0, self._rng.getrandbits(self._bits))

    def step(self, cycle, ready):
        """One clock edge. Returns ``(valid, payload)`` to drive, or None if that stays."""
        was_offered = self._offered
        if was_offered:
            if not ready:
                return None
            self.transfers.append(cycle)
            accepted = self._beats.popleft()
            self.in_packet = self._fmt is not None and not self._fmt.last(accepted)
        self._offered = bool(self._beats) and not self.throttle.paused()
        if self._offered:
            return (1, self._beats[0])
        if was_offered:
            return (0, self._rng.getrandbits(self._bits))
        return None


class Sink:
    """Takes packets (or plain payloads) from a stream output, and compares them.

    Once :meth:`expect` has been called, everything received is compared at once, and
    :meth:`finish` fails if something did not come. Before that, all is just kept in ``received``.

    Parameters
    ----------
    port : str
        Name for messages.
    rng : random.Random
        For the pauses.
    fmt : PacketFormat, optional
        How packets travel. Without it the items are payloads, as numbers.
    stall : float
        Share of the time in which nothing is accepted.
    """

    def __init__(self, port, *, rng, fmt=None, stall=0.0):
        self._port = port
        self.throttle = Throttle(rng, stall)
        self._assembler = PacketAssembler(fmt) if fmt else None
        self._expected = None
        self.received = []
        """All that came, in order."""
        self.transfers = []
        """Cycle of every transfer."""

    def expect(self, *items):
        """Queue what must come next; from now on, nothing else may."""
        if self._expected is None:
            self._expected = deque()
        self._expected.extend(items)

    @property
    def outstanding(self):
        """How many expected items have not come yet."""
        return len(self._expected or ())

    def reset(self):
        """Forget what is expected and the packet that is under way; return ``ready``."""
        if self._expected is not None:
            self._expected.clear()
        if self._assembler:
            self._assembler.reset()
        return 0

    def next_ready(self):
        """What to drive on ``ready`` in the next cycle."""
        return not self.throttle.paused()

    def take(self, cycle, payload):
        """Accept one payload."""
        self.transfers.append(cycle)
        item = self._assembler.push(payload) if self._assembler else payload
        if item is None:
            return
        index = len(self.received)
        self.received.append(item)
        if self._expected is None:
            return
        if not self._expected:
            raise ScoreboardError(f"{self._port}, cycle {cycle}: item {index} too many: {item}")
        expected = self._expected.popleft()
        if item != expected:
            raise ScoreboardError(
                f"{self._port}, cycle {cycle}: item {index} is {item}, expected {expected}"
            )

    def finish(self):
        """Fail if something expected did not come, or if a packet was not completed."""
        if self._expected:
            raise ScoreboardError(
                f"{self._port}: {len(self._expected)} expected item(s) did not come after "
                f"{len(self.received)}, the first is {self._expected[0]}"
            )
        if self._assembler and self._assembler.partial:
            raise ScoreboardError(f"{self._port}: a packet has no end: {self._assembler.partial!r}")


class Monitor:
    """Checks the contract of docs/streams.md at every clock edge.

    Parameters
    ----------
    port : str
        Name for messages.
    fmt : PacketFormat, optional
        For a packet stream. Without it the payload is opaque.
    """

    def __init__(self, port, *, fmt=None):
        self._port = port
        self._fmt = fmt
        self.reset()

    def reset(self):
        """Start anew: nothing is stalled, no packet is under way."""
        self._stalled = None
        self._meta = None

    def step(self, cycle, valid, ready, payload):
        """One clock edge; ``payload`` matters only with ``valid``.

        Raises
        ------
        StreamViolation
            If a rule is broken.
        """
        stalled = self._stalled
        if not valid:
            if stalled is not None:
                self._fail(cycle, StreamRule.VALID_WITHDRAWN, f"{stalled:#x} was not accepted")
            return
        if stalled is not None and payload != stalled:
            detail = f"{stalled:#x} became {payload:#x} and was not accepted"
            self._fail(cycle, StreamRule.PAYLOAD_CHANGED, detail)
        if self._fmt and stalled is None:
            self._check_packet(cycle, payload)
        if not ready:
            self._stalled = payload
            return
        self._stalled = None
        if self._fmt:
            self._meta = None if self._fmt.last(payload) else self._fmt.meta(payload)

    def _check_packet(self, cycle, payload):
        fmt = self._fmt
        keep = fmt.keep(payload)
        if keep != fmt.full_keep:
            shown = f"keep is {keep:0{fmt.width}b}"
            if not keep:
                self._fail(cycle, StreamRule.KEEP_EMPTY, shown)
            if keep & (keep + 1):
                self._fail(cycle, StreamRule.KEEP_GAP, shown)
            if not fmt.last(payload):
                self._fail(cycle, StreamRule.KEEP_PARTIAL, f"{shown}, last is 0")
        if self._meta is not None and fmt.meta(payload) != self._meta:
            detail = f"{self._meta:#x} became {fmt.meta(payload):#x} within a packet"
            self._fail(cycle, StreamRule.META_CHANGED, detail)

    def _fail(self, cycle, rule, detail):
        raise StreamViolation(self._port, cycle, rule, detail)
