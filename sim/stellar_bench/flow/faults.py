"""What the harness found wrong, in words."""

from .abi import Kind, Stream

__all__ = ["FlowError", "flow_error"]

NONE = 2**64 - 1
WORDS = {
    Kind.EXTRA: "one too many came",
    Kind.APART: "command and answer are not transferred in the same cycle",
    Kind.WITHDRAWN: "valid was withdrawn before ready",
    Kind.CHANGED: "payload changed while valid waited for ready",
    Kind.UNCLEAN: "a miss is not all zero",
    Kind.MISSED: "a key that is present was missed",
    Kind.FOUND: "a key that is not present was found",
    Kind.WRONG: "the key was found with a wrong action or handle",
    Kind.REVIVED: "the key was missed before, and is here again with the same handle",
    Kind.UNREPORTED: "the key was missed long before it was reported as aged",
    Kind.STASHED: "a key stays in the stash, and so few are present that a slot of it is free",
    Kind.UNKNOWN: "is about a key that was never looked up nor inserted",
}


class FlowError(RuntimeError):
    """The gateware broke a rule that needs no model.

    ``kind`` and ``stream`` (see :mod:`stellar_bench.flow.abi`) say what is wrong; ``key`` is a
    place in the pool and ``command`` a number in the batch, or ``None``; ``cycle`` counts from the
    reset; ``run`` is what came out until then.
    """

    def __init__(self, message, *, kind, stream, key, command, cycle, run):
        super().__init__(message)
        self.kind, self.stream, self.key, self.command = kind, stream, key, command
        self.cycle, self.run = cycle, run


def _describe(fault, timeout):
    kind = Kind(fault.kind)
    if kind is Kind.MODEL:
        return f"the simulation stopped: {fault.text.decode(errors='replace')}"
    if kind is Kind.HANG:
        return f"hangs: nothing moved for {timeout} cycles"
    if kind is Kind.LATENCY:
        return (
            "there is a result, and none is due" if fault.found else "the result that is due is not"
        )
    if kind is Kind.READY:
        if fault.expected == NONE:
            return "ready is low although the engine has had nothing to do for long"
        return f"ready is low behind {fault.found} requests in a row; {fault.expected} are due"
    values = f": expected {fault.expected:#x}, found {fault.found:#x}"
    return WORDS[kind] + (values if fault.expected or fault.found else "")


def flow_error(fault, timeout, run) -> FlowError:
    """The exception for ``fault``."""
    key, command = (None if number == NONE else number for number in (fault.key, fault.command))
    kind, stream = Kind(fault.kind), Stream(fault.stream)
    place = "" if key is None else f", key {key}"
    place += "" if command is None else f", command {command}"
    message = f"cycle {fault.cycle}{place}: {stream.name.lower()}: {_describe(fault, timeout)}"
    places = {"key": key, "command": command, "cycle": fault.cycle}
    return FlowError(message, kind=kind, stream=stream, run=run, **places)
