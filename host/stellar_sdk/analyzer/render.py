"""A frame and its records as the JSON object that the analyzer prints (docs/analyzer.md)."""

from ipaddress import IPv4Address, IPv6Address

from stellar_model.codec import decode
from stellar_spec.codes import EtherType, Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.headers import INT, INT_HOP

from ..capture import Frame

__all__ = ["render", "render_empty"]

_KINDS = {
    KeyKind.IPV4_5TUPLE: "ipv4-5tuple",
    KeyKind.IPV6_5TUPLE: "ipv6-5tuple",
    KeyKind.IPV4_STELLAR: "ipv4-stellartp",
    KeyKind.IPV6_STELLAR: "ipv6-stellartp",
}

# As plain numbers, for every frame asks for all of them.
_FLAGS = [(int(flag), flag.name) for flag in Flag]

_IP = (
    *("dscp", "ecn", "ttl", "protocol", "header_length", "total_length"),
    "fragment_offset",
)


def render(frame: Frame, header: dict, trailer: dict) -> dict:
    """The object for ``frame``, from its header and trailer record, whichever engine gave them."""
    layers = Layer(header["state"]["layers"])
    verdict = Verdict(trailer["verdict"])
    shown = {
        "eth": Layer.ETH in layers and _eth(header["eth"]),
        "ip": Layer.IP in layers and _ip(header["ip"]),
        "udp": Layer.UDP in layers and dict(header["udp"]),
        "tcp": Layer.TCP in layers and dict(header["tcp"]),
        "stellar": Layer.STELLAR in layers and _stellar(frame, header, layers),
    }
    offsets = header["offsets"]
    return {
        "frame": frame.number,
        "length": len(frame.data),
        "wire_length": frame.wire_length,
        "verdict": verdict.name,
        "reason": Reason(trailer["reason"]).name if verdict is Verdict.DROP else None,
        "flags": [name for bit, name in _FLAGS if bit & trailer["flags"]],
        **{name: layer or None for name, layer in shown.items()},
        "offsets": {
            "l3": offsets["l3"] or None,
            "l4": offsets["l4"] or None,
            "payload": offsets["payload"],
        },
        "candidate": bool(trailer["candidate"]),
        "key": _key(header),
    }


def render_empty(frame: Frame) -> dict:
    """The object for a captured frame of no bytes, which no packet stream can carry."""
    layers = dict.fromkeys(("eth", "ip", "udp", "tcp", "stellar"))
    return {
        "frame": frame.number,
        "length": 0,
        "wire_length": frame.wire_length,
        "verdict": Verdict.HOST.name,
        "reason": None,
        "flags": [Flag.ETH_TRUNCATED.name],
        **layers,
        "offsets": {"l3": None, "l4": None, "payload": 0},
        "candidate": False,
        "key": None,
    }


def _mac(value: int) -> str:
    return value.to_bytes(6, "big").hex(":")


def _address(version: int, value: int) -> str:
    return str(IPv4Address(value) if version == 4 else IPv6Address(value))


def _eth(eth: dict) -> dict:
    tags = [
        {name: eth[f"vlan{tag}_{name}"] for name in ("tpid", "pcp", "dei", "vid")}
        for tag in range(eth["vlan_count"])
    ]
    return {
        "dst": _mac(eth["dst"]),
        "src": _mac(eth["src"]),
        "type": eth["type"] if eth["type"] >= EtherType.MINIMUM else None,
        "vlans": tags,
    }


def _ip(ip: dict) -> dict:
    return {
        "version": ip["version"],
        "src": _address(ip["version"], ip["src"]),
        "dst": _address(ip["version"], ip["dst"]),
        **{name: ip[name] for name in _IP},
        "more_fragments": bool(ip["more_fragments"]),
    }


def _stellar(frame: Frame, header: dict, layers: Layer) -> dict:
    return {
        **header["stellar"],
        "addr": dict(header["addr"]) if Layer.ADDR in layers else None,
        "imm": header["imm"]["data"] if Layer.IMM in layers else None,
        "ack": dict(header["ack"]) if Layer.ACK in layers else None,
        "int": _int(frame, header) if Layer.INT in layers else None,
    }


def _int(frame: Frame, header: dict) -> dict:
    """INT's first word, and of its stack the entries that hops have written and the frame has."""
    first = header["offsets"]["int"] + INT.size
    stop = min(header["offsets"]["payload"], len(frame.data))
    used = min(header["int"]["hops_used"], (stop - first) // INT_HOP.size)
    hops = [decode(INT_HOP, frame.data, first + hop * INT_HOP.size) for hop in range(used)]
    return {**header["int"], "hops": hops}


def _key(header: dict) -> dict | None:
    key, ip = header["key"], header["ip"]
    kind = KeyKind(key["kind"])
    if kind is KeyKind.NONE:
        return None
    stellar = kind in (KeyKind.IPV4_STELLAR, KeyKind.IPV6_STELLAR)
    return {
        "kind": _KINDS[kind],
        "src": _address(ip["version"], ip["src"]),
        "dst": _address(ip["version"], ip["dst"]),
        **{name: None if stellar else key[name] for name in ("protocol", "sport", "dport")},
        "flow": key["flow"] if stellar else None,
    }
