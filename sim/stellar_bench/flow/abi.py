"""The harness' C interface in ctypes: mirrors interface.h, and says what each member means."""

import ctypes
import enum

import numpy as np

__all__ = ["ACCOUNTED", "ANSWER_TIMES", "EVENT_TIMES", "CBatch", "CFault", "CResults", "Kind"]
__all__ += ["Stream", "bind"]

_U64, _U32, _PTR = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p


class Kind(enum.IntEnum):
    """What was found wrong."""

    NONE = 0
    HANG = 1  # a command or an accounting got nowhere for as long as the time-out
    EXTRA = 2  # an answer without a command, or an event with ageing and learning off
    APART = 3  # a command and its answer are not transferred in the same cycle
    WITHDRAWN = 4  # valid went away although ready had not come
    CHANGED = 5  # a payload changed while it waited for ready
    LATENCY = 6  # a result at another cycle than `latency` behind its request, or none, or two
    UNCLEAN = 7  # a miss whose payload is not all 0
    MISSED = 8  # a key that is present was not found
    FOUND = 9  # a key that is not present was found
    WRONG = 10  # another action or handle than those of the key
    REVIVED = 11  # a key was missed and found again, with the same handle
    UNREPORTED = 12  # a key was missed long before it was reported as aged
    UNKNOWN = 13  # an event about a key that nobody ever gave
    READY = 14  # request.ready was low although it had to be high
    MODEL = 15  # the Verilated model stopped by itself
    STASHED = 16  # a key stays in the stash though one of its slots must be free


class Stream(enum.IntEnum):
    """The table's streams, by their port's name."""

    REQUEST = 0
    RESULT = 1
    ACCOUNT = 2
    COMMAND = 3
    ANSWER = 4
    EVENT = 5


class CBatch(ctypes.Structure):
    """What goes in; chances are in units of 2^-32."""

    _fields_ = [
        ("commands", _U64),
        ("ops", _PTR),  # uint8[commands]
        ("slots", _PTR),  # uint32[commands]
        ("keys", _PTR),  # uint32[commands]: places in the pool
        ("actions", _PTR),  # uint32[commands], packed
        ("presets", _PTR),  # uint64[slots][2]: each flow's packets and bytes before; or null
        ("seed", _U64),
        ("idle", _U64),  # chance of a cycle without a request
        ("gap", _U64),  # chance of a pause of 1 to 64 cycles behind a command
        ("stall_answer", _U64),  # chance of ready = 0
        ("stall_event", _U64),
        ("account", _U64),  # chance that a packet that hit is accounted
        ("ageing", _U64),  # 1 where the settings let keys age
        ("learning", _U64),  # 1 where they let keys be learned,
        ("learn_action", _U64),  # with this action
        ("start", _U64),  # `now` in cycle 0
        ("tick", _U64),  # cycles in which it counts one further
        ("timeout", _U64),  # cycles in which a command may get nowhere
        ("quiet", _U64),  # cycles behind the last answer in which lookups go on
    ]


class CResults(ctypes.Structure):
    """What comes out; the rows are the harness', good until the next call."""

    _fields_ = [
        ("answer_times", _PTR),
        ("answer_rows", _PTR),  # uint8[answers][bytes of an answer], little endian
        ("event_times", _PTR),
        ("event_rows", _PTR),
        ("accounted", _PTR),
        ("answers", _U64),
        ("events", _U64),
        ("accounts", _U64),
        ("cycles", _U64),
        ("lookups", _U64),
        ("hits", _U64),
        ("refused", _U64),  # cycles in which request.ready was low
        ("stale", _U64),  # pulses of `stale`,
        ("unlearned", _U64),  # of `unlearned`,
        ("stashes", _U64),  # and rising edges of `stashed`
        ("present", _U64),  # at the end
        ("stashed", _U64),
    ]


class CFault(ctypes.Structure):
    """What stopped a batch; key, command: all ones where there is none."""

    _fields_ = [
        ("kind", _U32),
        ("stream", _U32),
        ("key", _U64),
        ("command", _U64),
        ("expected", _U64),
        ("found", _U64),
        ("cycle", _U64),
        ("text", ctypes.c_char * 256),
    ]


ANSWER_TIMES = np.dtype([(name, np.uint64) for name in ("offered", "taken", "valid", "given")])
"""Cycles: the command is first offered, is transferred, its answer first offered, transferred."""
EVENT_TIMES = np.dtype([(name, np.uint64) for name in ("valid", "given")])
ACCOUNTED = np.dtype(
    [
        ("cycle", np.uint64),  # of the transfer
        *((name, np.uint32) for name in ("flow", "generation", "bytes", "key")),
    ]
)
"""``key``: the place in the pool of the key whose lookup gave the handle."""


def bind(path):
    """Loads the shared library at ``path`` and declares its functions."""
    library = ctypes.CDLL(str(path))
    run = [ctypes.POINTER(of) for of in (CBatch, CResults, CFault)]
    for name, result, arguments in (
        ("create", _PTR, []),
        ("destroy", None, [_PTR]),
        ("reset", None, [_PTR]),
        ("settings", None, [_PTR, ctypes.c_char_p]),
        ("pool", None, [_PTR, _U64, ctypes.c_char_p]),
        ("select", None, [_PTR, _U64]),
        ("presets", ctypes.c_int, []),
        ("run", ctypes.c_int, [_PTR, *run]),
    ):
        function = getattr(library, f"harness_{name}")
        function.restype, function.argtypes = result, arguments
    return library
