"""The harness' C interface in ctypes: mirrors interface.h, and says what each member means."""

import ctypes
import enum

__all__ = ["CBatch", "CFault", "CResults", "Kind", "Stream", "Time", "bind"]

_U64 = ctypes.c_uint64


class Kind(enum.IntEnum):
    """What was found wrong."""

    NONE = 0
    HANG = 1  # no stream moved for as long as the time-out
    EXTRA = 2  # something came behind the last frame's
    EARLY = 3  # something came before the bytes that it is about
    WITHDRAWN = 4  # valid went away although ready had not come
    CHANGED = 5  # a payload changed while it waited for ready
    DATA = 6  # the packet given is not the packet taken: its bytes,
    KEEP = 7  # keep,
    LAST = 8  # last,
    ERROR = 9  # error
    META = 10  # or meta
    MODEL = 11  # the Verilated model stopped by itself


class Stream(enum.IntEnum):
    """The parser's streams, by their port's name."""

    I = 0  # noqa: E741
    O = 1  # noqa: E741
    HEADER = 2
    TRAILER = 3


class Time(enum.IntEnum):
    """Columns of the table of times: cycles, counted from the start of the batch."""

    FIRST_TAKEN = 0  # handshake of the first beat
    MARK_TAKEN = 1  # handshake of the beat with the last byte in front of the mark
    LAST_TAKEN = 2  # handshake of the last beat
    HEADER_VALID = 3  # the header record is first offered
    TRAILER_VALID = 4  # the trailer record is first offered
    PACKET_GIVEN = 5  # handshake of the packet's last beat at o


class CBatch(ctypes.Structure):
    """What goes in."""

    _fields_ = [
        ("frames", _U64),
        ("bytes", ctypes.c_char_p),  # all frames, one behind the other
        ("starts", ctypes.c_void_p),  # uint64[frames + 1]: where each begins, and the end
        ("errors", ctypes.c_void_p),  # uint8[frames]: error of the last beat
        ("metas", ctypes.c_void_p),  # uint64[frames], packed
        ("marks", ctypes.c_void_p),  # uint64[frames]: bytes in front of the mark, at least 1
        ("seed", _U64),
        ("idle", _U64),  # chance of an idle cycle at i, in units of 2^-32
        ("stall", _U64 * 3),  # chance of ready = 0 at o, header, trailer, likewise
        ("timeout", _U64),  # cycles without a handshake that are still no hang
        ("drain", _U64),  # cycles after the last frame in which nothing may come
    ]


class CResults(ctypes.Structure):
    """What comes out; the arrays are the caller's."""

    _fields_ = [
        ("headers", ctypes.c_void_p),  # uint8[frames][bytes of a header record], little endian
        ("trailers", ctypes.c_void_p),  # uint8[frames][bytes of a trailer record]
        ("times", ctypes.c_void_p),  # uint64[frames][len(Time)]
        ("cycles", _U64),
        ("taken", _U64),  # frames taken at i
        ("packets", _U64),  # packets given at o
        ("header_records", _U64),
        ("trailer_records", _U64),
    ]


class CFault(ctypes.Structure):
    """What stopped a batch; which of byte, expected and found mean something depends on kind."""

    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("stream", ctypes.c_uint32),
        ("frame", _U64),
        ("byte", _U64),
        ("expected", _U64),
        ("found", _U64),
        ("cycle", _U64),
        ("text", ctypes.c_char * 256),
    ]


def bind(path):
    """Loads the shared library at ``path`` and declares its functions."""
    library = ctypes.CDLL(str(path))
    handle = ctypes.c_void_p
    run = [ctypes.POINTER(of) for of in (CBatch, CResults, CFault)]
    for name, result, arguments in (
        ("create", handle, []),
        ("destroy", None, [handle]),
        ("reset", None, [handle]),
        ("settings", None, [handle, ctypes.c_char_p]),
        ("select", None, [handle, _U64]),
        ("run", ctypes.c_int, [handle, *run]),
        ("abandon", ctypes.c_int, [handle, *run, _U64, _U64]),
    ):
        function = getattr(library, f"harness_{name}")
        function.restype, function.argtypes = result, arguments
    return library
