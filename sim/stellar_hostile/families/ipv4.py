"""IPv4: header lengths, options, source routes, protocols."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import IPv4Option

from ..frame import Hostile, Kit
from ..pieces import IP_END, L3, VERSIONS, layer, on_ip, send, udp

__all__ = ["ip_protocol", "ipv4_ihl", "ipv4_option", "ipv4_source_route"]


def ipv4_ihl(kit: Kit) -> Iterator[Hostile]:
    """IHL 0 to 15: with as many option bytes as it says, with none, with the frame cut in the
    header or right behind it; over UDP with a sum and StellarTP.

    Source: RFC 791, section 3.1
    """
    for ihl, (name, inner) in product(range(16), _uppers(kit).items()):
        options = b"\1" * 4 * max(0, ihl - 5)
        fitting = kit.frame(build.ipv4(inner, options=options, ihl=ihl))
        note = f"IHL {ihl}"
        yield kit.hostile((name, ihl, "fitting"), fitting, f"{note}, options to match")
        plain = kit.frame(build.ipv4(inner, ihl=ihl))
        yield kit.hostile((name, ihl, "plain"), plain, f"{note}, no options")
        end = L3 + 4 * ihl
        for cut in (end - 1, end, end + 7):
            data = fitting[: max(cut, L3 + 1)]
            yield kit.hostile((name, ihl, "cut", cut - end), data, f"{note}, cut at {len(data)}")
        for total in (4 * ihl - 1, 4 * ihl, 4 * ihl + 1):
            data = kit.frame(build.ipv4(inner, options=options, ihl=ihl, total_length=total % 999))
            yield kit.hostile((name, ihl, "total", total), data, f"{note}, total length {total}")


def _uppers(kit: Kit) -> dict[str, build.Part]:
    return {"stellar": send(), "udp": udp(kit.random(9))}


OPTIONS = {
    "nop": b"\1\1\1\1",
    "end": b"\0\0\0\0",
    "end-then-more": b"\0\1\x44\4",
    "router-alert": bytes([148, 4, 0, 0]),
    "record-route": bytes([7, 7, 4, 0, 0, 0, 0, 0]),
    "record-route-full": bytes([7, 7, 8, 10, 0, 0, 9, 0]),
    "record-route-pointer-0": bytes([7, 7, 0, 0, 0, 0, 0, 0]),
    "timestamp": bytes([68, 8, 5, 0, 1, 2, 3, 4]),
    "timestamp-overflow": bytes([68, 8, 9, 0xF1, 1, 2, 3, 4]),
    "security": bytes([130, 11, *bytes(9), 0]),
    "length-0": bytes([148, 0, 0, 0]),
    "length-1": bytes([148, 1, 0, 0]),
    "length-past-header": bytes([7, 40, 4, 0]),
    "length-255": bytes([7, 255, 4, 0]),
    "no-length": bytes([1, 1, 1, 148]),
    "forty-nops": b"\1" * 39 + b"\0",
    "forty-ff": b"\xff" * 40,
}


def ipv4_option(kit: Kit) -> Iterator[Hostile]:
    """Options of every usual kind, lengths of 0, 1 and past the header, a kind byte without its
    length, an end of the list with more behind; every option type in a well-formed option.

    Source: RFC 791, section 3.1; RFC 1812, section 4.2.2.1; RFC 2113
    """
    for name, options in OPTIONS.items():
        for upper, inner in _uppers(kit).items():
            frame = kit.frame(build.ipv4(inner, options=options))
            yield kit.hostile((name, upper), frame, f"options {options.hex()}")
    for kind in range(256):
        options = bytes([kind, 4, 0xA5]) + kit.random(1)
        frame = kit.frame(build.ipv4(send(), options=options))
        yield kit.hostile(("type", kind), frame, f"an option of type {kind}")


def ipv4_source_route(kit: Kit) -> Iterator[Hostile]:
    """Loose and strict source routes (the destination in the header is not the last, so no UDP sum
    can be judged) at every byte of the options, used up and not, and their types as mere data.

    Source: RFC 791, section 3.1 (types 131, 137); RFC 7126, section 4.3
    """
    for kind, (upper, inner) in product(IPv4Option, _uppers(kit).items()):
        for name, pointer in {"open": 4, "used": 8, "pointer-0": 0}.items():
            options = bytes([kind, 7, pointer, 10, 0, 0, 9, 0])
            frame = kit.frame(build.ipv4(inner, options=options))
            yield kit.hostile((upper, kind, name), frame, f"source route {kind}, {name}")
        for at in range(40):
            options = bytearray(b"\1" * (at // 4 * 4 + 4))
            options[at] = kind
            frame = kit.frame(build.ipv4(inner, options=bytes(options)))
            yield kit.hostile((upper, kind, "at", at), frame, f"{kind} at option byte {at}")
        data = bytes([148, 4, 0, kind])
        frame = kit.frame(build.ipv4(inner, options=data))
        yield kit.hostile((upper, kind, "data"), frame, f"{kind} as data of another option")
        frame = kit.frame(build.ipv4(inner, options=bytes(4), identification=kind, ttl=kind))
        yield kit.hostile((upper, kind, "elsewhere"), frame, f"{kind} in front of the options")
        payload = kit.frame(build.ipv4(udp(bytes([kind]) * 8), options=bytes(4)))
        yield kit.hostile((upper, kind, "behind"), payload + bytes(len(upper)), f"{kind} behind")


def ip_protocol(kit: Kit) -> Iterator[Hostile]:
    """Every protocol number over IPv4 and IPv6 in front of 28 bytes that look like StellarTP, and
    in front of 3, which are too few for most.

    Source: RFC 791, section 3.1; IANA protocol numbers
    """
    inner = kit.frame(build.ipv4(send()))[IP_END[4] :]
    for version, kind in product(VERSIONS, range(256)):
        for data in (inner, inner[:3]):
            frame = kit.frame(on_ip(version, layer(kind, data)))
            note = f"protocol {kind}, {len(data)} bytes"
            yield kit.hostile((f"ipv{version}", kind, len(data)), frame, note)
