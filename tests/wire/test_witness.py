"""tshark's own view of TCP, IPv4 and UDP against the model's: made frames, and the corpus."""

import pytest

from stellar_bench.inputs import captures
from stellar_bench.tshark import witness
from stellar_bench.tshark.witness import judge
from stellar_model import build, parse
from stellar_sdk.capture import Frame, write_pcap
from stellar_spec.codes import Flag

pytestmark = pytest.mark.usefixtures("tshark")

LEFT_OUT = 0.05
"""Share of the corpus' whole frames of which a part at most may be left out."""


def udp(**fields):
    return build.udp(b"payload", sport=7, dport=9, **fields)


TCP = build.tcp(b"data", sport=80, dport=5000, flags=0x1AA)
MADE = {
    "tcp": build.ethernet(build.ipv4(TCP)),
    "tcp behind tags": build.ethernet(build.vlan(build.vlan(build.ipv6(TCP)), tpid=0x88A8)),
    "udp": build.ethernet(build.ipv4(udp())),
    "udp over ipv6": build.ethernet(build.ipv6(build.hop_by_hop(udp()))),
    "no sum": build.ethernet(build.ipv4(udp(checksum=0))),
    "no sum over ipv6": build.ethernet(build.ipv6(udp(checksum=0))),
    "wrong sum": build.ethernet(build.ipv4(udp(checksum=0x1234))),
    "wrong header sum": build.ethernet(build.ipv4(udp(), checksum=0x1234)),
    "first fragment": build.ethernet(build.ipv4(udp(), more_fragments=1)),
    "later fragment": build.ethernet(build.ipv4(udp(), fragment_offset=4)),
    "another protocol": build.ethernet(build.ipv4(b"\x08\0\xf7\xff\0\0\0\0", protocol=1)),
}


@pytest.fixture
def made(tmp_path):
    """A capture of the made frames, and one more that a snap length has cut."""
    frames = [Frame(i, data, len(data), 0) for i, data in enumerate(MADE.values(), 1)]
    frames.append(Frame(len(frames) + 1, MADE["udp"][:40], len(MADE["udp"]), 0))
    write_pcap(tmp_path / "made.pcap", frames)
    return tmp_path / "made.pcap"


def test_made_frames(made, tmp_path):
    result = judge([made], tmp_path / "merged.pcap")
    assert result.differences == []
    assert result.frames == len(MADE) + 1 and result.excluded == {"cut": 1}
    assert result.counts["TCP flags"] == result.counts["TCP source port"] == 2
    assert result.counts["UDP checksum"] == 7
    assert result.counts["IPv4 checksum"] == 8
    assert result.counts["neither TCP nor UDP"] == 2


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (("tcp", "flags", 1), {"TCP flags"}),
        (("tcp", "sport", 1), {"TCP source port"}),
        (("udp", "dport", 1), {"UDP dport"}),
        (("trailer", "flags", Flag.IPV4_CHECKSUM), {"IPv4 checksum"}),
        (("trailer", "flags", Flag.UDP_CHECKSUM), {"UDP checksum"}),
    ],
)
def test_a_wrong_model_is_found(made, tmp_path, monkeypatch, change, names):
    group, field, bits = change

    def wrong(frame):
        parsed = parse(frame)
        record = parsed.trailer if group == "trailer" else parsed.header[group]
        record[field] ^= bits
        return parsed

    monkeypatch.setattr(witness, "parse", wrong)
    differences = judge([made], tmp_path / "merged.pcap").differences
    assert differences
    assert all(any(f" {name}: " in text for name in names) for text in differences)


def test_corpus(corpus, tmp_path):
    result = judge(captures(corpus), tmp_path / "merged.pcap")
    print(result)
    assert not result.differences, "\n".join(result.differences[:20])
    whole = result.frames - result.excluded["cut"]
    left_out = result.excluded.total() - result.excluded["cut"]
    assert whole and left_out <= LEFT_OUT * whole
    assert result.counts["UDP checksum"] and result.counts["TCP flags"]
