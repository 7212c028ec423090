"""What the families on StellarTP, and on what stands beside the bytes, promise.

Where no one else knows StellarTP, the golden model is the witness; its own witnesses are the frames
typed by hand in ``tests/vectors``.
"""

from collections import Counter
from itertools import product

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6

from stellar_model import Settings, parse
from stellar_spec.codes import Flag, Reason, Verdict
from stellar_spec.opcodes import OPCODES, StellarFlag
from tests.hostile.reading import ip_payload, judge, number, parts, scapy, version

__all__ = []

EXTENSIONS = 0x0F
"""The flags of a base header that announce an extension."""


def outcome(frame):
    """The model's verdict and reason, in one: HOST, STELLAR or the reason of the drop."""
    said = parse(frame.data, settings=Settings(**frame.settings), error=frame.error).trailer
    if said["verdict"] == Verdict.DROP:
        return Reason(said["reason"]).name
    return Verdict(said["verdict"]).name


def base(data):
    """The base header, which follows UDP (docs/wire-format.md)."""
    return ip_payload(data)[8:20]


@judge
def opcode_extension(frames):
    found = {}
    for frame in frames:
        first, flags = base(frame.data)[:2]
        assert scapy(frame.data)[UDP].len == len(ip_payload(frame.data))
        assert first >> 6 == 0
        found[version(frame.data), first & 63, flags & EXTENSIONS] = outcome(frame)
    assert set(found) == set(product((4, 6), range(64), range(16)))
    assert len(frames) == len(found)
    for (_, opcode, flags), said in found.items():
        known = opcode in OPCODES
        right = known and OPCODES[opcode].accepts(flags)
        assert said == ("STELLAR" if right else "STELLAR_EXTENSION" if known else "STELLAR_OPCODE")


@judge
def opcode_body(frames):
    assert {outcome(frame) for frame in frames} == {"STELLAR_TRUNCATED"}
    missing = {(int(p[0]), int(p[2])) for p in map(parts, frames) if len(p) == 3}
    bodies = {int(code): rule.body for code, rule in OPCODES.items()}
    assert missing == {(code, lack) for code in bodies for lack in range(1, bodies[code] + 1)}
    cut = {(int(p[0]), int(p[3])) for p in map(parts, frames) if len(p) == 4}
    assert cut == set(product(bodies, range(4)))


@judge
def extension_missing(frames):
    assert {outcome(frame) for frame in frames} == {"STELLAR_TRUNCATED"}
    sizes = {StellarFlag.ADDR: 16, StellarFlag.IMM: 4, StellarFlag.ACK: 16, StellarFlag.INT: 4}
    wanted = set()
    for flags in range(1, 16):
        need = sum(size for flag, size in sizes.items() if flags & flag)
        wanted |= {(family, flags, have) for family in (4, 6) for have in range(need)}
    found = {
        (version(f.data), base(f.data)[1] & EXTENSIONS, len(ip_payload(f.data)) - 8 - 12 - 4)
        for f in frames
    }
    assert found == wanted


@judge
def stellar_version(frames):
    rows = [f for f in frames if len(parts(f)) == 2]
    found = {(base(f.data)[0] >> 6, base(f.data)[0] & 63) for f in rows}
    assert found == set(product((1, 2, 3), range(64)))
    assert {outcome(frame) for frame in rows} == {"HOST"}
    short = {len(ip_payload(f.data)) - 8 for f in frames if len(parts(f)) > 2}
    assert short == set(range(17))


@judge
def udp_port(frames):
    for port in (62842, 4793, 1):
        rows = [f for f in frames if parts(f)[0] == str(port)]
        assert {f.settings.get("stellar_port", 62842) for f in rows} == {port}
        ports = {scapy(f.data)[UDP].dport for f in rows}
        assert ports >= {port ^ 1 << bit for bit in range(16)} | {port, 0, 0xFFFF}
        taken = {scapy(f.data)[UDP].dport for f in rows if outcome(f) == "STELLAR"}
        assert taken == {port}


@judge
def check_wrong(frames):
    for family in (4, 6):
        rows = [f for f in frames if parts(f)[0] == f"ipv{family}"]
        columns = zip(*(frame.data for frame in rows), strict=True)
        right = bytes(Counter(column).most_common(1)[0][0] for column in columns)
        assert parse(right).trailer["verdict"] == Verdict.STELLAR
        whole = int.from_bytes(right, "big")
        changes = {int.from_bytes(f.data, "big") ^ whole: f for f in rows if not f.settings}
        check = [changes[1 << bit] for bit in range(32)]
        assert {outcome(frame) for frame in check} == {"STELLAR_CHECK"}
        alone = {change for change in changes if change.bit_count() == 1}
        assert {len(right) - 1 - (c.bit_length() - 1) // 8 for c in alone} == set(
            range(14, len(right))
        )
        flagged = [frame for frame in rows if frame.settings]
        assert len(flagged) == 32
        for frame in flagged:
            assert frame.settings == {"check_flag": 1} and outcome(frame) == "STELLAR"
    assert Counter(map(outcome, frames))["STELLAR"] > 64  # what the check does not cover


@judge
def int_first_word(frames):
    words = [number(base_and_more(f.data), 12, 4) for f in frames]
    found = {(word >> 28, word >> 24 & 15, word >> 23 & 1) for word in words}
    assert found == set(product(range(16), range(16), (0, 1)))
    zeros = {word & 0x7FFFFF for word in words}
    assert zeros == {0, 0x7FFFFF} | {1 << bit for bit in range(23)}
    for frame, word in zip(frames, words, strict=True):
        used, reserved, zero = word >> 28, word >> 24 & 15, word & 0x7FFFFF
        good = used <= reserved <= 8 and not zero
        assert outcome(frame) == ("STELLAR" if good else "STELLAR_EXTENSION"), frame.name


def base_and_more(data):
    """UDP payload."""
    return ip_payload(data)[8:]


@judge
def int_stack(frames):
    found = {}
    for frame in frames:
        if parts(frame)[0] == "behind":
            continue
        reserved, size, payload = map(int, parts(frame))
        data = base_and_more(frame.data)
        assert data[12] & 15 == reserved and len(data) == 12 + 4 + size + payload + 4
        found.setdefault(reserved, {})[size, payload] = outcome(frame)
    assert set(found) == set(range(16))
    for reserved, rows in found.items():
        assert {size for size, _ in rows} >= {0, 8 * reserved, 8 * reserved + 1}
        for (size, payload), said in rows.items():
            fits = size + payload >= 8 * reserved
            good = "STELLAR" if fits else "STELLAR_TRUNCATED"
            assert said == (good if reserved <= 8 else "STELLAR_EXTENSION")
    behind = {base(f.data)[1] & EXTENSIONS for f in frames if parts(f)[0] == "behind"}
    assert behind == {flags | StellarFlag.INT for flags in range(0, 16, 2)}


@judge
def trim_cut(frames):
    ends = {}
    for frame in frames:
        family, _, end, form, *_ = parts(frame)
        ends.setdefault((family, form), set()).add(int(end))
        assert frame.settings == ({} if form == "off" else {"trim": 1, "trim_dscp": 4})
        packet = scapy(frame.data)
        ip = packet[IP] if IP in packet else packet[IPv6]
        assert (ip.tos if IP in packet else ip.tc) >> 2 == 4
        fits = (ip.len if IP in packet else ip.plen + 40) == int(end) - 14
        assert fits == (form in ("ip", "both"))
    for (family, form), places in ends.items():
        assert places == set(range(min(places), max(places) + 1)) and len(places) > 50
        assert min(places) == (34 if family == "ipv4" else 54) + (8 if form == "both" else 0)
    assert set(ends) == set(product(("ipv4", "ipv6"), ("sent", "off", "ip", "both")))
    # StellarTP if at least the base header is there, whatever was cut behind it.
    said = Counter(outcome(f) for f in frames if parts(f)[3] == "ip")
    assert said["STELLAR"] > 100 and said["STELLAR_TRUNCATED"] > 10


@judge
def trim_dscp(frames):
    found = set()
    for frame in frames:
        packet = scapy(frame.data)
        byte = packet[IP].tos if IP in packet else packet[IPv6].tc
        found.add((version(frame.data), byte >> 2, frame.settings.get("trim", 0)))
    assert found == set(product((4, 6), range(64), (0, 1)))


@judge
def trim_unfit(frames):
    flags = 0
    for frame in frames:
        assert frame.settings["trim"] == 1
        flags |= parse(frame.data, settings=Settings(**frame.settings)).trailer["flags"]
    wanted = Flag.TRIMMED | Flag.FRAGMENT | Flag.IPV4_CHECKSUM | Flag.STELLAR_VERSION
    wanted |= Flag.UNVERIFIED | Flag.UDP_LENGTH | Flag.IPV6_EXTENSIONS | Flag.IPV4_OPTIONS
    assert flags & wanted == wanted
    lengths = {number(ip_payload(f.data), 4) for f in frames if parts(f)[1] == "udp"}
    assert lengths == set(range(33))


@judge
def mac_error(frames):
    marked, others = {}, {}
    for frame in frames:
        rows = marked if frame.error else others
        rows.setdefault(parts(frame)[0], []).append(frame.data)
    assert marked == others and len(marked) == 7
    for rows in marked.values():
        for beat in (1, 2, 4, 8, 16, 32, 64):
            assert {len(data) % beat for data in rows} == set(range(beat))
    said = {outcome(frame) for frame in frames if frame.error}
    assert said == {"MAC_ERROR"}


@judge
def address_filter(frames):
    for family, own, width in ((4, 0x0A000002, 32), (6, 0xFD << 120 | 2, 128)):
        rows = [f for f in frames if version(f.data) == family and f.settings.get("own_ipv4")]
        size = width // 8
        end = 34 if family == 4 else 54
        to = {number(f.data, end - size, size): outcome(f) for f in rows}
        assert set(to) >= {own ^ 1 << bit for bit in range(width)} | {own, 0}
        assert {dst for dst, said in to.items() if said == "STELLAR"} == {own}
    assert {tuple(frame.settings) for frame in frames} == {
        (),
        ("filter",),
        ("filter", "own_ipv4", "own_ipv6"),
    }
