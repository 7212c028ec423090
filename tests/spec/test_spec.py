"""The specification agrees with itself and with the numbers of the documents it cites."""

from enum import EnumType

import pytest

from stellar_spec import codes, headers, opcodes, overhead, records
from stellar_spec.fields import Field, Header
from stellar_spec.meanings import MEANINGS
from stellar_spec.opcodes import OPCODES, AckCode, Opcode, StellarFlag, minimum_udp_length
from stellar_spec.tables import HEADERS

SIZES = {
    "ETHERNET": 14,
    "VLAN": 4,
    "IPV4": 20,
    "IPV6": 40,
    "IPV6_EXTENSION": 4,
    "IPV6_ROUTING": 4,
    "IPV6_FRAGMENT": 8,
    "AH": 4,
    "UDP": 8,
    "TCP": 20,
    "STELLAR": 12,
    "ADDR": 16,
    "IMM": 4,
    "ACK": 16,
    "INT": 4,
    "INT_HOP": 8,
}


def test_header_sizes():
    assert {name: header.size for name, header in HEADERS.items()} == SIZES


def test_transport_bytes_of_a_data_packet_are_at_most_24():
    assert headers.UDP.size + headers.STELLAR.size + headers.CHECK_SIZE == 24


@pytest.mark.parametrize(
    ("header", "name", "bits"),
    [
        (headers.IPV4, "protocol", 72),
        (headers.IPV4, "dst", 128),
        (headers.IPV6, "dst", 192),
        (headers.TCP, "flags", 103),
        (headers.STELLAR, "flow", 16),
        (headers.STELLAR, "psn", 40),
        (headers.STELLAR, "placement", 64),
        (headers.INT, "zero", 9),
    ],
)
def test_offsets_of_fields(header, name, bits):
    assert header.offset(name) == bits


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_every_field_has_a_meaning_and_every_header_a_source(header):
    assert header.source
    assert all(field.doc for field in header.fields)


ENUMERATIONS = [
    value
    for module in (codes, opcodes)
    for value in vars(module).values()
    if isinstance(value, EnumType) and value.__module__ == module.__name__
]


def test_all_enumerations_are_found():
    assert len(ENUMERATIONS) == 12 and set(MEANINGS) < set(ENUMERATIONS)


@pytest.mark.parametrize("enumeration", ENUMERATIONS, ids=lambda e: e.__name__)
def test_values_are_unique(enumeration):
    members = enumeration.__members__
    assert len({int(value) for value in members.values()}) == len(members) > 0


@pytest.mark.parametrize("flags", [codes.Flag, codes.Layer, StellarFlag], ids=lambda e: e.__name__)
def test_flags_are_single_bits_without_a_gap(flags):
    assert sorted(flags) == [1 << bit for bit in range(len(flags))]


@pytest.mark.parametrize("enumeration", MEANINGS, ids=lambda e: e.__name__)
def test_every_member_has_a_meaning(enumeration):
    assert list(MEANINGS[enumeration]) == list(enumeration.__members__.values())


def test_numbers_that_stand_on_the_wire():
    """By hand from docs/wire-format.md; the golden frames pin the opcodes' numbers."""
    assert {flag.name: int(flag) for flag in StellarFlag} == {
        "SOM": 0x80,
        "EOM": 0x40,
        "ACK_REQ": 0x20,
        "RETX": 0x10,
        "ADDR": 0x08,
        "IMM": 0x04,
        "ACK": 0x02,
        "INT": 0x01,
    }
    assert {code.name: int(code) for code in AckCode} == {
        "OK": 0,
        "REGISTRATION_TIMEOUT": 1001,
        "REMOTE_KEY": 2003,
        "NO_CREDIT": 3008,
    }


def test_every_opcode_has_a_rule_and_fits_its_field():
    assert set(OPCODES) == set(Opcode)
    assert all(0 < opcode < 1 << headers.STELLAR["opcode"].width for opcode in Opcode)


def test_the_flags_fill_their_field_and_each_extension_has_one():
    assert sum(StellarFlag) == (1 << headers.STELLAR["flags"].width) - 1
    assert opcodes.EXTENSION_FLAGS == sum(StellarFlag[n] for n in headers.STELLAR_EXTENSIONS)


@pytest.mark.parametrize("opcode", Opcode, ids=lambda opcode: opcode.name)
def test_required_and_allowed_are_disjoint_extensions_and_int_is_always_allowed(opcode):
    rule = OPCODES[opcode]
    assert not rule.required & rule.allowed
    assert not (rule.required | rule.allowed) & ~opcodes.EXTENSION_FLAGS
    assert rule.allowed & StellarFlag.INT
    assert rule.accepts(rule.required) and rule.accepts(rule.required | rule.allowed)


def test_only_packets_without_a_number_of_their_own_carry_ack():
    carriers = {op for op, rule in OPCODES.items() if (rule.required | rule.allowed) & 2}
    assert carriers == {Opcode.ACK, Opcode.NACK, Opcode.CREDIT, Opcode.CNP, Opcode.PROBE_REPLY}


@pytest.mark.parametrize(
    ("opcode", "flags", "length"),
    [
        (Opcode.WRITE, 0x00, 24),
        (Opcode.WRITE, 0xF9, 44),
        (Opcode.READ_REQUEST, 0x08, 40),
        (Opcode.ATOMIC, 0x08, 60),
        (Opcode.ACK, 0x03, 44),
        (Opcode.PROBE, 0x00, 32),
        (Opcode.REDUCE, 0x0D, 52),
        (0, 0x00, 24),
        (63, 0x0F, 64),
    ],
)
def test_minimum_udp_length(opcode, flags, length):
    assert minimum_udp_length(opcode, flags) == length


def test_ack_codes_fit_their_field():
    assert all(code < 1 << headers.ACK["code"].width for code in AckCode)


# Added up by hand; eth: 48 + 48 + 16 + 2 + 2 tags of 32; ip: 4 + 2 addresses of 128 + 67.
RECORD_WIDTHS = {
    "meta": 52,
    "state": 10,
    "eth": 178,
    "ip": 327,
    "udp": 64,
    "tcp": 45,
    "stellar": 96,
    "addr": 128,
    "imm": 32,
    "ack": 128,
    "int": 32,
    "offsets": 32,
    "key": 67,
}


def test_record_widths():
    assert {group.name: group.width for group in records.HEADER_RECORD} == RECORD_WIDTHS
    assert [group.width for group in records.TRAILER_RECORD] == [43]


def test_record_fields_hold_what_they_are_for():
    trailer = {field.name: field.width for field in records.TRAILER_RECORD[0].fields}
    assert max(codes.Verdict) < 1 << trailer["verdict"]
    assert max(codes.Reason) < 1 << trailer["reason"]
    assert sum(codes.Flag) == (1 << trailer["flags"]) - 1
    assert codes.LENGTH_MAX == (1 << trailer["length"]) - 1
    header = {g.name: {f.name: f.width for f in g.fields} for g in records.HEADER_RECORD}
    assert sum(codes.Layer) == (1 << header["state"]["layers"]) - 1
    assert max(codes.KeyKind) < 1 << header["key"]["kind"]
    # the farthest header: tags, the longest IPv6 chain, every extension, eight hops
    l3 = 14 + 4 * codes.VLAN_LIMIT
    payload = l3 + 40 + codes.EXTENSION_LIMIT + 8 + 12 + 16 + 4 + 16 + 4 + 8 * opcodes.INT_HOPS_MAX
    assert l3 < 1 << header["offsets"]["l3"]
    assert payload < 1 << header["offsets"]["payload"]
    assert 40 + codes.EXTENSION_LIMIT < 1 << header["ip"]["header_length"]


@pytest.mark.parametrize(
    "groups", [records.HEADER_RECORD, records.TRAILER_RECORD], ids=["header", "trailer"]
)
def test_record_names_are_unique_and_every_layer_has_its_group(groups):
    assert len({group.name for group in groups}) == len(groups)
    for group in groups:
        assert len({field.name for field in group.fields}) == len(group.fields)
    if groups is records.HEADER_RECORD:
        assert sum(group.layer or 0 for group in groups) == sum(codes.Layer)


def test_settings_start_inside_their_width():
    for setting in records.SETTINGS:
        assert 0 <= setting.reset < 1 << setting.width


def test_port_is_in_the_dynamic_range_above_linux_ephemeral_ports():
    assert headers.STELLAR_PORT == 0xF57A and 60999 < headers.STELLAR_PORT < 65536


# --- the building blocks' messages ---


def test_a_field_of_no_bits_is_refused():
    with pytest.raises(ValueError, match="field 'x' has width 0; it needs 1 bit or more"):
        Field("x", 0)


def test_a_header_of_broken_bytes_is_refused():
    with pytest.raises(ValueError, match="header 'H' has 7 bits; whole bytes are needed"):
        Header("H", "test", (Field("a", 7),))


def test_two_fields_of_one_name_are_refused():
    with pytest.raises(ValueError, match="header 'H' has two fields called 'a'"):
        Header("H", "test", (Field("a", 4), Field("a", 4)))


@pytest.mark.parametrize("ask", [Header.__getitem__, Header.offset])
def test_a_field_that_is_not_there_is_named(ask):
    with pytest.raises(KeyError, match="header 'UDP' has no field 'port'"):
        ask(headers.UDP, "port")


# --- header bytes against RoCEv2, by hand ---


def test_transport_bytes_against_rocev2():
    found = [(p.roce, *p.bytes) for p in overhead.WRITES]
    assert found == [
        ("WRITE first, only", 40, 24),
        ("WRITE middle, last", 24, 24),
        ("WRITE first, only", 40, 40),
        ("WRITE middle, last", 24, 40),
    ]


def test_other_packets_against_rocev2():
    found = {(p.roce, p.stellar): p.bytes for p in overhead.PACKETS}
    assert found["atomic", "ATOMIC"] == (52, 60)
    assert found["ACK", "ACK"] == (28, 40)
    assert found["CNP", "CNP"] == (40, 24)
    assert found["READ request", "READ_REQUEST"] == (40, 40)


@pytest.mark.parametrize(
    ("roce", "stellar", "text"),
    [(40, 24, "40 % less"), (24, 24, "nothing"), (24, 40, "67 % more"), (28, 40, "43 % more")],
)
def test_savings_in_words(roce, stellar, text):
    assert overhead.saving(roce, stellar) == text


def test_bytes_of_messages():
    assert overhead.message_bytes(4) == (40 + 3 * 24, 4 * 24)
    assert overhead.message_bytes(1, addr=True) == (40, 40)
    with pytest.raises(ValueError, match="a message has 0 packets; it needs 1 or more"):
        overhead.message_bytes(0)


def test_ethernet_bytes_on_the_wire():
    assert overhead.ETHERNET_BYTES == 38
