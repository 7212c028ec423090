"""Hypothesis strategies: frames of every kind, whole, wild and damaged, and settings to match."""

from hypothesis import strategies as st

from stellar_model import Settings, build
from stellar_spec.codes import TPIDS, Protocol
from stellar_spec.headers import STELLAR_EXTENSIONS, STELLAR_PORT, UDP
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, StellarFlag

__all__ = ["frames", "good_stellar", "settings", "values_of"]

PAYLOADS = st.binary(max_size=40)
OWN = (0x0A000002, 0xFD << 120 | 2)  # the addresses that the builders send to
DSCP = 10  # of trimmed packets


def values_of(fields, **chosen):
    """Values for ``fields``: any that fit, or those of the strategies ``chosen``."""
    return st.fixed_dictionaries(
        {f.name: chosen.get(f.name, st.integers(0, 2**f.width - 1)) for f in fields}
    )


ABSENT_OR_RIGHT = st.sampled_from([0, None])


@st.composite
def good_stellar(draw, checksum=ABSENT_OR_RIGHT):
    """Keyword arguments of ``build.stellar`` for a packet that nobody can find fault with."""
    opcode = draw(st.sampled_from(list(OPCODES)))
    rule = OPCODES[opcode]
    packet = {"opcode": opcode, "flags": draw(st.integers(0, 15)) << 4}
    for name, header in STELLAR_EXTENSIONS.items():
        flag = StellarFlag[name]
        if flag & rule.required or flag & rule.allowed and draw(st.booleans()):
            packet[name.lower()] = draw(values_of(header.fields))
    if "int" in packet:
        reserved = draw(st.integers(0, INT_HOPS_MAX))
        used = draw(st.integers(0, reserved))
        packet["int"] |= {"hops_reserved": reserved, "hops_used": used, "zero": 0}
        packet["stack"] = draw(st.binary(min_size=8 * reserved, max_size=8 * reserved))
    packet |= draw(st.fixed_dictionaries({"flow": st.integers(0, 2**24 - 1)}))
    packet |= draw(st.fixed_dictionaries({"psn": st.integers(0, 2**24 - 1)}))
    packet |= draw(st.fixed_dictionaries({"placement": st.integers(0, 2**32 - 1)}))
    packet["payload"] = draw(st.binary(min_size=rule.body, max_size=rule.body + 40))
    packet["udp"] = {"sport": draw(st.integers(0, 0xFFFF)), "checksum": draw(checksum)}
    return packet


@st.composite
def wild_stellar(draw):
    """A StellarTP packet with one thing or another wrong."""
    packet = draw(good_stellar(checksum=st.sampled_from([0, None, 0x1234])))
    wrong = draw(st.sampled_from(["opcode", "flags", "version", "length", "check", "int", "body"]))
    if wrong == "opcode":
        packet["opcode"] = draw(st.integers(0, 63))
    elif wrong == "flags":
        packet["flags"] = draw(st.integers(0, 255))
    elif wrong == "version":
        packet["version"] = draw(st.integers(0, 3))
    elif wrong == "length":
        packet["udp"]["length"] = draw(st.integers(0, 80))
    elif wrong == "check":
        packet["check"] = draw(st.binary(max_size=4))
    elif wrong == "int":
        packet["int"] = draw(values_of(STELLAR_EXTENSIONS["INT"].fields))
    else:
        packet["payload"] = draw(st.binary(max_size=8))
    return build.stellar(**packet)


def kwargs(**strategies):
    """Each keyword argument is there or not."""
    return st.fixed_dictionaries({}, optional=strategies)


def perhaps(**strategies):
    """One of the keyword arguments, or none: a frame with one fault gets further than with two."""
    one = [st.fixed_dictionaries({name: value}) for name, value in strategies.items()]
    return st.just({}) | st.one_of(*one)


PORTS = st.sampled_from([53, 4791, STELLAR_PORT]) | st.integers(0, 0xFFFF)
UDPS = st.builds(
    lambda payload, rest: build.udp(payload, **rest),
    PAYLOADS,
    perhaps(
        sport=PORTS,
        dport=PORTS,
        length=st.integers(0, UDP.size + 60),
        checksum=st.sampled_from([0, 1, 0xFFFF]),
    ),
)
TCPS = st.builds(
    lambda payload, rest: build.tcp(payload, **rest),
    PAYLOADS,
    kwargs(
        sport=PORTS,
        dport=PORTS,
        flags=st.integers(0, 511),
        options=st.just(b"\1" * 12),
        data_offset=st.integers(0, 15),
    ),
)
OTHERS = st.builds(
    build.part.part,
    st.sampled_from(list(Protocol)) | st.integers(0, 255),
    st.binary(max_size=30),
    st.just(b""),
)
UPPER = st.one_of(
    good_stellar().map(lambda p: build.stellar(**p)), wild_stellar(), UDPS, TCPS, OTHERS
)

WHOLE_WORDS = st.binary(max_size=40).map(lambda data: data[: len(data) // 4 * 4])
LENGTHS = st.integers(0, 120)
SHARED = {
    "dscp": st.sampled_from([DSCP, 0]),
    "ecn": st.integers(0, 3),
}
OPTIONS = WHOLE_WORDS | st.just(bytes([131, 7, 4, 10, 0, 0, 9, 0]))


@st.composite
def extended(draw):
    """An upper layer behind up to four extension headers."""
    inner = draw(UPPER)
    options = st.binary(max_size=30) | st.just(b"\xc9" * 6)
    kinds = {
        build.hop_by_hop: perhaps(options=options, length=st.integers(0, 40)),
        build.destination: perhaps(options=options, length=st.integers(0, 40)),
        build.routing: perhaps(data=options, segments_left=st.integers(0, 2)),
        build.fragment: perhaps(offset=st.sampled_from([0, 8, 65528]), more=st.integers(0, 1)),
        build.ah: perhaps(
            body=WHOLE_WORDS.map(lambda words: bytes(8) + words), length=st.integers(0, 70)
        ),
    }
    for extension in draw(st.lists(st.sampled_from(list(kinds)), max_size=3)):
        inner = extension(inner, **draw(kinds[extension]))
    return inner


IPV4S = st.builds(
    lambda inner, fine, fault: build.ipv4(inner, **fine, **fault),
    UPPER,
    kwargs(options=OPTIONS, **SHARED),
    perhaps(
        version=st.sampled_from([5, 6]),
        ihl=st.integers(0, 15),
        total_length=LENGTHS,
        checksum=st.just(0xFFFF),
        more_fragments=st.just(1),
        fragment_offset=st.integers(0, 2),
        dst=st.sampled_from([1, OWN[0]]),
    ),
)
IPV6S = st.builds(
    lambda inner, fine, fault: build.ipv6(inner, **fine, **fault),
    extended(),
    kwargs(**SHARED),
    perhaps(version=st.just(4), payload_length=LENGTHS, dst=st.sampled_from([1, OWN[1]])),
)


@st.composite
def frames(draw):
    """Frames as a hostile network may send them; most get far into the parser."""
    packet = draw(st.one_of(IPV4S, IPV6S))
    for tpid in draw(st.lists(st.sampled_from(TPIDS), max_size=2)):
        packet = build.vlan(packet, tpid=tpid, **draw(kwargs(pcp=st.just(5), vid=st.just(9))))
    frame = bytearray(build.ethernet(packet))
    damage = draw(st.sampled_from(["none", "none", "none", "cut", "pad", "flip"]))
    if damage == "cut":
        return bytes(frame[: draw(st.integers(0, len(frame)))])
    if damage == "pad":
        return bytes(frame) + draw(st.binary(min_size=1, max_size=30))
    if damage == "flip":
        for at in draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, max_size=3)):
            frame[at] ^= draw(st.integers(1, 255))
    return bytes(frame)


settings = st.builds(
    Settings,
    filter=st.integers(0, 1),
    own_ipv4=st.just(OWN[0]),
    own_ipv6=st.just(OWN[1]),
    trim=st.integers(0, 1),
    trim_dscp=st.just(DSCP),
    max_length=st.sampled_from([9216, 60]),
    check_flag=st.integers(0, 1),
)
