"""IPv4: header lengths, options, fragments, header sums, total lengths."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import Protocol

from .recipes import PROTOCOLS_NEAR, filler, raw, send
from .stimulus import Stimulus

__all__ = ["fragments", "header_lengths", "header_sums", "ipv4", "options", "protocols", "totals"]


def ipv4() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from header_lengths()
    yield from options()
    yield from fragments()
    yield from header_sums()
    yield from totals()
    yield from protocols()


def header_lengths() -> Iterator[Stimulus]:
    """IHL 0 to 15: with options to match, without them, with each version nibble, cut."""
    for ihl in range(16):
        fitting = b"\1" * (4 * max(0, ihl - 5))
        frame = build.ethernet(build.ipv4(send(), options=fitting, ihl=ihl))
        yield Stimulus(f"ihl/{ihl}/fitting", frame)
        yield Stimulus(f"ihl/{ihl}/padded", frame + filler(3))
        frame = build.ethernet(build.ipv4(send(), ihl=ihl))
        yield Stimulus(f"ihl/{ihl}/plain", frame)
        yield Stimulus(f"ihl/{ihl}/cut", frame[: 14 + 4 * ihl + 7])
        for version in (5, 6) if ihl in (0, 4, 5, 15) else (12,):
            frame = build.ethernet(build.ipv4(send(), ihl=ihl, version=version))
            yield Stimulus(f"ihl/{ihl}/version-{version}", frame)


OPTIONS = {
    "nop": b"\1\1\1\1",
    "end": b"\0\0\0\0",
    "router-alert": bytes([148, 4, 0, 0]),
    "record-route": bytes([7, 7, 4, 0, 0, 0, 0, 0]),
    "timestamp": bytes([68, 8, 5, 0, 1, 2, 3, 4]),
    "loose-route": bytes([131, 7, 4, 10, 0, 0, 9, 0]),
    "strict-route": bytes([137, 7, 4, 10, 0, 0, 9, 0]),
    "alert-then-route": bytes([148, 4, 0, 0, 1, 131, 3, 4]),
    "no-length": bytes([148, 0, 0, 0]),
    "length-past-header": bytes([7, 40, 4, 0]),
    "value-131": bytes([148, 4, 0, 131]),  # a byte of another option counts too
    "value-137": bytes([0, 0, 137, 0]),
    "near-routes": bytes([130, 132, 136, 138, 3, 9, 129, 139]),
    "forty-bytes": bytes([1] * 39 + [0]),
}


def options() -> Iterator[Stimulus]:
    """Options in front of a good packet and of UDP with a sum; a source route at every byte."""
    for name, data in OPTIONS.items():
        yield Stimulus(f"option/{name}/stellar", build.ethernet(build.ipv4(send(), options=data)))
        inner = build.udp(filler(5), sport=1, dport=53)
        yield Stimulus(f"option/{name}/udp", build.ethernet(build.ipv4(inner, options=data)))
    for at in (0, 1, 2, 3, *range(4, 40, 5)):
        data = bytearray(b"\1" * (at // 4 * 4 + 4))
        data[at] = (131, 137)[at % 2]
        summed = send(udp={"checksum": None})
        yield Stimulus(
            f"option/route-at/{at}", build.ethernet(build.ipv4(summed, options=bytes(data)))
        )


def fragments() -> Iterator[Stimulus]:
    """First, middle and last fragments; each bit of the flags and the offset alone."""
    for bit in range(16):
        flags = 1 << bit
        fields = {
            "evil": flags >> 15,
            "dont_fragment": flags >> 14 & 1,
            "more_fragments": flags >> 13 & 1,
            "fragment_offset": flags & 0x1FFF,
        }
        yield Stimulus(f"fragment4/bit-{bit}", build.ethernet(build.ipv4(send(), **fields)))
    whole = build.udp(filler(24), sport=7, dport=53)
    places = {"first": (1, 0), "middle": (1, 2), "last": (0, 4), "only": (0, 0)}
    for name, (more, offset) in places.items():
        fields = {"more_fragments": more, "fragment_offset": offset}
        data = whole.data(bytes([10, 0, 0, 1, 10, 0, 0, 2]), 0)[8 * offset :]
        for kind, piece in {"all": data, "short": data[: 16 if more else None]}.items():
            packet = build.ipv4(raw(Protocol.UDP, piece), **fields)
            if kind == "all" or more:
                yield Stimulus(f"fragment4/udp/{name}/{kind}", build.ethernet(packet))
        for protocol, inner in {"tcp": build.tcp(filler(3)), "icmp": raw(1, filler(9))}.items():
            packet = build.ipv4(inner, **fields)
            yield Stimulus(f"fragment4/{protocol}/{name}", build.ethernet(packet))


def header_sums() -> Iterator[Stimulus]:
    """Header sums of each size before folding; right, wrong in each bit and word; the two zeros."""
    for total in (0xFFFF, 0x1FFFE, 0x2FFFD, 0x3FFFC, 0x1FFFF, 0x2FFFE, 0x2FFFF, 0x10000, 0x20000):
        yield Stimulus(f"sum4/{total:05x}", build.ethernet(summing_to(total)))
    right = build.ethernet(build.ipv4(send()))
    for bit in range(16):
        wrong = bytearray(right)
        wrong[24 + bit // 8] ^= 1 << bit % 8
        yield Stimulus(f"sum4/bit-{bit}", bytes(wrong))
    for at in range(14, 34, 2):
        wrong = bytearray(right)
        wrong[at + 1] ^= 0x80 if at != 14 else 2
        yield Stimulus(f"sum4/word-{at}", bytes(wrong))
    for checksum in (0, 0xFFFF):
        yield Stimulus(f"sum4/value-{checksum}", build.ethernet(zero_sum(checksum)))
        plain = build.ipv4(send(), checksum=checksum)
        yield Stimulus(f"sum4/plain-{checksum}", build.ethernet(plain))


def summing_to(total: int) -> build.Part:
    """A packet whose header's words add up to ``total`` with the carries kept."""
    fields = {"src": 0x00000001, "dst": 0x00000002, "ttl": 1, "checksum": 0, "identification": 0}
    if total > 0x1FFFE:
        fields |= {"src": 0xFFF0FFF1 if total > 0x2FFFD else 0x0001FFF0}
    rest = total - words(fields)
    fields["identification"] = min(rest, 0xFFFF)
    fields["checksum"] = rest - fields["identification"]
    return build.ipv4(send(), **fields)


def zero_sum(checksum: int) -> build.Part:
    """A packet whose header adds up to 0xffff without the checksum: 0 and 0xffff are both right."""
    fields = {"checksum": 0, "identification": 0, "src": 1, "dst": 2}
    fields["identification"] = 0xFFFF - words(fields)
    return build.ipv4(send(), **fields | {"checksum": checksum})


def words(fields: dict[str, int]) -> int:
    """Sum of the header's words, carries kept."""
    header = build.ethernet(build.ipv4(send(), **fields))[14:34]
    return sum(int.from_bytes(header[i : i + 2], "big") for i in range(0, 20, 2))


def totals() -> Iterator[Stimulus]:
    """Total lengths from 0 to behind the frame, with and without options."""
    for options in (b"", b"\1\1\1\1\1\1\1\0"):
        header = 20 + len(options)
        first = 0 if not options else 16
        for total in (*range(first, header + 30), 0x100, 0xFFFF):
            packet = build.ipv4(send(1), options=options, total_length=total)
            yield Stimulus(f"total4/{len(options)}/{total}", build.ethernet(packet))


def protocols() -> Iterator[Stimulus]:
    """Other protocols, most of them one bit beside UDP, TCP or an extension header's number."""
    inner = filler(28)
    for number in (*PROTOCOLS_NEAR[::2], 0, 43, 44, 51, 60):
        yield Stimulus(f"protocol4/{number}", build.ethernet(build.ipv4(raw(number, inner))))
