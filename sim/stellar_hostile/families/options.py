"""What IPv6 extension headers hold: options, jumbograms, routes, home addresses."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import IPv6Option

from ..frame import Hostile, Kit
from ..pieces import IP_END, send, udp

__all__ = ["chain_option", "home_address", "jumbogram", "routing_header"]

JUMBO = 0xC2
"""Type of the jumbo payload option (RFC 2675, section 2)."""


def chain_option(kit: Kit) -> Iterator[Hostile]:
    """Every option type in hop-by-hop and destination options (all four actions on unknown ones),
    and option lengths that end before, at and behind the end of their header.

    Source: RFC 8200, section 4.2
    """
    headers = {"hop": build.hop_by_hop, "destination": build.destination}
    for (name, extension), kind in product(headers.items(), range(256)):
        options = bytes([kind, 4]) + kit.random(4)
        frame = kit.frame(build.ipv6(extension(send(udp={"checksum": None}), options=options)))
        yield kit.hostile((name, "type", kind), frame, f"{name} option of type {kind}")
    for (name, extension), kind, length in product(
        headers.items(), (0, 1, 5, JUMBO, 0x1E), (*range(8), 13, 14, 15, 127, 255)
    ):
        options = bytes([kind, length]) + kit.random(12)
        frame = kit.frame(build.ipv6(extension(udp(kit.random(9)), options=options)))
        note = f"{name} option {kind}, length {length} in a header of 16 bytes"
        yield kit.hostile((name, "length", kind, length), frame, note)


def jumbogram(kit: Kit) -> Iterator[Hostile]:
    """Payload length 0 with hop-by-hop options: jumbo payload lengths that are right, too small to
    be legal, the largest; without the option; with a payload length that is not 0; with a fragment
    header; hop-by-hop not in first place; UDP length 0, which is right here.

    Source: RFC 2675, sections 2 to 4
    """
    uppers = {
        "stellar": send(),
        "stellar-0": send(udp={"length": 0}),
        "udp": udp(kit.random(20)),
        "udp-0": udp(kit.random(20), length=0),
        "udp-7": udp(kit.random(20), length=7),
        "tcp": build.tcp(kit.random(9), dport=179),
    }
    wraps = {
        "plain": lambda inner, options: build.hop_by_hop(inner, options=options),
        "fragment": lambda inner, options: build.hop_by_hop(build.fragment(inner), options=options),
        "second": lambda inner, options: build.destination(
            build.hop_by_hop(inner, options=options)
        ),
        "twice": lambda inner, options: build.hop_by_hop(
            build.hop_by_hop(inner, options=options), options=options
        ),
    }
    for (name, inner), (way, wrap) in product(uppers.items(), wraps.items()):
        right = len(kit.frame(build.ipv6(wrap(inner, bytes(6))))) - IP_END[6]
        for length in (0, right, right + 1, 0xFFFF, 0x1_0000, 0x2_0000, 0xFFFF_FFFF):
            options = bytes([JUMBO, 4]) + length.to_bytes(4, "big")
            for payload in (0, right):
                packet = build.ipv6(wrap(inner, options), payload_length=payload)
                note = f"jumbo payload length {length}, payload length {payload} of {right}"
                yield kit.hostile((name, way, length, payload), kit.frame(packet), note)
        packet = kit.frame(build.ipv6(wrap(inner, bytes(6)), payload_length=0))
        yield kit.hostile((name, way, "no-option"), packet, "payload length 0, no jumbo option")
        for end in (IP_END[6] + 3, IP_END[6] + 7, IP_END[6] + 8, IP_END[6] + 15):
            note = "payload length 0, cut"
            yield kit.hostile((name, way, "cut", end), packet[:end], note)


def routing_header(kit: Kit) -> Iterator[Hostile]:
    """Routing headers of every assigned type, with segments left (the destination in the header is
    not the last) and none, with as many addresses as they say and without; two of them.

    Source: RFC 8200, section 4.4; RFC 5095 (type 0); RFC 8754 (type 4)
    """
    uppers = {
        "stellar": send(udp={"checksum": None}),
        "udp": udp(kit.random(6)),
        "tcp": build.tcp(kit.random(6), dport=80),
    }
    types, segments = (*range(7), 253, 254, 255), (0, 1, 2, 127, 128, 255)
    for (name, inner), kind, left in product(uppers.items(), types, segments):
        for addresses in (0, 1, 2):
            data = kit.random(4 + 16 * addresses)
            part = build.routing(inner, data=data, routing_type=kind, segments_left=left)
            note = f"routing type {kind}, {left} segments left, {addresses} addresses"
            yield kit.hostile((name, kind, left, addresses), kit.frame(build.ipv6(part)), note)
    for (name, inner), first, second in product(uppers.items(), (0, 1), (0, 1)):
        part = build.routing(build.routing(inner, segments_left=second), segments_left=first)
        note = f"two routing headers, {first} and {second} segments left"
        yield kit.hostile((name, "two", first, second), kit.frame(build.ipv6(part)), note)


def home_address(kit: Kit) -> Iterator[Hostile]:
    """Home address options (the sender's address is in the option, so no UDP sum can be judged):
    well-formed, cut, at every byte of destination options of 8 to 32 bytes, as the data of another
    option, in hop-by-hop options, in front of and behind another header.

    Source: RFC 6275, section 6.3; RFC 8200, section 8.1
    """
    home = IPv6Option.HOME_ADDRESS
    good = bytes([1, 2, 0, 0, home, 16]) + kit.random(16)
    uppers = {"stellar": send(udp={"checksum": None}), "udp": udp(kit.random(6))}
    for name, inner in uppers.items():
        parts = {
            "good": build.destination(inner, options=good),
            "short": build.destination(inner, options=good[:14]),
            "length-255": build.destination(inner, options=bytes([home, 255, 0, 0, 0, 0])),
            "hop-by-hop": build.hop_by_hop(inner, options=good),
            "then-fragment": build.destination(build.fragment(inner), options=good),
            "behind-fragment": build.fragment(build.destination(inner, options=good)),
            "then-destination": build.destination(build.destination(inner), options=good),
            "behind-destination": build.destination(build.destination(inner, options=good)),
            "routing": build.routing(inner, data=good),
            "next-header": build.destination(inner, next_header=home),
        }
        for way, part in parts.items():
            frame = kit.frame(build.ipv6(part))
            yield kit.hostile((name, way), frame, f"home address, {way}")
        for size, at in product((8, 16, 24, 32), range(30)):
            if at < size - 2:
                options = bytearray(size - 2)
                options[at] = home
                part = build.destination(inner, options=bytes(options))
                note = f"byte {home} at {at + 2} of {size} bytes of destination options"
                yield kit.hostile((name, size, at), kit.frame(build.ipv6(part)), note)
