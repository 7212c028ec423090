"""The golden frames against the specification: every table of headers is pinned by typed bytes."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6

from stellar_bench.vectors import FOLDER, Vector, load_file
from stellar_spec import headers
from stellar_spec.opcodes import OPCODES, Opcode
from tests.spec.compare import VECTORS, decoded, expected
from tests.spec.decoder import Layout, Spec

by_name = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)


@by_name
def test_the_specification_decodes_each_vector_as_typed(vector):
    assert decoded(vector, Spec()) == expected(vector)


@by_name
def test_what_is_typed_is_complete(vector):
    for name in ("eth", "ip", "udp", "offsets", "key", "trailer"):
        assert name in vector.typed
    for name, header in {"stellar": headers.STELLAR, **headers.STELLAR_EXTENSIONS}.items():
        if name.lower() in vector.typed:
            assert list(vector.typed[name.lower()]) == [f.name for f in header.fields]
    assert list(vector.typed["udp"]) == [f.name for f in headers.UDP.fields]
    assert list(vector.typed["offsets"]) == ["l3", "l4", "int", "payload"]
    for hop in vector.hops:
        assert list(hop) == [f.name for f in headers.INT_HOP.fields]
    assert vector.trailer["length"] == len(vector.frame)


LABELS = {"UDP": "udp", "STELLAR": "base", "ADDR": "addr", "IMM": "imm", "ACK": "ack", "INT": "int"}


def _start(vector: Vector, label: str) -> int:
    """Where the first part called ``label`` starts."""
    names = [name for name, _ in vector.parts]
    return sum(len(data) for _, data in vector.parts[: names.index(label)])


@by_name
def test_labels_stand_where_the_specification_has_the_headers(vector):
    place = Layout(vector.frame, Spec(), "trim" in vector.settings)
    starts = {name: at for name, at, _ in place.rows if name in LABELS}
    assert starts == {name: _start(vector, LABELS[name]) for name in starts}
    if vector.part("check"):
        end = place.udp + place.values("UDP")["length"]
        assert _start(vector, "check") == end - headers.CHECK_SIZE


def test_every_opcode_has_two_vectors_that_are_taken():
    taken = [v for v in VECTORS if v.typed["trailer"]["verdict"] == "STELLAR" and not v.settings]
    for opcode in Opcode:
        assert sum(v.typed["stellar"]["opcode"] == opcode for v in taken) >= 2, opcode


@pytest.mark.parametrize("opcode", Opcode, ids=lambda opcode: opcode.name)
def test_the_file_named_after_an_opcode_holds_its_number(opcode):
    vectors = load_file(FOLDER / f"{opcode.name.lower()}.txt")
    assert {vector.typed["stellar"]["opcode"] for vector in vectors} == {opcode}


@pytest.mark.parametrize("group", ["addr", "imm", "ack", "int"])
def test_every_extension_has_two_vectors_over_each_ip_version(group):
    for version in (4, 6):
        count = sum(group in v.typed and v.typed["ip"]["version"] == version for v in VECTORS)
        assert count >= 2, f"IPv{version}"


@pytest.mark.parametrize("hops", [0, 1, 8])
def test_int_has_two_vectors_of_each_stack(hops):
    taken = [v for v in VECTORS if v.typed["trailer"]["verdict"] == "STELLAR" and "int" in v.typed]
    assert sum(v.typed["int"]["hops_reserved"] == hops for v in taken) >= 2


@pytest.mark.parametrize("tags", [0, 1, 2])
@pytest.mark.parametrize("version", [4, 6])
def test_every_number_of_tags_is_seen(tags, version):
    seen = [
        v.name
        for v in VECTORS
        if v.header["eth"]["vlan_count"] == tags and v.header["ip"]["version"] == version
    ]
    assert seen


def test_every_allowed_extension_of_every_opcode_but_int_is_seen():
    """INT is allowed everywhere; the rest of each opcode's set stands in some vector."""
    for opcode, rule in OPCODES.items():
        flags = 0
        for v in VECTORS:
            if (
                v.typed["trailer"]["verdict"] == "STELLAR"
                and v.typed["stellar"]["opcode"] == opcode
            ):
                flags |= v.typed["stellar"]["flags"]
        wanted = (rule.required | rule.allowed) & ~1
        assert flags & wanted == wanted, opcode


@by_name
def test_scapy_agrees_on_the_outer_headers(vector):
    """An outside witness: addresses, lengths, ports, and the checksums that are not meant wrong."""
    want = vector.header
    kind, address = (IP, IPv4Address) if want["ip"]["version"] == 4 else (IPv6, IPv6Address)
    ip = kind(vector.frame[want["offsets"]["l3"] :])
    assert [ip.src, ip.dst] == [str(address(want["ip"][name])) for name in ("src", "dst")]
    udp = UDP(vector.frame[want["offsets"]["l4"] :])
    assert [udp.sport, udp.dport, udp.len, udp.chksum or 0] == list(want["udp"].values())
    if kind is IP:
        assert ip.ihl * 4 == want["ip"]["header_length"] and ip.len == want["ip"]["total_length"]
        typed, ip.chksum = ip.chksum, None
        assert IP(bytes(ip)).chksum == typed
    if udp.chksum and vector.typed["trailer"].get("reason") != "UDP_CHECKSUM":
        ip[UDP].chksum = None
        assert kind(bytes(ip))[UDP].chksum == udp.chksum
