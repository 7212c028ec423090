"""Every bit that is compared, each wrong alone.

With settings, under these and their inverse; with the option types that are looked for, at every
place of a beat.
"""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import IPv4Option, IPv6Option

from .recipes import on_ip, raw, send
from .stimulus import SETTINGS_SETS, Stimulus

__all__ = ["comparisons"]

OWN = {4: ("own_ipv4", 32), 6: ("own_ipv6", 128)}
BOTH = ("filter", "inverse")


def comparisons() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from addresses()
    yield from ports()
    yield from code_points()
    yield from limits()
    yield from option_types()


def addresses() -> Iterator[Stimulus]:
    """The card's address, and all that differ from it in one bit."""
    for name in BOTH:
        settings = SETTINGS_SETS[name]
        for version, (own, width) in OWN.items():
            for bit in (None, *range(width)):
                dst = getattr(settings, own) ^ (0 if bit is None else 1 << bit)
                frame = build.ethernet(on_ip(version, packet(settings), dst=dst))
                yield Stimulus(f"compare/own/{name}/{version}/{bit}", frame, settings=name)


def ports() -> Iterator[Stimulus]:
    """The port of StellarTP, and all that differ from it in one bit."""
    for name in ("default", "port", "inverse"):
        settings = SETTINGS_SETS[name]
        for bit in (None, *range(16)):
            port = settings.stellar_port ^ (0 if bit is None else 1 << bit)
            version = 4 if bit is None or bit % 2 else 6
            frame = build.ethernet(ours(settings, version, packet(settings, dport=port)))
            yield Stimulus(f"compare/port/{name}/{bit}", frame, settings=name)


def code_points() -> Iterator[Stimulus]:
    """The DSCP of trimmed packets, and all that differ from it in one bit, on a trimmed one."""
    for name in ("trim", "inverse"):
        settings = SETTINGS_SETS[name]
        for version in (4, 6):
            for bit in (None, *range(6)):
                dscp = settings.trim_dscp ^ (0 if bit is None else 1 << bit)
                frame = build.ethernet(ours(settings, version, packet(settings), dscp=dscp))
                where = f"{name}/{version}/{bit}"
                yield Stimulus(f"compare/dscp/{where}", frame[:-4], settings=name)


def limits() -> Iterator[Stimulus]:
    """Lengths that differ from the limit in one bit, the limit, and one more."""
    for name in ("short", "inverse"):
        limit = SETTINGS_SETS[name].max_length
        lengths = {limit, limit + 1, *(limit ^ 1 << bit for bit in range(12))}
        for length in sorted(lengths):
            if length > 14:
                frame = build.ethernet(raw(0x88B5, bytes(length - 14)))
                yield Stimulus(f"compare/limit/{name}/{length}", frame, settings=name)


def option_types() -> Iterator[Stimulus]:
    """IPv4's source routes and IPv6's home address among padding, and what differs in one bit."""
    for bit in (None, *range(8)):
        change = 0 if bit is None else 1 << bit
        for place in range(8):
            for option in IPv4Option:
                frame = build.ethernet(
                    build.ipv4(send(), options=_padded(option ^ change, place, 8))
                )
                yield Stimulus(f"compare/option4/{option.name}/{bit}/{place}", frame)
        for place in range(14):
            options = _padded(IPv6Option.HOME_ADDRESS ^ change, place, 14)
            inner = build.destination(send(), options=options)
            yield Stimulus(f"compare/option6/{bit}/{place}", build.ethernet(build.ipv6(inner)))


def _padded(octet: int, place: int, size: int) -> bytes:
    return bytes([0] * place + [octet] + [0] * (size - place - 1))


def packet(settings, **udp: int) -> build.Part:
    """The plainest good packet to the port of ``settings``."""
    return send(udp={"dport": settings.stellar_port} | udp)


def ours(settings, version: int, inner: build.Part, **fields: int) -> build.Part:
    """``inner`` in IP, to the card's address where ``settings`` filter."""
    if settings.filter:
        fields["dst"] = getattr(settings, OWN[version][0])
    return on_ip(version, inner, **fields)
