"""The golden model of the parser: a whole frame in, its records out.

Written to be read beside docs/parser.md, step by step and in its words: ``parser`` has steps 1
to 3 and the flow key, ``network`` 4 to 6, ``transport`` 7 and 8, ``verdict`` 9 and 10.
"""

from dataclasses import asdict

from stellar_spec.codes import TPIDS, VLAN_LIMIT, EtherType, Flag, KeyKind, Layer
from stellar_spec.headers import ETHERNET, VLAN

from .codec import decode
from .network import ip
from .records import Ingress, Parsed, Settings
from .transport import ip_payload, stellar
from .verdict import trailer
from .walk import Stop, Walk

__all__ = ["parse"]

DEFAULT_SETTINGS = Settings()
NO_INGRESS = Ingress()


def parse(
    frame: bytes,
    *,
    settings: Settings = DEFAULT_SETTINGS,
    meta: Ingress = NO_INGRESS,
    error: bool = False,
) -> Parsed:
    """What the parser says of ``frame``; ``error`` is that of its last beat.

    Any bytes have an answer; nothing is raised for what stands in a frame.
    """
    walk = Walk(bytes(frame), settings)
    header_end = follow(walk)
    walk.header["meta"] = asdict(meta)
    walk.header["state"] = {"layers": int(walk.layers), "candidate": int(walk.candidate)}
    walk.header["key"] = flow_key(walk)
    return Parsed(walk.header, trailer(walk, error), header_end)


def follow(walk: Walk) -> int:
    """The walk; returns the last header byte's end."""
    try:
        ethernet(walk)
        vlan_tags(walk)
        ethertype(walk)
        ip(walk)
        ip_payload(walk)
        stellar(walk)
    except Stop as stop:
        return stop.at
    raise AssertionError("the last step did not stop")


def ethernet(walk: Walk) -> None:
    """1. Ethernet."""
    walk.need(ETHERNET.size, Flag.ETH_TRUNCATED)
    walk.show(Layer.ETH, decode(ETHERNET, walk.frame), payload=ETHERNET.size)


def vlan_tags(walk: Walk) -> None:
    """2. VLAN tags."""
    eth = walk.header["eth"]
    while eth["type"] in TPIDS and eth["vlan_count"] < VLAN_LIMIT:
        at = walk.offsets["payload"]
        walk.need(at + VLAN.size, Flag.ETH_TRUNCATED)
        tag = decode(VLAN, walk.frame, at) | {"tpid": eth["type"]}
        for name in ("tpid", "pcp", "dei", "vid"):
            eth[f"vlan{eth['vlan_count']}_{name}"] = tag[name]
        eth["type"] = tag["type"]
        eth["vlan_count"] += 1
        walk.offsets["payload"] = at + VLAN.size
    if eth["type"] in TPIDS:
        walk.flags |= Flag.VLAN_DEPTH
        raise Stop(walk.offsets["payload"])


def ethertype(walk: Walk) -> None:
    """3. Type."""
    walk.offsets["l3"] = ETHERNET.size + VLAN.size * walk.header["eth"]["vlan_count"]
    if walk.header["eth"]["type"] not in (EtherType.IPV4, EtherType.IPV6):
        raise Stop(walk.offsets["l3"])


def flow_key(walk: Walk) -> dict[str, int]:
    """Flow key."""
    header, four = walk.header, walk.header["ip"]["version"] == 4
    key = dict.fromkeys(header["key"], 0)
    if not walk.layers & Layer.IP:
        return key
    if walk.layers & Layer.STELLAR:
        kind = KeyKind.IPV4_STELLAR if four else KeyKind.IPV6_STELLAR
        return key | {"kind": int(kind), "flow": header["stellar"]["flow"]}
    kind = KeyKind.IPV4_5TUPLE if four else KeyKind.IPV6_5TUPLE
    ports = header["tcp"] if walk.layers & Layer.TCP else header["udp"]
    return key | {
        "kind": int(kind),
        "protocol": header["ip"]["protocol"],
        "sport": ports["sport"],
        "dport": ports["dport"],
    }
