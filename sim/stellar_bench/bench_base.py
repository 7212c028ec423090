"""What the stream benches of both simulators share: agents by port, time, progress, the end."""

__all__ = ["BenchBase"]


class BenchBase:
    """Sources and sinks of one component, and whether they get on.

    Attributes
    ----------
    cycle : int
        Clock edges so far.
    sources, sinks : dict
        A :class:`~stellar_bench.stream_agents.Source` or
        :class:`~stellar_bench.stream_agents.Sink` by port name; others may take their places before
        the bench runs.
    """

    QUIET = 16
    """Cycles without anything offered at any port after which nothing more is expected to come."""
    PATIENCE = 2000
    """Cycles without a transfer at any port after which the bench gives up."""

    def __init__(self):
        self.cycle = 0
        self.sources = {}
        self.sinks = {}
        self._last_offer = self._last_transfer = 0

    @property
    def unsent(self):
        """Beats not accepted yet, by port."""
        return {name: source.pending for name, source in self.sources.items() if source.pending}

    def step_source(self, source, ready):
        """One clock edge of a source; what to drive, as :meth:`Source.step`."""
        if source.offering:
            self._last_offer = self.cycle
            if ready:
                self._last_transfer = self.cycle
        return source.step(self.cycle, ready)

    def step_sink(self, sink, valid, ready, payload):
        """One clock edge of a sink; its next ``ready``."""
        if valid:
            self._last_offer = self.cycle
            if ready:
                self._last_transfer = self.cycle
                sink.take(self.cycle, payload)
        return sink.next_ready()

    async def drain_by(self, wait):
        """Wait until all is sent, received and quiet; fail on leftovers.

        ``await wait(cycles)`` lets cycles pass.

        Raises
        ------
        ScoreboardError
            If a sink lacks something when all is quiet, or has a packet without an end.
        TimeoutError
            If something is offered, but nothing moves.
        """
        self._last_offer = self._last_transfer = self.cycle
        while self.unsent or self.cycle - self._last_offer < self.QUIET:
            await wait(4)
            if self.cycle - self._last_transfer > self.PATIENCE:
                raise TimeoutError(
                    f"no transfer for {self.PATIENCE} cycles up to cycle {self.cycle}; "
                    f"not accepted: {self.unsent}"
                )
        for sink in self.sinks.values():
            sink.finish()
