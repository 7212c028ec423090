"""tshark's fields of the corpus (``expected.tsv``), and what of a printed object they speak of.

Every row is a frame.  A field counts where tshark read it by itself: not behind encapsulations
that the parser does not look into (MPLS, PPPoE, LLC, …), above Ethernet only in frames about which
tshark has no complaint, and not where a second witness disagrees (``disagree.tsv``).
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

from stellar_spec.codes import TPIDS, VLAN_LIMIT

__all__ = ["disputed", "fields", "rows"]

# IPv6 headers behind which tshark goes on and the parser need not.
_NOT_WALKED = {"mipv6", "hip", "shim6"}
_BELOW_TRANSPORT = ("eth", "vlan", "ethertype", "ipv6.", "ip", "ah")


def rows(folder: Path) -> dict[str, dict[int, dict[str, str]]]:
    """File → frame number → column → text."""
    found = defaultdict(dict)
    for row in _table(folder / "expected.tsv"):
        found[row["file"]][int(row["pkt"])] = row
    return dict(found)


def disputed(folder: Path) -> dict[tuple[str, int], set[str]]:
    """(file, frame number) → fields that are not to be compared."""
    found = defaultdict(set)
    for row in _table(folder / "disagree.tsv"):
        found[row["file"], int(row["pkt"])].update(row["fields"].split(","))
    for fields in found.values():
        if "vlan_ids" in fields:
            fields.add("vlan_pcps")
    return found


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def fields(row: dict[str, str], shown: dict) -> Iterator[tuple[str, object, object]]:
    """(name, tshark's value, the printed object's) for all that can be compared in a frame."""
    if row["wire_len"] == row["cap_len"]:
        yield "length", int(row["wire_len"]), shown["length"]
    via = row["tshark_protocols"].split(":")
    tpids = [int(tpid, 0) for tpid in _list(row["vlan_tpids"])]
    if row["l2_via"] or "llc" in via or len(tpids) > VLAN_LIMIT or not set(tpids) <= set(TPIDS):
        return
    yield from _ethernet(row, shown["eth"] or {"type": None, "vlans": []})
    if row["eth_len"] or row["tshark_flags"] or row["ip_version"] not in ("4", "6"):
        return
    limit = "EXT_LIMIT" in shown["flags"]
    yield from _network(row, shown["ip"] or {}, limit)
    if limit:
        return
    layers = [name for name in via if not name.startswith(_BELOW_TRANSPORT)]
    if layers[:1] == ["udp"] and int(row["frag_off8"] or "0", 0) == 0:
        names = ("sport", "srcport"), ("dport", "dstport"), ("length",) * 2, ("checksum",) * 2
        for ours, theirs in names:
            yield from _number(row, f"udp_{theirs}", shown["udp"] or {}, ours)


def _ethernet(row, eth):
    if row["eth_len"]:
        yield "type of an 802.3 frame", None, eth["type"]
        return
    yield from _number(row, "l3_etype", eth, "type")
    for column, member in (("vlan_ids", "vid"), ("vlan_pcps", "pcp")):
        theirs = [int(value, 0) for value in _list(row[column])]
        yield column, theirs, [tag[member] for tag in eth["vlans"]]


def _network(row, ip, limit):
    six = row["ip_version"] == "6"
    yield from _number(row, "ip_version", ip, "version")
    for name in ("src", "dst"):
        if row[f"ip_{name}"]:
            ours = ip.get(name)
            yield f"ip_{name}", ip_address(row[f"ip_{name}"]), ours and ip_address(ours)
    for name in ("dscp", "ecn", "ttl"):
        yield from _number(row, f"ip_{name}", ip, name)
    yield from _number(row, "ip_total_len", ip, "total_length", add=40 if six else 0)
    walked = not limit and not (six and _NOT_WALKED & set(row["ip6_exthdrs"].split(",")))
    if walked:
        yield from _number(row, "ip_proto", ip, "protocol")
        if row["l4_off"] and row["l3_off"]:
            length = int(row["l4_off"], 0) - int(row["l3_off"], 0)
            yield "ip_hdr_len", length, ip.get("header_length")
    if row["frag_off8"] and not limit:
        yield "frag_off8", 8 * int(row["frag_off8"], 0), ip.get("fragment_offset", 0)
        yield "frag_mf", bool(int(row["frag_mf"] or "0", 0)), ip.get("more_fragments", False)


def _number(row, column, shown, member, add=0):
    if row[column]:
        yield column, int(row[column], 0) + add, shown.get(member)


def _list(text: str) -> list[str]:
    return [item for item in text.split(",") if item]
