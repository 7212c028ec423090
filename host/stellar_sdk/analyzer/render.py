"""A frame and its records as the JSON object that the analyzer prints (docs/analyzer.md)."""

import socket
from functools import lru_cache
from ipaddress import IPv6Address

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
_LAYERS = {layer.name.lower(): int(layer) for layer in Layer}
_VERDICTS = {int(verdict): verdict.name for verdict in Verdict}
_REASONS = {int(reason): reason.name for reason in Reason}

_STELLAR = (int(KeyKind.IPV4_STELLAR), int(KeyKind.IPV6_STELLAR))

_IP = (
    *("dscp", "ecn", "ttl", "protocol", "header_length", "total_length"),
    "fragment_offset",
)


def render(frame: Frame, header: dict, trailer: dict) -> dict:
    """The object for ``frame``, from its header and trailer record, whichever engine gave them."""
    layers = header["state"]["layers"]
    ip = _ip(header["ip"]) if layers & _LAYERS["ip"] else None
    dropped = trailer["verdict"] == Verdict.DROP
    offsets = header["offsets"]
    return {
        "frame": frame.number,
        "length": len(frame.data),
        "wire_length": frame.wire_length,
        "verdict": _VERDICTS[trailer["verdict"]],
        "reason": _REASONS[trailer["reason"]] if dropped else None,
        "flags": [name for bit, name in _FLAGS if bit & trailer["flags"]],
        "eth": _eth(header["eth"]) if layers & _LAYERS["eth"] else None,
        "ip": ip,
        "udp": dict(header["udp"]) if layers & _LAYERS["udp"] else None,
        "tcp": dict(header["tcp"]) if layers & _LAYERS["tcp"] else None,
        "stellar": _stellar(frame, header, layers) if layers & _LAYERS["stellar"] else None,
        "offsets": {
            "l3": offsets["l3"] or None,
            "l4": offsets["l4"] or None,
            "payload": offsets["payload"],
        },
        "candidate": bool(trailer["candidate"]),
        "key": _key(header, ip),
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


@lru_cache(maxsize=1 << 16)
def _address(version: int, value: int) -> str:
    """RFC 5952's text, as ``ipaddress`` writes it, which is ten times as slow as the C library."""
    if version == 4:
        return socket.inet_ntoa(value.to_bytes(4, "big"))
    text = socket.inet_ntop(socket.AF_INET6, value.to_bytes(16, "big"))
    return str(IPv6Address(value)) if "." in text else text  # the last 32 bits as IPv4's


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


def _stellar(frame: Frame, header: dict, layers: int) -> dict:
    return {
        **header["stellar"],
        "addr": dict(header["addr"]) if layers & _LAYERS["addr"] else None,
        "imm": header["imm"]["data"] if layers & _LAYERS["imm"] else None,
        "ack": dict(header["ack"]) if layers & _LAYERS["ack"] else None,
        "int": _int(frame, header) if layers & _LAYERS["int"] else None,
    }


def _int(frame: Frame, header: dict) -> dict:
    """INT's first word, and of its stack the entries that hops have written and the frame has."""
    first = header["offsets"]["int"] + INT.size
    stop = min(header["offsets"]["payload"], len(frame.data))
    used = min(header["int"]["hops_used"], (stop - first) // INT_HOP.size)
    hops = [decode(INT_HOP, frame.data, first + hop * INT_HOP.size) for hop in range(used)]
    return {**header["int"], "hops": hops}


def _key(header: dict, ip: dict | None) -> dict | None:
    key = header["key"]
    kind = key["kind"]
    if kind == KeyKind.NONE:
        return None
    ip = ip or _ip(header["ip"])  # a key without IP is an error, but not one of rendering
    stellar = kind in _STELLAR
    return {
        "kind": _KINDS[kind],
        "src": ip["src"],
        "dst": ip["dst"],
        **{name: None if stellar else key[name] for name in ("protocol", "sport", "dport")},
        "flow": key["flow"] if stellar else None,
    }
