"""What the harness found wrong, in words."""

from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

from .abi import Kind, Stream

__all__ = ["EngineError", "engine_error", "misfit"]


class EngineError(RuntimeError):
    """The gateware broke a rule.

    ``frame`` is the index, from 0, of the first frame that is not as it should be; ``stream`` and
    ``kind`` (see :mod:`stellar_bench.native.abi`) say what is wrong; ``cycle`` counts from the
    start of the run.
    """

    def __init__(self, message, *, kind, stream, frame, cycle):
        super().__init__(message)
        self.kind, self.stream, self.frame, self.cycle = kind, stream, frame, cycle


_WHAT = {
    Stream.O: "packet",
    Stream.HEADER: "header record",
    Stream.TRAILER: "trailer record",
}


def _describe(fault, batch, results):
    """One sentence on what went wrong, without the frame's number."""
    kind = Kind(fault.kind)
    what = _WHAT.get(Stream(fault.stream), "stream i")
    values = f"expected {fault.expected:#x}, found {fault.found:#x}"
    if kind is Kind.HANG:
        return (
            f"hangs: nothing moved for {batch.timeout} cycles; of {batch.frames} frames the parser "
            f"took {results.taken} and gave {results.packets} packets, {results.header_records} "
            f"header records, {results.trailer_records} trailer records"
        )
    if kind is Kind.EXTRA:
        return f"one {what} too many: it came after those of all {batch.frames} frames"
    if kind is Kind.EARLY:
        early = f"{fault.frame} came before the bytes that it is about were taken"
        if fault.stream == Stream.O or not fault.frame:
            return f"{what} {early}"
        return f"{what} {fault.frame - 1} was given twice, or {what.split()[1]} {early}"
    if kind is Kind.WITHDRAWN:
        return f"{what} {fault.frame}: valid was withdrawn before ready"
    if kind is Kind.CHANGED:
        return f"{what} {fault.frame}: payload changed while valid waited for ready"
    if kind is Kind.DATA:
        return f"packet at o differs at byte {fault.byte}: {values}"
    if kind is Kind.MODEL:
        return f"the simulation stopped: {fault.text.decode(errors='replace')}"
    return f"packet at o has a wrong {kind.name.lower()} in the beat of byte {fault.byte}: {values}"


def engine_error(batch, results, fault, other):
    """The exception for ``fault``; ``other`` is what :func:`misfit` found."""
    kind, stream, frame = Kind(fault.kind), Stream(fault.stream), fault.frame
    text = _describe(fault, batch, results)
    if other is not None and kind in (Kind.HANG, Kind.EXTRA, Kind.EARLY):
        frame, stream = other
        text += (
            f"; {stream.name.lower()} record {frame} does not belong to frame {frame}: a record "
            "was lost or doubled there"
        )
    frame = min(frame, max(batch.frames - 1, 0))
    message = f"frame {frame} (counted from 0), cycle {fault.cycle}: {text}"
    return EngineError(message, kind=kind, stream=stream, frame=frame, cycle=fault.cycle)


def misfit(headers, trailers, metas, lengths):
    """The first frame whose record is another's by its meta or length, and the record's stream."""
    found = []
    for stream, table, groups, group, values in (
        (Stream.HEADER, headers, HEADER_RECORD, "meta", metas),
        (Stream.TRAILER, trailers, TRAILER_RECORD, "trailer.length", lengths),
    ):
        low, width = _place(groups, group)
        mask = (1 << width) - 1
        for frame, row in enumerate(table):
            value = int.from_bytes(row.tobytes(), "little") >> low & mask
            if value != min(int(values[frame]), mask):
                found.append((frame, stream))
                break
    return min(found, default=None)


def _place(groups, name):
    """Lowest bit and width of the group or ``group.field`` called ``name`` in a packed record."""
    low = 0
    for group in groups:
        if group.name == name:
            return low, group.width
        for field in group.fields:
            if f"{group.name}.{field.name}" == name:
                return low, field.width
            low += field.width
    raise KeyError(name)
