"""Damage to good frames: flipped bits, cuts, edited lengths and types; sums repaired or not."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from stellar_model.check import end_to_end_check
from stellar_model.checksum import checksum, pseudo_header
from stellar_spec.codes import TPIDS, EtherType, Protocol
from stellar_spec.headers import CHECK_SIZE, IPV4, STELLAR, UDP

from .recipes import IP_SIZES

__all__ = ["Made", "mutate", "repair"]


@dataclass(frozen=True)
class Made:
    """A frame and where its parts are: ``version`` of IP (0: none), ``l3`` and ``l4`` in bytes.

    ``l4`` is 0 when no UDP header is there.
    """

    data: bytes
    version: int = 0
    l3: int = 14
    l4: int = 0


def mutate(rng: random.Random, made: Made) -> bytes:
    """One to three kinds of damage, after which what sums the frame has are often made right."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        made = replace(made, data=rng.choice(KINDS)(rng, made))
    if rng.random() < 0.6:
        made = replace(made, data=repair(made))
    return made.data


def flip(rng: random.Random, made: Made) -> bytes:
    """A bit, most often one of a header."""
    data = bytearray(made.data)
    data[place(rng, made)] ^= 1 << rng.randrange(8)
    return bytes(data)


def overwrite(rng: random.Random, made: Made) -> bytes:
    """A byte by another, or by one that matters somewhere."""
    data = bytearray(made.data)
    special = (0, 0xFF, 17, 6, 44, 51, 131, 137, 201)
    data[place(rng, made)] = rng.choice((rng.randrange(256), rng.choice(special)))
    return bytes(data)


def cut(rng: random.Random, made: Made) -> bytes:
    """An end anywhere behind the MAC addresses: in front of them no two seeds would differ."""
    return made.data[: rng.randint(min(14, len(made.data)), len(made.data))]


def extend(rng: random.Random, made: Made) -> bytes:
    return made.data + rng.randbytes(rng.randint(1, 20))


def remove(rng: random.Random, made: Made) -> bytes:
    """Some bytes out of the middle; all that follows moves."""
    at = place(rng, made)
    return made.data[:at] + made.data[min(at + rng.randint(1, 8), len(made.data) - 1) :]


def edit_length(rng: random.Random, made: Made) -> bytes:
    """The IP or the UDP length: a little off, or any value."""
    if not made.version:
        return flip(rng, made)
    at = made.l3 + (2 if made.version == 4 else 4)
    if made.l4 and rng.random() < 0.5:
        at = made.l4 + 4
    old = int.from_bytes(made.data[at : at + 2], "big")
    new = rng.choice((old + rng.randint(-9, 9), old + rng.randint(-60, 60), rng.randrange(0x10000)))
    return put(made.data, at, (max(0, new) & 0xFFFF).to_bytes(2, "big"))


def edit_type(rng: random.Random, made: Made) -> bytes:
    """The EtherType or the protocol: another that leads on."""
    if made.version and rng.random() < 0.6:
        at = made.l3 + (9 if made.version == 4 else 6)
        return put(made.data, at, bytes([rng.choice(list(Protocol))]))
    number = rng.choice((*TPIDS, EtherType.IPV4, EtherType.IPV6, rng.randrange(0x10000)))
    return put(made.data, made.l3 - 2, number.to_bytes(2, "big"))


def edit_stellar(rng: random.Random, made: Made) -> bytes:
    """The base header's first byte (version, opcode) or its flags, or a byte of an extension."""
    if not made.l4:
        return flip(rng, made)
    at = made.l4 + UDP.size
    if rng.random() < 0.3:
        at += STELLAR.size + rng.randrange(40)
        return put(made.data, at, rng.randbytes(1))
    version = rng.choice((0, 0, 0, rng.randrange(1, 4)))
    first = rng.choice((version << 6 | rng.randrange(64), None))
    if first is None:
        return put(made.data, at + 1, rng.randbytes(1))
    return put(made.data, at, bytes([first]))


KINDS: tuple[Callable[[random.Random, Made], bytes], ...] = (
    *(flip, flip, overwrite, overwrite),
    *(cut, extend, remove, edit_length, edit_length, edit_type, edit_stellar, edit_stellar),
)


def place(rng: random.Random, made: Made) -> int:
    """A byte of the frame, most often of what lies around the IP and UDP headers."""
    end = len(made.data)
    if rng.random() < 0.7:
        return rng.randrange(min(12, end - 1), min(made.l3 + 64, end))
    return rng.randrange(end)


def put(data: bytes, at: int, new: bytes) -> bytes:
    """``data`` with ``new`` at byte ``at``; unchanged when it ends before."""
    return data[:at] + new + data[at + len(new) :] if at + len(new) <= len(data) else data


def repair(made: Made) -> bytes:
    """The frame with IPv4 header sum, end-to-end check and UDP sum made right, as far as it goes.

    The headers are taken to be where they were made.
    """
    data = made.data
    if made.version == 4:
        size = max(IPV4.size, 4 * (data[made.l3] & 15)) if len(data) > made.l3 else 0
        header = put(data[made.l3 : made.l3 + size], 10, bytes(2))
        data = put(data, made.l3 + 10, checksum(header).to_bytes(2, "big"))
    return repair_datagram(replace(made, data=data)) if made.l4 else data


def repair_datagram(made: Made) -> bytes:
    """The end-to-end check, and UDP's checksum if there is one."""
    data, l4 = made.data, made.l4
    size = int.from_bytes(data[l4 + 4 : l4 + 6], "big")
    if size < UDP.size + STELLAR.size + CHECK_SIZE or l4 + size > len(data):
        return data
    first = made.l3 + (12 if made.version == 4 else 8)
    fixed = made.l3 + IP_SIZES[made.version]
    addresses = data[first:fixed]
    seal = end_to_end_check(addresses, l4 - fixed, data[l4 : l4 + size])
    data = put(data, l4 + size - CHECK_SIZE, seal)
    if data[l4 + 6 : l4 + 8] == bytes(2):
        return data
    unsummed = put(data[l4 : l4 + size], 6, bytes(2))
    value = checksum(pseudo_header(addresses, size) + unsummed) or 0xFFFF
    return put(data, l4 + 6, value.to_bytes(2, "big"))
