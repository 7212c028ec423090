"""What ``stellar-analyzer parse`` prints of frames: whole objects, typed by hand."""

import re

import pytest

from stellar_bench import vectors
from stellar_model.build import ethernet, fragment, ipv4, ipv6, pad, tcp, udp, vlan
from stellar_sdk.capture import Frame
from tests.host.analyzer_run import capture, parse

VECTORS = {vector.name: vector for vector in vectors.load() if not vector.settings}

NOTHING = {
    "verdict": "HOST",
    "reason": None,
    "flags": [],
    **dict.fromkeys(("eth", "ip", "udp", "tcp", "stellar")),
    "offsets": {"l3": None, "l4": None, "payload": 0},
    "candidate": False,
    "key": None,
}
BUILT_ETH = {"dst": "02:00:00:00:00:02", "src": "02:00:00:00:00:01", "type": 0x0800, "vlans": []}
BUILT_IP = {
    **{"version": 4, "src": "10.0.0.1", "dst": "10.0.0.2", "dscp": 0, "ecn": 0, "ttl": 64},
    **{"protocol": 17, "header_length": 20, "total_length": 28, "fragment_offset": 0},
    "more_fragments": False,
}


def of(frame, **members):
    """The object of a capture's only frame: its length, and ``members`` over ``NOTHING``."""
    lengths = {"frame": 1, "length": len(frame), "wire_length": len(frame)}
    return lengths | NOTHING | members


def key(kind, src, dst, protocol=None, sport=None, dport=None, flow=None):
    ends = {"protocol": protocol, "sport": sport, "dport": dport, "flow": flow}
    return {"kind": kind, "src": src, "dst": dst, **ends}


@pytest.fixture
def show(tmp_path, capsys):
    """Function of a frame: the object printed for it."""

    def show(frame):
        code, objects, errors = parse(capsys, "-i", capture(tmp_path / "one.pcap", frame))
        assert (code, len(objects), errors) == (0, 1, "")
        return objects[0]

    return show


def test_every_member_in_order(show):
    record = show(VECTORS["dropped-opcode-63"].frame)  # with all four extensions
    assert list(record) == [
        *("frame", "length", "wire_length", "verdict", "reason", "flags"),
        *("eth", "ip", "udp", "tcp", "stellar", "offsets", "candidate", "key"),
    ]
    assert record == {
        **{"frame": 1, "length": 98, "wire_length": 98, "verdict": "DROP"},
        **{"reason": "STELLAR_OPCODE", "flags": []},
        "eth": {"dst": "02:00:00:00:00:0b", "src": "02:00:00:00:00:0a", "type": 2048, "vlans": []},
        "ip": BUILT_IP | {"total_length": 84},
        "udp": {"sport": 50690, "dport": 62842, "length": 64, "checksum": 0},
        "tcp": None,
        "stellar": {
            **{"version": 0, "opcode": 63, "flags": 255, "flow": 34, "psn": 2},
            "placement": 0x12345678,
            "addr": {"rkey": 1, "address": 2, "length": 3},
            "imm": 4,
            "ack": {"bitmap": 5, "credits": 6, "path": 7, "code": 8, "echo": 9},
            "int": {"hops_used": 0, "hops_reserved": 0, "exceeded": 0, "zero": 0, "hops": []},
        },
        "offsets": {"l3": 14, "l4": 34, "payload": 94},
        "candidate": True,
        "key": key("ipv4-stellartp", "10.0.0.1", "10.0.0.2", flow=34),
    }


def test_document_has_every_member(show):
    text = (vectors.FOLDER.parents[1] / "docs" / "analyzer.md").read_text(encoding="utf-8")
    named = {word for span in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", span)}
    whole = [VECTORS[name].frame for name in ("dropped-opcode-63", "reduce-ipv6-qinq-addr-int2")]
    whole.append(ethernet(ipv4(tcp())))
    for frame in whole:
        assert members(show(frame)) <= named


def members(value):
    """Every key in an object and in what it holds."""
    if isinstance(value, list):
        return {name for item in value for name in members(item)}
    if isinstance(value, dict):
        return set(value) | members(list(value.values()))
    return set()


def test_int_hops_that_have_written(show):
    assert show(VECTORS["ack-ipv6-int3"].frame) == {
        **{"frame": 1, "length": 122, "wire_length": 122, "verdict": "STELLAR"},
        **{"reason": None, "flags": []},
        "eth": {"dst": "02:00:00:00:00:0a", "src": "02:00:00:00:00:0b", "type": 34525, "vlans": []},
        "ip": {
            **{"version": 6, "src": "2001:db8::2", "dst": "2001:db8::1", "dscp": 46, "ecn": 0},
            **{"ttl": 64, "protocol": 17, "header_length": 40, "total_length": 108},
            **{"fragment_offset": 0, "more_fragments": False},
        },
        "udp": {"sport": 53506, "dport": 62842, "length": 68, "checksum": 0},
        "tcp": None,
        "stellar": {
            **{"version": 0, "opcode": 8, "flags": 3, "flow": 0x5679, "psn": 0x123457},
            **{"placement": 0, "addr": None, "imm": None},
            "ack": {"bitmap": 0, "credits": 65535, "path": 53506, "code": 0, "echo": 0},
            "int": {
                **{"hops_used": 2, "hops_reserved": 3, "exceeded": 0, "zero": 0},
                "hops": [
                    {"queue": 1, "utilisation": 4095, "time": 1},
                    {"queue": 0xFFFFF, "utilisation": 0, "time": 0xFFFFFFFF},
                ],
            },
        },
        "offsets": {"l3": 14, "l4": 54, "payload": 118},
        "candidate": True,
        "key": key("ipv6-stellartp", "2001:db8::2", "2001:db8::1", flow=0x5679),
    }


def test_tags_and_tcp(show):
    segment = tcp(b"abc", sport=1, dport=443, flags=0x1FF, options=bytes(4))
    frame = ethernet(vlan(vlan(ipv4(segment, dscp=46, ecn=3), vid=200, pcp=5), tpid=0x88A8, dei=1))
    tags = [
        {"tpid": 0x88A8, "pcp": 0, "dei": 1, "vid": 0},
        {"tpid": 0x8100, "pcp": 5, "dei": 0, "vid": 200},
    ]
    assert show(frame) == of(
        frame,
        eth=BUILT_ETH | {"vlans": tags},
        ip=BUILT_IP | {"dscp": 46, "ecn": 3, "protocol": 6, "total_length": 47},
        tcp={"sport": 1, "dport": 443, "flags": 511, "data_offset": 6},
        offsets={"l3": 22, "l4": 42, "payload": 66},
        key=key("ipv4-5tuple", "10.0.0.1", "10.0.0.2", 6, 1, 443),
    )


def test_later_fragment_has_no_udp_and_no_ports(show):
    frame = ethernet(ipv6(fragment(b"x" * 8, offset=1480, more=1, next_header=17)))
    assert show(frame) == of(
        frame,
        flags=["FRAGMENT", "IPV6_EXTENSIONS"],
        eth=BUILT_ETH | {"type": 0x86DD},
        ip={
            **{"version": 6, "src": "fd00::1", "dst": "fd00::2", "dscp": 0, "ecn": 0, "ttl": 64},
            **{"protocol": 17, "header_length": 48, "total_length": 56, "fragment_offset": 1480},
            "more_fragments": True,
        },
        offsets={"l3": 14, "l4": 62, "payload": 62},
        key=key("ipv6-5tuple", "fd00::1", "fd00::2", 17, 0, 0),
    )


def test_first_fragment_has_udp(show):
    frame = ethernet(ipv4(udp(b"", sport=5, dport=6, length=100, checksum=0), more_fragments=1))
    assert show(frame) == of(
        frame,
        flags=["FRAGMENT"],
        eth=BUILT_ETH,
        ip=BUILT_IP | {"more_fragments": True},
        udp={"sport": 5, "dport": 6, "length": 100, "checksum": 0},
        offsets={"l3": 14, "l4": 34, "payload": 42},
        key=key("ipv4-5tuple", "10.0.0.1", "10.0.0.2", 17, 5, 6),
    )


@pytest.mark.parametrize("number", [0x0806, 0x0600])
def test_what_is_not_ip(show, number):
    frame = pad(ethernet(bytes(28), type=number))
    assert show(frame) == of(
        frame,
        eth=BUILT_ETH | {"type": number},
        offsets={"l3": 14, "l4": None, "payload": 14},
    )


@pytest.mark.parametrize("length", [0, 46, 0x05FF])
def test_type_of_802_3_is_null(show, length):
    frame = pad(ethernet(type=length))
    shown = {"eth": BUILT_ETH | {"type": None}}
    assert show(frame) == of(frame, **shown, offsets={"l3": 14, "l4": None, "payload": 14})


@pytest.mark.parametrize("length", [0, 1, 13])
def test_ethernet_cut_or_empty(show, length):
    frame = ethernet(type=0x0800)[:length]
    assert show(frame) == of(frame, flags=["ETH_TRUNCATED"])


def test_header_cut_is_null(show):
    whole = ethernet(ipv4(udp(b"", sport=5, dport=6, checksum=0)))
    assert show(whole[:33]) == of(
        whole[:33],
        flags=["IP_TRUNCATED"],
        eth=BUILT_ETH,
        offsets={"l3": 14, "l4": None, "payload": 14},
    )
    assert show(whole[:41]) == of(
        whole[:41],
        flags=["IP_LENGTH", "L4_TRUNCATED"],
        eth=BUILT_ETH,
        ip=BUILT_IP,
        offsets={"l3": 14, "l4": 34, "payload": 34},
        key=key("ipv4-5tuple", "10.0.0.1", "10.0.0.2", 17, 0, 0),
    )


def test_frame_cut_by_the_snap_length_is_normal(tmp_path, capsys):
    file = capture(tmp_path / "snap.pcap", Frame(1, bytes(20), 1514, 0), b"", b"\1")
    code, objects, errors = parse(capsys, "-i", file)
    assert (code, errors) == (0, "")
    lengths = [[row[name] for name in ("frame", "length", "wire_length")] for row in objects]
    assert lengths == [[1, 20, 1514], [2, 0, 0], [3, 1, 1]]


def test_vectors_say_what_was_typed(show):
    for vector in VECTORS.values():
        record, typed, trailer = show(vector.frame), vector.header, vector.typed["trailer"]
        reason = trailer.get("reason")
        assert (record["verdict"], record["reason"]) == (trailer["verdict"], reason), vector.name
        flags = trailer.get("flags", "")
        assert set(record["flags"]) == {*filter(None, flags.split("|"))}, vector.name
        for name in ("udp", "tcp"):
            assert record[name] == (typed[name] if name in vector.typed else None), vector.name
        if "stellar" not in vector.typed:
            assert record["stellar"] is None
            continue
        shown = {name: typed[name] if name in vector.typed else None for name in ("addr", "ack")}
        shown["imm"] = typed["imm"]["data"] if "imm" in vector.typed else None
        shown["int"] = None
        if "int" in vector.typed:
            hops = vector.hops[: typed["int"]["hops_used"]]
            shown["int"] = typed["int"] | {"hops": hops}
        assert record["stellar"] == typed["stellar"] | shown, vector.name
