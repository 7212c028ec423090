"""What holds for any bytes and any settings."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stellar_model import Settings, pack, parse, unpack
from stellar_model.build import ethernet, ipv4, ipv6, stellar, vlan
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.headers import STELLAR_EXTENSIONS, UDP
from stellar_spec.opcodes import minimum_udp_length
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD
from tests.model import frames

ANY = frames.frames()
many = settings(max_examples=500)


@given(st.binary(max_size=300), frames.settings, st.booleans())
@example(b"", Settings(), False)
@example(bytes(140000), Settings(), False)
def test_any_bytes_have_records(frame, registers, error):
    records_fit(parse(frame, settings=registers, error=error))


@many
@given(ANY, frames.settings, st.booleans())
def test_records_fit_their_widths(frame, registers, error):
    records_fit(parse(frame, settings=registers, error=error))


def records_fit(parsed):
    assert unpack(HEADER_RECORD, pack(HEADER_RECORD, parsed.header)) == parsed.header
    assert unpack(TRAILER_RECORD, pack(TRAILER_RECORD, parsed.trailer)) == parsed.trailer
    kinds = {type(v) for group in parsed.header.values() for v in group.values()}
    assert kinds | {type(v) for v in parsed.trailer.values()} == {int}


@many
@given(ANY, frames.settings, st.binary(max_size=60))
def test_no_byte_behind_the_end_changes_the_header(frame, registers, tail):
    """Whatever follows ⏹, nothing included, the header record and ⏹ stay."""
    parsed = parse(frame, settings=registers)
    end = parsed.header_end
    assert 0 <= end <= len(frame)
    if end == len(frame):
        return  # the frame's end may have decided
    for other in (frame[:end] + tail, frame[:end]):
        again = parse(other, settings=registers)
        assert (again.header, again.header_end) == (parsed.header, end)


@many
@given(ANY, frames.settings)
def test_what_is_not_shown_reads_zero(frame, registers):
    header = parse(frame, settings=registers).header
    layers = Layer(header["state"]["layers"])
    for group in HEADER_RECORD:
        if group.layer is not None and group.layer not in layers:
            assert set(header[group.name].values()) == {0}, group.name
    assert not (Layer.UDP in layers and Layer.TCP in layers)
    for layer, below in (
        (Layer.IP, Layer.ETH),
        (Layer.UDP, Layer.IP),
        (Layer.TCP, Layer.IP),
        (Layer.STELLAR, Layer.UDP),
        (Layer.ADDR | Layer.IMM | Layer.ACK | Layer.INT, Layer.STELLAR),
    ):
        assert below in layers or not layer & layers
    assert bool(header["key"]["kind"]) == (Layer.IP in layers)
    stellar_key = header["key"]["kind"] in (KeyKind.IPV4_STELLAR, KeyKind.IPV6_STELLAR)
    assert stellar_key == (Layer.STELLAR in layers)
    assert (header["offsets"]["int"] != 0) == (Layer.INT in layers)
    assert (header["state"]["candidate"] == 0) or Layer.UDP in layers


@many
@given(ANY, frames.settings)
def test_verdict_and_flags_agree(frame, registers):
    trailer = parse(frame, settings=registers).trailer
    flags, verdict = Flag(trailer["flags"]), Verdict(trailer["verdict"])
    assert trailer["length"] == len(frame)
    assert (Flag.OVERSIZE in flags) == (len(frame) > registers.max_length)
    assert (trailer["reason"] != Reason.NONE) == (verdict == Verdict.DROP)
    if not trailer["candidate"]:
        assert verdict == Verdict.HOST
        assert not flags & (Flag.TRIMMED | Flag.STELLAR_VERSION | Flag.STELLAR_CHECK)
    assert Flag.PADDED not in flags or Flag.IP_LENGTH not in flags
    assert Flag.UNVERIFIED not in flags or Flag.UDP_CHECKSUM not in flags
    if Flag.TRIMMED in flags:
        assert registers.trim and not flags & (Flag.UDP_CHECKSUM | Flag.STELLAR_CHECK)


@given(ANY, frames.settings)
def test_mac_error_changes_the_verdict_alone(frame, registers):
    good, bad = (parse(frame, settings=registers, error=error) for error in (False, True))
    assert (bad.header, bad.header_end) == (good.header, good.header_end)
    assert bad.trailer == good.trailer | {"verdict": Verdict.DROP, "reason": Reason.MAC_ERROR}


@given(ANY, frames.settings)
def test_frames_are_alone(frame, registers):
    """Nothing of a frame is left for the next: the same frame again has the same records."""
    first = parse(frame, settings=registers)
    parse(ethernet(ipv4(stellar(1, flow=1))), settings=registers)
    assert parse(frame, settings=registers) == first


@many
@given(frames.good_stellar(), st.sampled_from([4, 6]), st.integers(0, 2), st.integers(0, 9))
def test_good_packets_are_stellar(packet, version, tags, padding):
    """Every field that went in comes out, and there is nothing to say of the packet."""
    inner = (ipv4 if version == 4 else ipv6)(stellar(**packet))
    for _ in range(tags):
        inner = vlan(inner)
    frame = ethernet(inner)
    parsed = parse(frame + bytes(padding))
    assert parsed.trailer == {
        "verdict": Verdict.STELLAR,
        "reason": Reason.NONE,
        "candidate": 1,
        "flags": Flag.PADDED if padding else 0,
        "length": len(frame) + padding,
    }
    header = parsed.header
    for name in STELLAR_EXTENSIONS:
        expected = packet.get(name.lower(), dict.fromkeys(header[name.lower()], 0))
        assert header[name.lower()] == expected
    for name in ("opcode", "flow", "psn", "placement"):
        assert header["stellar"][name] == packet[name]
    assert header["offsets"]["payload"] == len(frame) - len(packet["payload"]) - 4
    stack = 8 * header["int"]["hops_reserved"]
    least = minimum_udp_length(packet["opcode"], header["stellar"]["flags"]) + stack
    assert header["udp"]["length"] >= least
    assert parsed.header_end == header["offsets"]["payload"] - stack


@given(frames.good_stellar(), st.data())
def test_one_byte_less_than_needed_is_truncated(packet, data):
    """``need`` agrees with the specification's ``minimum_udp_length``."""
    packet["payload"], packet["check"] = b"", b""
    flags = packet["flags"] | sum(
        flag for name, flag in (("addr", 8), ("imm", 4), ("ack", 2), ("int", 1)) if name in packet
    )
    stack = len(packet.get("stack", b""))
    least = minimum_udp_length(packet["opcode"], flags) + stack
    for length in (least - 1, least, data.draw(st.integers(UDP.size, least + 20))):
        packet["udp"]["length"] = length
        parsed = parse(ethernet(ipv4(stellar(**packet), total_length=20 + length)) + bytes(50))
        truncated = parsed.trailer["reason"] == Reason.STELLAR_TRUNCATED
        if not parsed.trailer["flags"] & Flag.UDP_CHECKSUM:
            assert truncated == (length < least)
