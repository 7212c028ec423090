"""How the layers of a frame hang together."""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Part", "Payload", "number_of", "part", "render"]


class Part(NamedTuple):
    """A layer with its payload.

    ``number`` is the EtherType or protocol by which the layer in front announces it; ``data`` gives
    its bytes when told the IP addresses and how many bytes lie between them and this layer.
    """

    number: int
    data: Callable[[bytes, int], bytes]


Payload = Part | bytes


def part(number: int, header: bytes, payload: Payload) -> Part:
    """``header`` in front of ``payload``."""

    def data(addresses: bytes, between: int) -> bytes:
        return header + render(payload, addresses, between + len(header))

    return Part(number, data)


def number_of(payload: Payload, given: int | None) -> int:
    """The number that announces ``payload``: ``given``, or else the payload's own.

    Raises ``ValueError`` for plain bytes without a number.
    """
    if given is not None:
        return given
    if isinstance(payload, Part):
        return payload.number
    raise ValueError(f"the payload is {len(payload)} plain bytes; give its type or protocol")


def render(payload: Payload, addresses: bytes = b"", between: int = 0) -> bytes:
    """The bytes of ``payload``."""
    return payload.data(addresses, between) if isinstance(payload, Part) else payload
