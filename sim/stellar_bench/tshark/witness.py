"""tshark as a judge of the model: TCP's ports and flags, IPv4's and UDP's checksums.

Of each whole frame of a capture, the outermost IP packet is compared.  What cannot be compared is
counted by its reason, so that a test can bound it; nothing is left out without one:

``cut``             the capture holds only a part of the frame
``link``            something between Ethernet and IP into which the parser does not look, or no
                    IP packet for either of the two
``malformed``       both miss a part of the transport header (tshark reads what is there)
``offload``         an IPv4 total length of 0, which tshark takes for the sending card's own capture
``beyond``          tshark walks extension headers that the parser takes for protocols, or the
                    parser stops at its limits
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from stellar_model import Parsed, parse
from stellar_sdk.capture import CaptureError, Frame, read_capture, write_pcap
from stellar_spec.codes import Flag, Layer

from .program import rows

__all__ = ["Judgement", "judge"]

PREFERENCES = {
    "ip.check_checksum": "TRUE",
    "udp.check_checksum": "TRUE",
    "ip.defragment": "FALSE",  # each frame by itself, as the parser sees it
    "ipv6.defragment": "FALSE",
}
FIELDS = (
    *("frame.protocols", "ip.checksum.status", "ip.version", "ipv6.version"),
    *("tcp.srcport", "tcp.dstport", "tcp.flags", "tcp.hdr_len"),
    *("udp.srcport", "udp.dstport", "udp.length", "udp.checksum", "udp.checksum.status"),
    *("_ws.malformed", "_ws.short", "ip.frag_offset", "ipv6.fraghdr.offset"),
)
LINK = {"eth", "ethertype", "vlan", "ieee8021ad"}
EXTENSIONS = {"ipv6.hopopts", "ipv6.dstopts", "ipv6.routing", "ipv6.fraghdr", "ah"}
NOT_WALKED = {"mipv6", "hip", "shim6"}
BAD, GOOD, UNVERIFIED, ABSENT, ILLEGAL = "0", "1", "2", "3", "4"
TCP_FLAGS = 0x1FF


@dataclass
class Judgement:
    """``counts``: comparisons by name; ``excluded``: frames by reason; ``differences``: texts."""

    frames: int = 0
    counts: Counter = field(default_factory=Counter)
    excluded: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        compared = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))
        left = ", ".join(f"{count} {name}" for name, count in sorted(self.excluded.items()))
        return f"{self.frames} frames; compared: {compared}; left out: {left or 'none'}"


def judge(captures: Iterable[Path], merged: Path) -> Judgement:
    """Compare every readable frame of the captures, in one run of tshark over all of them, which
    are written to ``merged`` for it."""
    frames = [(path, frame) for path in captures for frame in _readable(path)]
    write_pcap(merged, (frame for _, frame in frames))
    read = rows(merged, FIELDS, preferences=PREFERENCES, first_only=True, script=None)
    result = Judgement(frames=len(frames))
    for (path, frame), row in zip(frames, read, strict=True):
        _frame(result, f"{path.name} frame {frame.number}", frame, row)
    return result


def _readable(path: Path) -> list[Frame]:
    frames = []
    try:
        for frame in read_capture(path):
            frames.append(frame)
    except CaptureError:
        pass  # a damaged file, or another link type; what came before counts
    return frames


def _frame(result: Judgement, where: str, frame: Frame, row: dict[str, list[str]]) -> None:
    row = {name: values[0] for name, values in row.items()}
    if len(frame.data) < frame.wire_length or not frame.data:
        result.excluded["cut"] += 1
        return
    parsed = parse(frame.data)
    network, transport = _outermost(row["frame.protocols"].split(":"))
    if network is None and not parsed.header["state"]["layers"] & Layer.IP:
        result.excluded["link"] += 1
        return
    reason, pairs = _pairs(row, parsed, network, transport)
    if reason:
        result.excluded[reason] += 1
    for name, theirs, ours in pairs:
        result.counts[name] += 1
        if theirs != ours:
            result.differences.append(f"{where} {name}: tshark {theirs!r}, ours {ours!r}")


def _outermost(protocols: list[str]) -> tuple[str | None, str | None]:
    """The outermost IP (``None`` behind another protocol), and the protocol right behind it."""
    names = iter(protocols)
    network = next((name for name in names if name not in LINK), None)
    if network not in ("ip", "ipv6"):
        return None, None
    return network, next((name for name in names if name not in EXTENSIONS), None)


def _pairs(row, parsed: Parsed, network, transport) -> tuple[str | None, list[tuple]]:
    """Why a part of the frame is left out or ``None``, and (name, tshark's, ours) of the rest."""
    flags, layers = Flag(parsed.trailer["flags"]), Layer(parsed.header["state"]["layers"])
    if network is None:
        return "link", []
    pairs = list(_ipv4(row, flags, layers)) if network == "ip" else []
    if transport in NOT_WALKED or flags & (Flag.EXT_LIMIT | Flag.VLAN_DEPTH):
        return "beyond", pairs
    if network == "ip" and parsed.header["ip"]["version"] == 4 and not _total(parsed):
        return "offload", pairs
    gone = "_ws.malformed" in row or "_ws.short" in row
    if transport in ("tcp", "udp"):
        whole = not gone and (transport == "udp" or "tcp.flags" in row)
        if flags & Flag.L4_TRUNCATED and not whole:
            return "malformed", pairs
        pairs += _tcp(row, parsed, layers) if transport == "tcp" else _udp(row, parsed, layers)
    elif gone:
        return "malformed", pairs
    else:
        pairs.append(("neither TCP nor UDP", False, bool(layers & (Layer.TCP | Layer.UDP))))
    return None, pairs


def _total(parsed: Parsed) -> int:
    return parsed.header["ip"]["total_length"]


def _ipv4(row, flags: Flag, layers: Layer) -> Iterator[tuple]:
    status = row.get("ip.checksum.status")
    if status is not None and layers & Layer.IP:
        yield "IPv4 checksum", status, BAD if flags & Flag.IPV4_CHECKSUM else GOOD


def _tcp(row, parsed: Parsed, layers: Layer) -> Iterator[tuple]:
    tcp = parsed.header["tcp"]
    yield "TCP shown", True, bool(layers & Layer.TCP)
    yield "TCP source port", int(row["tcp.srcport"]), tcp["sport"]
    yield "TCP destination port", int(row["tcp.dstport"]), tcp["dport"]
    if "tcp.flags" in row:
        yield "TCP flags", int(row["tcp.flags"], 0) & TCP_FLAGS, tcp["flags"]
    if "tcp.hdr_len" in row:
        yield "TCP header length", int(row["tcp.hdr_len"]), 4 * tcp["data_offset"]


def _udp(row, parsed: Parsed, layers: Layer) -> Iterator[tuple]:
    udp, flags = parsed.header["udp"], Flag(parsed.trailer["flags"])
    yield "UDP shown", True, bool(layers & Layer.UDP)
    for name, column in (("sport", "srcport"), ("dport", "dstport")):
        yield f"UDP {name}", int(row[f"udp.{column}"]), udp[name]
    if "udp.checksum.status" not in row or flags & Flag.UDP_LENGTH:
        return
    ours = GOOD
    if flags & Flag.UDP_CHECKSUM:
        ours = BAD
    elif flags & Flag.UNVERIFIED:
        ours = UNVERIFIED
    elif udp["checksum"] == 0:
        ours = ABSENT
    theirs = row["udp.checksum.status"]
    yield "UDP checksum", BAD if theirs == ILLEGAL else theirs, ours
