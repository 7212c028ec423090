"""Capture files byte by byte, for the reader's tests; ``e`` is struct's sign of the byte order."""

import struct

__all__ = ["enhanced", "file_header", "interface", "obsolete", "option", "record", "section"]
__all__ += ["block", "simple", "MICROSECONDS", "NANOSECONDS"]

MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D


def file_header(e="<", magic=MICROSECONDS, network=1, version=(2, 4)):
    return struct.pack(e + "IHHiIII", magic, *version, 0, 0, 65535, network)


def record(data, e="<", time=(0, 0), captured=None, wire=None):
    captured = len(data) if captured is None else captured
    wire = len(data) if wire is None else wire
    return struct.pack(e + "IIII", *time, captured, wire) + data


def pad(data):
    return data + bytes(-len(data) % 4)


def block(kind, body, e="<", length=None, again=None):
    body = pad(body)
    length = len(body) + 12 if length is None else length
    again = length if again is None else again
    return struct.pack(e + "II", kind, length) + body + struct.pack(e + "I", again)


def option(code, value, e="<"):
    return struct.pack(e + "HH", code, len(value)) + pad(value)


def section(e="<", version=(1, 0), magic=0x1A2B3C4D, options=b""):
    return block(0x0A0D0D0A, struct.pack(e + "IHHq", magic, *version, -1) + options, e)


def interface(e="<", link_type=1, snap_length=0, options=b""):
    return block(1, struct.pack(e + "HHI", link_type, 0, snap_length) + options, e)


def enhanced(data, e="<", index=0, ticks=0, captured=None, wire=None, options=b""):
    captured = len(data) if captured is None else captured
    wire = len(data) if wire is None else wire
    head = struct.pack(e + "IIIII", index, ticks >> 32, ticks & 0xFFFFFFFF, captured, wire)
    return block(6, head + pad(data) + options, e)


def simple(data, e="<", wire=None):
    return block(3, struct.pack(e + "I", len(data) if wire is None else wire) + data, e)


def obsolete(data, e="<", index=0, ticks=0, wire=None, options=b""):
    wire = len(data) if wire is None else wire
    head = struct.pack(e + "HHII", index, 7, ticks >> 32, ticks & 0xFFFFFFFF)
    return block(2, head + struct.pack(e + "II", len(data), wire) + pad(data) + options, e)
