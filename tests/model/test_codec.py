"""Headers, records and settings: bytes and bits to values and back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stellar_model import Ingress, Settings, pack, parse, unpack
from stellar_model.codec import decode, encode
from stellar_spec import headers
from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD
from stellar_spec.tables import HEADERS
from tests.model.frames import values_of


def test_hand_typed_ipv4_header():
    wire = bytes.fromhex("4512 0073 0001 6003 4011 b861 c0a8 0001 c0a8 00c7")
    assert decode(headers.IPV4, wire) == {
        "version": 4,
        "ihl": 5,
        "dscp": 4,
        "ecn": 2,
        "total_length": 0x73,
        "identification": 1,
        "evil": 0,
        "dont_fragment": 1,
        "more_fragments": 1,
        "fragment_offset": 3,
        "ttl": 64,
        "protocol": 17,
        "checksum": 0xB861,
        "src": 0xC0A80001,
        "dst": 0xC0A800C7,
    }


def test_hand_typed_stellar_header():
    values = dict(
        version=1, opcode=2, flags=0xC1, flow=0x123456, psn=0x789ABC, placement=0xDEF01234
    )
    assert encode(headers.STELLAR, **values).hex() == "42c1123456789abcdef01234"


@given(
    st.sampled_from(list(HEADERS.values())).flatmap(
        lambda h: st.tuples(st.just(h), values_of(h.fields))
    )
)
def test_headers_round_trip(case):
    header, values = case
    wire = encode(header, **values)
    assert len(wire) == header.size
    assert decode(header, b"\xa5" + wire + b"\x5a", offset=1) == values


def test_decode_says_what_is_missing():
    with pytest.raises(ValueError, match=r"UDP needs 8 bytes from byte 3 on; 5 are there"):
        decode(headers.UDP, bytes(8), offset=3)


def test_encode_refuses():
    with pytest.raises(ValueError, match=r"UDP has no field 'port'; it has sport, dport, length"):
        encode(headers.UDP, port=1)
    with pytest.raises(ValueError, match=r"UDP: dport is 65536; 16 bits hold 0 to 65535"):
        encode(headers.UDP, dport=65536)
    with pytest.raises(ValueError, match=r"UDP: dport is -1; 16 bits"):
        encode(headers.UDP, dport=-1)


HEADER_RECORDS = st.fixed_dictionaries({g.name: values_of(g.fields) for g in HEADER_RECORD})
TRAILERS = values_of(TRAILER_RECORD[0].fields)


@given(HEADER_RECORDS, TRAILERS)
def test_records_round_trip(header, trailer):
    assert unpack(HEADER_RECORD, pack(HEADER_RECORD, header)) == header
    assert unpack(TRAILER_RECORD, pack(TRAILER_RECORD, trailer)) == trailer


def test_first_field_is_in_the_least_bits():
    """Field by field: a single 1 lands where the widths in front of it say."""
    at = 0
    for group in HEADER_RECORD:
        for field in group.fields:
            record = parse(b"\0").header
            record["eth"]["type"] = 0
            record[group.name][field.name] = 1
            assert pack(HEADER_RECORD, record) == 1 << at, f"{group.name}.{field.name}"
            at += field.width
    assert pack(TRAILER_RECORD, parse(b"\0").trailer | {"flags": 0, "length": 0, "verdict": 2}) == 2


def test_pack_refuses():
    header, trailer = parse(bytes(14)).header, parse(bytes(14)).trailer
    short = dict(trailer)
    del short["reason"]
    with pytest.raises(ValueError, match="trailer lacks the field 'reason'"):
        pack(TRAILER_RECORD, short)
    with pytest.raises(ValueError, match="trailer: verdict is 4; 2 bits hold 0 to 3"):
        pack(TRAILER_RECORD, trailer | {"verdict": 4})
    with pytest.raises(ValueError, match="the record has the groups .*mpls; it needs meta, state"):
        pack(HEADER_RECORD, header | {"mpls": {}})
    width = sum(group.width for group in TRAILER_RECORD)
    with pytest.raises(ValueError, match=f"the packed record is {1 << width:#x}; it has {width} b"):
        unpack(TRAILER_RECORD, 1 << width)


def test_settings_have_the_reset_values():
    for setting in SETTINGS:
        assert getattr(Settings(), setting.name) == setting.reset


@given(values_of(SETTINGS), values_of(INGRESS))
def test_settings_and_ingress_pack(settings, ingress):
    packed, at = Settings(**settings).pack(), 0
    for field in SETTINGS:
        assert packed >> at & (1 << field.width) - 1 == settings[field.name]
        at += field.width
    assert packed >> at == 0
    packed = Ingress(**ingress).pack()
    assert (packed & 15, packed >> 4) == (ingress["port"], ingress["time"])


def test_settings_refuse():
    message = re.escape("Settings: trim_dscp is 64; 6 bits hold 0 to 63")
    with pytest.raises(ValueError, match=message):
        Settings(trim_dscp=64)
    with pytest.raises(ValueError, match="Ingress: port is 16; 4 bits hold 0 to 15"):
        Ingress(port=16)


def test_ingress_is_passed_on():
    meta = parse(b"\0", meta=Ingress(port=3, time=12345)).header["meta"]
    assert meta == {"port": 3, "time": 12345}
