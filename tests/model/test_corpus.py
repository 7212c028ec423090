"""The corpus of real captures: what tshark read of each frame, the model must read too.

A field is compared where tshark read it directly, complained about nothing in the frame, and
agreed with a second witness (``disagree.tsv`` lists where it did not).
"""

import collections
import csv
import ipaddress
import itertools
import warnings

import pytest

from stellar_model import parse
from stellar_spec.codes import TPIDS, EtherType, Flag, Layer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Scapy's imports warn of what others will remove one day
    from scapy.utils import RawPcapReader

ETHERNET_LINK = 1
LONGEST = 1 << 18  # bytes
NOT_WALKED = {"mipv6", "hip", "shim6"}  # extension headers that the parser takes for protocols


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def rows(corpus):
    """{file: {frame number: tshark's row}}."""
    expected, found = corpus / "expected.tsv", collections.defaultdict(dict)
    if not expected.is_file():
        pytest.fail(f"{corpus} has no expected.tsv with what tshark reads of the captures there")
    for row in table(expected):
        found[row["file"]][int(row["pkt"])] = row
    return found


@pytest.fixture(scope="module")
def excepted(corpus):
    """{(file, frame number): fields that the witnesses read differently}."""
    found = collections.defaultdict(set)
    for row in table(corpus / "disagree.tsv"):
        found[row["file"], int(row["pkt"])] |= set(row["fields"].split(","))
    return found


def read(path):
    """Frames of a capture by number; the link type is in the low 16 bits of its word."""
    with RawPcapReader(str(path)) as reader:
        for number in itertools.count(1):
            try:  # the iterator would cut frames to 65,535 bytes
                frame, meta = reader._read_packet(size=LONGEST)
            except EOFError:
                return
            link = getattr(meta, "linktype", None) or reader.linktype
            if link & 0xFFFF == ETHERNET_LINK:
                yield number, frame


def listed(text):
    return [int(item) for item in text.split(",") if item]


def pairs(row, parsed):
    """(field, tshark's value as text or value, ours) for all that can be compared."""
    eth, flags = parsed.header["eth"], Flag(parsed.trailer["flags"])
    if row["wire_len"] == row["cap_len"]:
        yield "length", row["wire_len"], parsed.trailer["length"]
    via = row["tshark_protocols"].split(":")
    tpids = [int(tpid, 0) for tpid in row["vlan_tpids"].split(",") if tpid]
    if row["l2_via"] or "llc" in via or len(tpids) > 2 or not set(tpids) <= set(TPIDS):
        return
    if row["eth_len"]:
        yield "802.3 length", True, eth["type"] < EtherType.MINIMUM
        return
    yield "eth.type", row["l3_etype"], eth["type"]
    tags = range(eth["vlan_count"])
    yield "vlan_ids", listed(row["vlan_ids"]), [eth[f"vlan{i}_vid"] for i in tags]
    yield "vlan_pcps", listed(row["vlan_pcps"]), [eth[f"vlan{i}_pcp"] for i in tags]
    if not row["tshark_flags"] and row["ip_version"] in ("4", "6"):
        yield from ip_pairs(row, parsed.header, flags)


def ip_pairs(row, header, flags):
    ip, six = header["ip"], row["ip_version"] == "6"
    yield "ip_version", row["ip_version"], ip["version"]
    for name in ("src", "dst"):
        address = row[f"ip_{name}"]
        yield f"ip_{name}", int(ipaddress.ip_address(address)) if address else "", ip[name]
    for name in ("dscp", "ecn", "ttl"):
        yield f"ip_{name}", row[f"ip_{name}"], ip[name]
    if row["ip_total_len"]:
        yield "ip_total_len", int(row["ip_total_len"]) + 40 * six, ip["total_length"]
    limit = Flag.EXT_LIMIT in flags  # what lies behind is not ours to say
    if not limit and not (six and NOT_WALKED & set(row["ip6_exthdrs"].split(","))):
        yield "ip_proto", row["ip_proto"], ip["protocol"]
        if row["l4_off"] and row["l3_off"]:
            length = int(row["l4_off"]) - int(row["l3_off"])
            yield "ip_hdr_len", length, ip["header_length"]
    if not limit:
        yield from payload_pairs(row, header)


def payload_pairs(row, header):
    ip, via = header["ip"], row["tshark_protocols"].split(":")
    if row["frag_off8"]:
        yield "frag_off8", 8 * int(row["frag_off8"]), ip["fragment_offset"]
        yield "frag_mf", row["frag_mf"] or "0", ip["more_fragments"]
    below = ("eth", "vlan", "ethertype", "ipv6.", "ip", "ah")
    above = [protocol for protocol in via if not protocol.startswith(below)]
    if row["udp_dstport"] and above[:1] == ["udp"] and int(row["frag_off8"] or "0") == 0:
        yield "udp", True, bool(header["state"]["layers"] & Layer.UDP)
        for name, ours in (("srcport", "sport"), ("dstport", "dport")):
            yield f"udp_{name}", row[f"udp_{name}"], header["udp"][ours]
        yield "udp_length", row["udp_length"], header["udp"]["length"]
        yield "udp_checksum", row["udp_checksum"], header["udp"]["checksum"]


def differences(row, parsed, excepted):
    """Number of fields compared, and (field, tshark's, ours) of those that differ."""
    compared, different = 0, []
    for name, theirs, ours in pairs(row, parsed):
        if theirs == "" or name in excepted:
            continue
        if name == "vlan_pcps" and "vlan_ids" in excepted:
            continue
        theirs = int(theirs, 0) if isinstance(theirs, str) else theirs
        compared += 1
        if theirs != ours:
            different.append((name, theirs, ours))
    return compared, different


def test_every_frame(corpus, rows, excepted):
    frames = compared = beyond = 0
    complaints = []
    for file in sorted(rows):
        seen = set()
        for number, frame in read(corpus / file):
            row = rows[file].get(number)
            if row is None:
                continue
            seen.add(number)
            parsed = parse(frame)
            beyond += bool(parsed.trailer["flags"] & Flag.EXT_LIMIT)
            count, different = differences(row, parsed, excepted[file, number])
            frames, compared = frames + 1, compared + count
            complaints += [f"{file} frame {number}: {d}" for d in different]
        missing = set(rows[file]) - seen
        if missing:
            complaints.append(f"{file}: {len(missing)} frames not read, first {min(missing)}")
    print(f"{frames} frames, {compared} fields compared, {beyond} beyond the extension limit")
    assert not complaints, "\n".join(complaints[:40])
    assert frames and compared > frames and beyond <= 3
