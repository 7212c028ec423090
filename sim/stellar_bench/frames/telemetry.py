"""INT: stacks well and badly formed, of every size, cut by the UDP length."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.opcodes import Opcode

from .recipes import ACK_FIELDS, ADDR_FIELDS, IMM_FIELDS, filler, good, int_fields, on_ip, send
from .stimulus import Stimulus

__all__ = ["first_words", "stacks", "telemetry", "zero_bits"]


def telemetry() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from first_words()
    yield from zero_bits()
    yield from stacks()


def first_words() -> Iterator[Stimulus]:
    """Hops reserved 0 to 15, hops used around it; a stack of as many hops, at most 8."""
    for reserved in range(16):
        room = 8 * min(reserved, 8)
        for used in sorted({0, reserved - 1, reserved, reserved + 1, 15}):
            if 0 <= used <= 15:
                inner = send(1, int=int_fields(reserved, used), stack=filler(room))
                name = f"int/{reserved}/{used}"
                yield Stimulus(name, build.ethernet(build.ipv4(inner)))
        for size in (0, 8 * reserved):
            if reserved > 8:
                inner = send(1, int=int_fields(reserved, 8), stack=filler(size))
                yield Stimulus(f"int/{reserved}/stack-{size}", build.ethernet(build.ipv6(inner)))


def zero_bits() -> Iterator[Stimulus]:
    """Each of the bits that are 0, and the one beside them that need not be."""
    for bit in range(23):
        inner = send(3, int=int_fields(1, 1, zero=1 << bit))
        yield Stimulus(f"int/zero-{bit}", build.ethernet(build.ipv4(inner)))
    for exceeded in (0, 1):
        inner = send(3, int=int_fields(1, 1, exceeded=exceeded))
        yield Stimulus(f"int/exceeded-{exceeded}", build.ethernet(build.ipv4(inner)))


def stacks() -> Iterator[Stimulus]:
    """Stacks with a few bytes too little or too much in the packet, in front of the check."""
    for reserved in range(10):
        whole = 8 * min(reserved, 8)
        for size in sorted({0, 3, 4, whole - 8, whole - 4, whole - 1, whole, whole + 1}):
            if 0 <= size <= whole + 1:
                inner = send(0, int=int_fields(reserved), stack=filler(size))
                name = f"stack/{reserved}/{size}"
                yield Stimulus(name, build.ethernet(build.ipv4(inner)))
    behind = {
        "addr": (Opcode.WRITE, {"addr": ADDR_FIELDS}),
        "imm": (Opcode.SEND_IMM, {"imm": IMM_FIELDS}),
        "ack": (Opcode.ACK, {"ack": ACK_FIELDS}),
        "addr-imm": (Opcode.READ_RESPONSE, {"addr": ADDR_FIELDS, "imm": IMM_FIELDS}),
        "body": (Opcode.PROBE, {}),
        "addr-imm-body": (Opcode.REDUCE, {"addr": ADDR_FIELDS, "imm": IMM_FIELDS}),
    }
    for name, (opcode, fields) in behind.items():
        for version in (4, 6):
            for missing in (0, 1, 8) if version == 4 else (0, 4):
                stack = filler(16 - missing, 0x91)
                inner = good(opcode, int=int_fields(2, 1), stack=stack, **fields)
                frame = build.ethernet(on_ip(version, inner))
                yield Stimulus(f"stack/behind-{name}/ipv{version}/{missing}", frame)
