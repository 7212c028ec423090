"""The Scapy layers: golden frames read and built again, built packets read by the model."""

import random
import warnings

import pytest

from stellar_bench.vectors import load
from stellar_model import Settings, parse
from stellar_spec.codes import Flag, Layer, Verdict
from stellar_spec.headers import INT_HOP, STELLAR_EXTENSIONS, STELLAR_PORT
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, Opcode

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Scapy's imports warn of what others will remove one day
    from scapy.config import conf
    from scapy.layers.inet import IP, UDP, IPOption_NOP
    from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, PadN
    from scapy.layers.ipsec import AH
    from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
    from scapy.packet import Raw, bind_layers

    from stellar_wire import scapy_layer as tp

# What Scapy by itself does not look behind.
bind_layers(AH, UDP, nh=17)
for below in (Ether, Dot1Q, Dot1AD):
    bind_layers(below, Dot1AD, type=0x9100)

MACS = {"dst": "02:00:00:00:00:01", "src": "02:00:00:00:00:02"}
LAYERS = {
    "ADDR": tp.StellarADDR,
    "IMM": tp.StellarIMM,
    "ACK": tp.StellarACK,
    "INT": tp.StellarINT,
}


@pytest.fixture(scope="module", autouse=True)
def strict():
    """Addresses are given, so no routes are asked; an error while dissecting is raised."""
    before = conf.route_autoload, conf.debug_dissector
    conf.route_autoload, conf.debug_dissector = False, 2
    yield
    conf.route_autoload, conf.debug_dissector = before


def read(layer, header):
    return {f.name: getattr(layer, tp.scapy_name(f.name)) for f in header.fields}


def values(packet):
    """The record's groups as Scapy read them."""
    base = packet[tp.StellarTP]
    flags = int(base.flags) << 4 | int(base.extensions)
    names = ("version", "opcode", "flow", "psn", "placement")
    found = {"stellar": {name: getattr(base, name) for name in names} | {"flags": flags}}
    for name, layer in LAYERS.items():
        if layer in packet:
            found[name.lower()] = read(packet[layer], STELLAR_EXTENSIONS[name])
    return found


def test_no_field_hides_behind_an_attribute_of_scapy():
    for layer in (tp.StellarTP, tp.StellarHop, *LAYERS.values()):
        for field in layer.fields_desc:
            assert not hasattr(tp.Packet, field.name), field.name
    assert [field.name for field in tp.StellarHop.fields_desc][-1] == "time_"


def wanted(parsed):
    layers = parsed.header["state"]["layers"]
    names = [name for name in ("STELLAR", *LAYERS) if layers & Layer[name]]
    return {name.lower(): parsed.header[name.lower()] for name in names}


GOLDEN = [vector for vector in load() if vector.trailer["verdict"] == Verdict.STELLAR]


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: vector.name)
def test_golden_frame(vector):
    packet = Ether(vector.frame)
    assert bytes(packet) == vector.frame
    parsed = parse(vector.frame, settings=Settings(**vector.settings))
    if "trim" not in vector.settings:
        assert values(packet) == wanted(parsed)
        judged = not Flag(parsed.trailer["flags"]) & Flag.STELLAR_CHECK
        assert packet[tp.StellarTP].check_ok is judged
    else:
        assert values(packet)["stellar"] == wanted(parsed)["stellar"]
    if vector.hops and "trim" not in vector.settings:
        hops = packet[tp.StellarINT].hops
        rows = [read(hop, INT_HOP) for hop in hops]
        typed = [{f.name: hop.get(f.name, 0) for f in INT_HOP.fields} for hop in vector.hops]
        assert rows == typed


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: vector.name)
def test_golden_frame_with_what_is_filled_in_left_to_scapy(vector):
    if "trim" in vector.settings:
        assert Ether(vector.frame)[tp.StellarTP].check_ok is not True
        return
    packet = Ether(vector.frame)
    del packet[tp.StellarTP].check, packet[tp.StellarTP].extensions, packet[UDP].len
    if tp.StellarINT in packet:
        del packet[tp.StellarINT].hops_reserved
    flags = Flag(parse(vector.frame, settings=Settings(**vector.settings)).trailer["flags"])
    if flags & Flag.STELLAR_CHECK:  # the policy that lets a wrong check pass
        assert bytes(packet)[:-4] == vector.frame[:-4]
        assert parse(bytes(packet)).trailer["verdict"] == Verdict.STELLAR
    else:
        assert bytes(packet) == vector.frame


def random_packet(rng):
    """A well-formed packet, of which Scapy fills in all that it can."""
    opcode = rng.choice(list(Opcode))
    rule = OPCODES[opcode]
    packet = Ether(**MACS)
    if rng.random() < 0.3:
        packet /= Dot1Q(vlan=rng.randrange(4096))
    if rng.random() < 0.5:
        options = rng.choice([[], [IPOption_NOP()], [IPOption_NOP()] * 4])
        packet /= IP(src="10.0.0.1", dst="10.0.0.2", options=options)
    else:
        packet /= IPv6(src="fd00::1", dst="fd00::2")
        if rng.random() < 0.3:
            packet /= IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(rng.randrange(20)))])
    packet /= UDP(sport=rng.randrange(2**16), **rng.choice(({}, {"chksum": None})))
    flags, psn = rng.randrange(16), rng.getrandbits(24)
    base = {"flow": rng.getrandbits(24), "placement": rng.getrandbits(32)}
    packet /= tp.StellarTP(opcode=opcode.name, flags=flags, psn=psn, **base)
    for name in STELLAR_EXTENSIONS:
        flag = tp.StellarFlag[name]
        if rule.required & flag or rule.allowed & flag and rng.random() < 0.5:
            packet /= random_extension(rng, name)
    return packet / Raw(rng.randbytes(rule.body + rng.randrange(64)))


def random_extension(rng, name):
    if name == "INT":
        reserved = rng.randint(0, INT_HOPS_MAX)
        used = rng.randint(0, reserved)
        row = {tp.scapy_name(f.name): f.width for f in INT_HOP.fields}
        hops = [tp.StellarHop(**{n: rng.getrandbits(w) for n, w in row.items()})] * used
        given = rng.choice([{"hops_reserved": reserved}, {}])
        return tp.StellarINT(hops_used=used, exceeded=rng.randrange(2), hops=hops, **given)
    header = STELLAR_EXTENSIONS[name]
    return LAYERS[name](**{f.name: rng.getrandbits(f.width) for f in header.fields})


def test_built_packets_are_stellar_to_the_model(seed):
    rng = random.Random(seed)
    for number in range(200):
        packet = random_packet(rng)
        frame = bytes(packet)
        parsed, again = parse(frame), Ether(frame)
        context = f"seed {seed} packet {number}: {frame.hex()}\n{packet!r}"
        flags = Flag(parsed.trailer["flags"]) & ~(Flag.IPV4_OPTIONS | Flag.IPV6_EXTENSIONS)
        assert (parsed.trailer["verdict"], flags) == (Verdict.STELLAR, Flag(0)), context
        assert values(again) == wanted(parsed), context
        assert again[tp.StellarTP].check_ok is True and bytes(again) == frame, context


def good(**fields):
    base = tp.StellarTP(opcode="SEND", flags="SOM+EOM", flow=7, **fields)
    return Ether(**MACS) / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=5) / base / b"hello"


def test_what_is_given_is_built_as_given():
    frame = bytes(good(check=0x12345678, extensions="IMM"))
    assert frame[-4:] == bytes.fromhex("78563412")
    parsed = parse(frame)
    assert parsed.header["stellar"]["flags"] == 0xC4
    assert Flag(parsed.trailer["flags"]) & Flag.STELLAR_CHECK
    assert Ether(frame)[tp.StellarTP].check_ok is False


def test_udp_checksum_is_absent_unless_asked_for():
    assert Ether(bytes(good()))[UDP].chksum == 0


def test_source_ports_of_other_protocols_do_not_matter():
    packet = good()
    packet[UDP].sport = 53
    assert tp.StellarTP in Ether(bytes(packet))


def test_another_port_can_be_bound():
    try:
        tp.bind(4793)
        frame = bytes(good())
        assert parse(frame, settings=Settings(stellar_port=4793)).trailer["candidate"]
        assert tp.StellarTP in Ether(frame)
    finally:
        tp.bind()
    assert tp.StellarTP not in Ether(frame)
    assert Ether(bytes(good()))[UDP].dport == STELLAR_PORT


@pytest.mark.parametrize("port", [0, 65536])
def test_a_number_that_is_no_port_is_refused(port):
    with pytest.raises(ValueError, match=f"{port} is no UDP port; give 1 to 65535"):
        tp.bind(port)


def test_cut_and_foreign_packets_stay_bytes():
    frame = bytes(good())
    for end in range(43, len(frame)):  # nothing is raised, nothing is invented
        packet = Ether(frame[:end])
        assert (tp.StellarTP in packet) == (end >= 42 + 12)
        if tp.StellarTP in packet:
            assert packet[tp.StellarTP].check is None and packet[tp.StellarTP].check_ok is None
        assert bytes(packet) == frame[:end]
    other = bytearray(frame)
    other[42] |= 0x40
    assert tp.StellarTP not in Ether(bytes(other))


def test_without_ip_the_check_is_zero():
    assert bytes(tp.StellarTP(opcode="SEND") / b"x")[-4:] == bytes(4)
