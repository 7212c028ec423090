"""Edge cases of steps 7 to 10 of docs/parser.md: UDP, TCP, StellarTP, the trailer."""

import pytest

from stellar_model import Settings, parse
from stellar_model.build import ethernet, ipv4, ipv6, pad, stellar, tcp, udp
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.opcodes import OPCODES, Opcode, StellarFlag
from tests.model.steps import DNS, SEND, flags, offsets

TRIM = Settings(trim=1, trim_dscp=10)
NONE = Flag(0)


def layers(parsed):
    return Layer(parsed.header["state"]["layers"])


def reason(parsed):
    return Reason(parsed.trailer["reason"])


def candidate(parsed):
    return parsed.header["state"]["candidate"], parsed.trailer["candidate"]


@pytest.mark.parametrize("n", range(34, 42))
def test_cut_udp_header(n):
    parsed = parse(ethernet(ipv4(DNS))[:n])
    assert flags(parsed) == Flag.L4_TRUNCATED | Flag.IP_LENGTH
    assert (parsed.header_end, offsets(parsed)) == (n, (14, 34, 0, 34))


@pytest.mark.parametrize(("size", "short"), [(0, True), (7, True), (8, False)])
def test_ip_payload_for_udp(size, short):
    parsed = parse(pad(ethernet(ipv4(bytes([0, 1, 0, 2, 0, 8, 0, 0])[:size], protocol=17))))
    assert flags(parsed) == Flag.PADDED | (Flag.L4_TRUNCATED if short else NONE)
    assert parsed.header_end == (34 if short else 42)


@pytest.mark.parametrize(("size", "short"), [(0, True), (19, True), (20, False)])
def test_ip_payload_for_tcp(size, short):
    parsed = parse(pad(ethernet(ipv4(bytes(size), protocol=6))))
    assert flags(parsed) == Flag.PADDED | (Flag.L4_TRUNCATED if short else NONE)
    assert parsed.header_end == (34 if short else 54)


@pytest.mark.parametrize(("data_offset", "size"), [(0, 20), (4, 20), (5, 20), (6, 24), (15, 60)])
def test_tcp(data_offset, size):
    segment = tcp(bytes(60), sport=80, dport=443, flags=0x1AA, data_offset=data_offset, checksum=0)
    parsed = parse(ethernet(ipv4(segment)))
    assert parsed.header["tcp"] == {
        "sport": 80,
        "dport": 443,
        "flags": 0x1AA,
        "data_offset": data_offset,
    }
    assert (parsed.header_end, offsets(parsed)) == (54, (14, 34, 0, 34 + size))
    assert (flags(parsed), layers(parsed)) == (NONE, Layer.ETH | Layer.IP | Layer.TCP)


def test_keys():
    def key(frame, **settings):
        return parse(frame, **settings).header["key"]

    udp_key = {"protocol": 17, "sport": 1000, "dport": 53, "flow": 0}
    assert key(ethernet(ipv4(DNS))) == {"kind": KeyKind.IPV4_5TUPLE} | udp_key
    assert key(ethernet(ipv6(DNS))) == {"kind": KeyKind.IPV6_5TUPLE} | udp_key
    icmp = {"protocol": 1, "sport": 0, "dport": 0, "flow": 0}
    assert key(ethernet(ipv4(bytes(8), protocol=1))) == {"kind": KeyKind.IPV4_5TUPLE} | icmp
    segment = {"protocol": 6, "sport": 9, "dport": 8, "flow": 0}
    assert key(ethernet(ipv4(tcp(sport=9, dport=8)))) == {"kind": KeyKind.IPV4_5TUPLE} | segment
    flow = {"protocol": 0, "sport": 0, "dport": 0, "flow": 5}
    assert key(ethernet(ipv4(SEND))) == {"kind": KeyKind.IPV4_STELLAR} | flow
    assert key(ethernet(ipv6(SEND))) == {"kind": KeyKind.IPV6_STELLAR} | flow
    other = stellar(Opcode.SEND, version=1, flow=5, udp={"sport": 7})
    ports = {"protocol": 17, "sport": 7, "dport": 62842, "flow": 0}
    assert key(ethernet(ipv4(other))) == {"kind": KeyKind.IPV4_5TUPLE} | ports
    assert set(key(ethernet(bytes(50), type=0x0806)).values()) == {0}


@pytest.mark.parametrize(
    ("packet", "settings", "is_one"),
    [
        (ipv4(SEND), Settings(), 1),
        (ipv4(SEND), Settings(stellar_port=4791), 0),
        (ipv4(stellar(3, udp={"dport": 4791})), Settings(stellar_port=4791), 1),
        (ipv4(SEND), Settings(filter=1), 0),
        (ipv4(SEND), Settings(filter=1, own_ipv4=0x0A000002), 1),
        (ipv4(SEND), Settings(filter=1, own_ipv6=0x0A000002), 0),
        (ipv6(SEND), Settings(filter=1, own_ipv4=0x0A000002), 0),
        (ipv6(SEND), Settings(filter=1, own_ipv6=0xFD << 120 | 2), 1),
        (ipv6(SEND, dst=1), Settings(own_ipv6=2), 1),
        (ipv4(SEND, checksum=0), Settings(), 0),
        (ipv4(SEND, more_fragments=1), Settings(), 0),
        (ipv4(stellar(3, udp={"length": 25})), Settings(), 0),  # IP payload 24
        (ipv4(stellar(3, udp={"length": 25}), dscp=10), TRIM, 1),
        (ipv4(stellar(3, udp={"length": 7}), dscp=10), TRIM, 0),
        (ipv4(udp(dport=62842)), Settings(), 1),  # room 0
    ],
)
def test_candidate(packet, settings, is_one):
    parsed = parse(ethernet(packet), settings=settings)
    assert candidate(parsed) == (is_one, is_one)
    if not is_one:
        l4 = parsed.header["offsets"]["l4"]
        assert (parsed.header_end, reason(parsed)) == (l4 + 8, Reason.NONE)


@pytest.mark.parametrize(("length", "wrong"), [(7, True), (8, False), (12, False), (2000, False)])
def test_udp_length_of_a_first_fragment(length, wrong):
    """The datagram goes on in the next fragment, so only a length below 8 is wrong."""
    parsed = parse(ethernet(ipv4(udp(b"dns?", dport=53, length=length), more_fragments=1)))
    assert flags(parsed) == Flag.FRAGMENT | (Flag.UDP_LENGTH if wrong else Flag.UNVERIFIED)


def test_only_the_trim_dscp_marks_trimmed_packets():
    frame = ethernet(ipv4(SEND, dscp=11))[:54]
    assert (candidate(parse(frame, settings=TRIM)), reason(parse(frame))) == ((1, 0), Reason.NONE)
    off = Settings(trim=0, trim_dscp=11)
    assert flags(parse(frame, settings=off)) == Flag.IP_LENGTH


def test_candidate_of_a_cut_frame_is_the_header_records_alone():
    parsed = parse(ethernet(ipv4(SEND))[:-1])
    assert candidate(parsed) == (1, 0)
    assert (parsed.trailer["verdict"], flags(parsed)) == (Verdict.HOST, Flag.IP_LENGTH)


@pytest.mark.parametrize(
    ("room", "end"), [(0, 42), (1, 46), (11, 46), (12, 54), (15, 54), (16, 54)]
)
def test_room(room, end):
    """SEND needs 12 and 4; the rest of the frame is padding that looks like a packet."""
    body = bytes.fromhex("03c0 000007 000009 00000000") + bytes(8)
    packet = ipv4(udp(body, dport=62842, length=8 + room, checksum=0), total_length=28 + room)
    parsed = parse(ethernet(packet))
    assert parsed.header_end == end
    assert (Layer.STELLAR in layers(parsed)) == (room >= 12)
    wrong = Reason.STELLAR_TRUNCATED if room < 16 else Reason.STELLAR_CHECK
    assert reason(parsed) == wrong


@pytest.mark.parametrize("n", range(42, 54))
def test_cut_base_header(n):
    """Whole words, but for the version: it is read from the first byte alone."""
    good = parse(ethernet(ipv4(SEND))[:n])
    assert (good.header_end, offsets(good)) == (n, (14, 34, 0, 42))
    assert candidate(good) == (1, 0)
    trimmed = parse(ethernet(ipv4(SEND, dscp=10))[:n], settings=TRIM)
    assert (trimmed.header_end, reason(trimmed)) == (n, Reason.STELLAR_TRUNCATED)
    other = stellar(Opcode.SEND, b"data", version=2)
    newer = parse(ethernet(ipv4(other, dscp=10))[:n], settings=TRIM)
    assert newer.header_end == min(n, 46)
    if n == 42:
        assert reason(newer) == Reason.STELLAR_TRUNCATED
    else:
        assert flags(newer) == Flag.TRIMMED | Flag.STELLAR_VERSION | Flag.IP_LENGTH
        assert newer.trailer["verdict"] == Verdict.HOST


@pytest.mark.parametrize("version", [1, 2, 3])
def test_other_version_says_nothing_more(version):
    """No check, no opcode, no length past the first byte is judged."""
    short = ipv4(udp(bytes([version << 6]), dport=62842, checksum=0))
    for packet in (ipv4(stellar(63, version=version, check=b"0000")), short):
        parsed = parse(ethernet(packet))
        assert (flags(parsed), reason(parsed)) == (Flag.STELLAR_VERSION, Reason.NONE)
        assert candidate(parsed) == (1, 1)
        assert offsets(parsed) == (14, 34, 0, 42)
    assert parse(ethernet(short)).header_end == 43


ALL = dict(addr={"rkey": 9}, imm={"data": 8}, ack={"credits": 7}, int={"hops_reserved": 3})


def test_extensions_are_shown_as_far_as_they_are_whole():
    """Trimmed at every byte: ADDR ends at 70, IMM at 74, ACK at 90, INT's first word at 94."""
    frame = ethernet(ipv4(stellar(Opcode.REDUCE, bytes(4), **ALL), dscp=10))
    ends = {Layer.ADDR: 70, Layer.IMM: 74, Layer.ACK: 90, Layer.INT: 94}
    for n in range(54, len(frame)):
        parsed = parse(frame[:n], settings=TRIM)
        shown = [layer for layer, end in ends.items() if end <= n]
        assert [layer for layer in ends if layer in layers(parsed)] == shown
        payload = 118 if n >= 94 else max([54, *(ends[layer] for layer in shown)])
        assert offsets(parsed) == (14, 34, 90 if n >= 94 else 0, payload)
        assert parsed.header_end == min(n, 94)
        # REDUCE does not allow ACK, but a trimmed packet's extensions are not judged
        assert reason(parsed) == Reason.NONE


@pytest.mark.parametrize(
    ("room", "end", "payload"),
    [(0, 42, 42), (11, 46, 42), (12, 54, 54), (27, 54, 54), (28, 70, 70), (200, 70, 70)],
)
def test_trimmed_packets_end_with_their_ip_payload(room, end, payload):
    """The switch wrote a new IP length; ADDR's 16 bytes are shown if they lie within it."""
    inner = stellar(Opcode.WRITE, bytes(100), addr={"rkey": 5})
    frame = ethernet(ipv4(inner, dscp=10, total_length=28 + room))
    parsed = parse(frame, settings=TRIM)
    assert (parsed.header_end, parsed.header["offsets"]["payload"]) == (end, payload)
    cut = room < 12
    assert reason(parsed) == (Reason.STELLAR_TRUNCATED if cut else Reason.NONE)
    assert (Layer.ADDR in layers(parsed)) == (room >= 28)
    assert Flag.TRIMMED in flags(parsed)


def test_trimmed_int_is_shown_without_its_stack():
    inner = stellar(Opcode.SEND, int={"hops_reserved": 8})
    parsed = parse(ethernet(ipv4(inner, dscp=10, total_length=44))[:58], settings=TRIM)
    assert (offsets(parsed), parsed.header_end) == ((14, 34, 54, 122), 58)
    assert parsed.trailer["verdict"] == Verdict.STELLAR


@pytest.mark.parametrize("opcode", [0, *range(17, 64)])
def test_unknown_opcode_with_every_extension(opcode):
    parsed = parse(ethernet(ipv4(stellar(opcode, **ALL))))
    assert (reason(parsed), flags(parsed)) == (Reason.STELLAR_OPCODE, NONE)
    assert offsets(parsed) == (14, 34, 90, 118)


@pytest.mark.parametrize("opcode", list(Opcode))
def test_extension_sets(opcode):
    """All 16 sets of extension flags; the lists of the opcodes decide."""
    rule = OPCODES[opcode]
    values = {"addr": {}, "imm": {}, "ack": {}, "int": {}}
    for chosen in range(16):
        extensions = {n: v for n, v in values.items() if chosen & StellarFlag[n.upper()]}
        parsed = parse(ethernet(ipv4(stellar(opcode, bytes(rule.body), **extensions))))
        lacks = [f for f in StellarFlag if f & rule.required and not f & chosen]
        extra = [f for f in StellarFlag if f & chosen and not f & (rule.required | rule.allowed)]
        expected = Reason.STELLAR_EXTENSION if lacks or extra else Reason.NONE
        assert reason(parsed) == expected, f"{opcode.name} with {StellarFlag(chosen)!r}"


@pytest.mark.parametrize(
    ("values", "stack", "bad"),
    [
        ({"hops_reserved": 0}, 0, False),
        ({"hops_reserved": 8, "hops_used": 8, "exceeded": 1}, 64, False),
        ({"hops_reserved": 2, "hops_used": 3}, 16, True),
        ({"hops_reserved": 2, "zero": 1}, 16, True),
        ({"hops_reserved": 2, "zero": 1 << 22}, 16, True),
        ({"hops_reserved": 9, "hops_used": 9}, 0, True),
        ({"hops_reserved": 15}, 0, True),
    ],
)
def test_int(values, stack, bad):
    parsed = parse(ethernet(ipv4(stellar(Opcode.SEND, b"x", int=values))))
    assert reason(parsed) == (Reason.STELLAR_EXTENSION if bad else Reason.NONE)
    assert offsets(parsed) == (14, 34, 54, 58 + stack)
    assert (parsed.header_end, flags(parsed)) == (58, NONE)


def test_int_whose_stack_has_no_room_is_not_shown():
    packet = stellar(Opcode.SEND, int={"hops_reserved": 2, "hops_used": 3}, stack=bytes(15))
    parsed = parse(ethernet(ipv4(packet)))
    assert Layer.INT not in layers(parsed)
    assert (offsets(parsed), parsed.header_end) == ((14, 34, 0, 54), 58)
    assert reason(parsed) == Reason.STELLAR_TRUNCATED
