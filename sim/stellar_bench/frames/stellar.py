"""StellarTP: opcodes and extension sets, bodies, versions; INT stacks are in ``telemetry``."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.headers import STELLAR_EXTENSIONS, STELLAR_PORT
from stellar_spec.opcodes import OPCODES, StellarFlag

from .recipes import EXTENSIONS, filler, good, int_fields, on_ip, send
from .stimulus import Stimulus

__all__ = ["bodies", "extension_sets", "opcodes", "stellar", "versions"]


def stellar() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from opcodes()
    yield from extension_sets()
    yield from bodies()
    yield from versions()
    yield from flags()


def opcodes() -> Iterator[Stimulus]:
    """Every opcode with the extensions that it requires, over IPv6."""
    for opcode in range(64):
        frame = build.ethernet(build.ipv6(good(opcode, opcode % 5)))
        yield Stimulus(f"opcode/{opcode}", frame)


def extension_sets() -> Iterator[Stimulus]:
    """Every opcode with every set of extensions, over IPv4; some over IPv6 too."""
    for opcode in range(64):
        for chosen in range(16):
            rule = OPCODES.get(opcode)
            payload = filler((rule.body if rule else 0) + opcode % 3)
            fields = {
                name.lower(): EXTENSIONS[name.lower()]
                for name in STELLAR_EXTENSIONS
                if chosen & StellarFlag[name]
            }
            if "int" in fields:
                fields["int"] = int_fields(opcode % 3, opcode % 3)
            inner = build.stellar(opcode, payload, psn=opcode << 8 | chosen, **fields)
            name = f"extensions/{opcode}/{chosen:04b}"
            yield Stimulus(f"{name}/ipv4", build.ethernet(build.ipv4(inner)))
            if rule and (opcode + chosen) % 8 == 0:
                yield Stimulus(f"{name}/ipv6", build.ethernet(build.ipv6(inner)))


def bodies() -> Iterator[Stimulus]:
    """Bodies from nothing to more than the opcode needs, the check right behind."""
    for opcode, rule in OPCODES.items():
        for more in (-6, -4, -1, 0, 1, 3):
            if rule.body + more >= 0:
                frame = build.ethernet(build.ipv4(good(opcode, more)))
                yield Stimulus(f"body/{opcode.name}/{rule.body + more}", frame)


def versions() -> Iterator[Stimulus]:
    """Other versions: whole packets, sums good and bad; 1 to 16 bytes of UDP payload."""
    for version in (4, 6):
        for other in (1, 2, 3):
            frame = build.ethernet(on_ip(version, send(version=other)))
            yield Stimulus(f"version/{other}/ipv{version}", frame)
            wrong = send(version=other, check=b"\1\2\3\4")
            frame = build.ethernet(on_ip(version, wrong))
            yield Stimulus(f"version/{other}/ipv{version}/check", frame)
            for checksum in (None, 0x1111):
                inner = send(version=other, udp={"checksum": checksum})
                frame = build.ethernet(on_ip(version, inner))
                yield Stimulus(f"version/{other}/ipv{version}/{checksum}", frame)
        for first in (0x00, 0x41) if version == 4 else (0x03, 0xC3):
            for size in range(1, 14):
                inner = build.udp(bytes([first]) + filler(size - 1), dport=STELLAR_PORT, checksum=0)
                frame = build.ethernet(on_ip(version, inner))
                where = f"version/first-{first:02x}/ipv{version}/{size}"
                yield Stimulus(where, frame)
                if version == 4 and size < 13 and first < 0x80:
                    yield Stimulus(f"{where}/padded", frame + b"\xff" * 9)
                    yield Stimulus(f"{where}/cut", frame[:43])


def flags() -> Iterator[Stimulus]:
    """Each set of message and request flags."""
    for high in range(16):
        inner = send(flags=high << 4)
        yield Stimulus(f"base/flags-{high:04b}", build.ethernet(build.ipv4(inner)))
