"""The reader of golden frames, its messages, and the capture made of them."""

from pathlib import Path

import pytest

from stellar_bench.vectors import VectorError, load, main, parse
from stellar_sdk.capture import read_capture
from stellar_spec.codes import Flag, Layer, Verdict

ROOT = Path(__file__).resolve().parents[2]
TEXT = """# a comment
frame one   # a name
  eth: 02 00  # half an address
  payload: ff
expect
  eth: dst=2
  eth: type=0x0800
  int: hops_used=0
  hop: queue=1
  hop: time=2
  trailer: verdict=STELLAR length=3 candidate=1 flags=PADDED|TRIMMED
frame two
  eth: 00
expect
  settings: trim=1
  state: candidate=1
  trailer: verdict=HOST length=1
"""


def test_what_a_vector_says():
    one, two = parse(TEXT)
    assert (one.name, one.frame, one.part("payload")) == ("one", b"\2\0\xff", b"\xff")
    assert one.hops == [{"queue": 1}, {"time": 2}]
    assert one.header["eth"]["dst"] == 2 and one.header["eth"]["type"] == 0x800
    assert one.header["state"] == {"layers": Layer.ETH | Layer.INT, "candidate": 1}
    assert one.header["ip"]["src"] == 0
    assert one.trailer == {
        "verdict": Verdict.STELLAR,
        "reason": 0,
        "candidate": 1,
        "flags": Flag.PADDED | Flag.TRIMMED,
        "length": 3,
    }
    assert one.settings == {} and two.settings == {"trim": 1}
    assert two.header["state"]["candidate"] == 1 and two.trailer["candidate"] == 0
    assert one.expected == {"header": one.header, "trailer": one.trailer, "hops": one.hops}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("02 00", "02 0g", "t:3: '02 0g' is not a row of bytes of two hex digits"),
        ("payload:", "body:", "t:4: no part is labelled 'body'; there are eth, vlan"),
        ("dst=2", "dest=2", "t:6: 'eth' has no field 'dest'; it has dst, src"),
        ("dst=2", "dst=two", "t:6: eth: dst='two' is no number"),
        ("type=0x0800", "dst=3", "t:7: eth.dst is given twice"),
        ("int:", "inside:", "t:8: no group is called 'inside'; there are meta"),
        ("=STELLAR", "=KEEP", "t:11: verdict=KEEP: 'KEEP' is none of HOST, STELLAR, DROP"),
        ("PADDED|", "PADED|", "t:11: flags=PADED.TRIMMED: 'PADED' is none of ETH_TRUNCATED"),
        ("length=3 ", "", "t:12: vector 'one' does not expect a length"),
        ("  eth: 00\n", "", "t:16: vector 'two' has no bytes"),
        ("expect\n  eth", "expected\n  eth", "t:5: 'expected' is neither"),
        ("frame one", "  eth: 00", "t:2: 'eth: 00' is neither"),
    ],
)
def test_a_wrong_line_is_named(old, new, message):
    assert old in TEXT
    with pytest.raises(VectorError, match=message):
        parse(TEXT.replace(old, new, 1), "t")


def test_a_folder_without_vectors_and_a_name_twice(tmp_path):
    with pytest.raises(VectorError, match="no golden frames"):
        load(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    with pytest.raises(VectorError, match="two vectors are called 'one'"):
        load(tmp_path)


def test_the_shipped_capture_is_up_to_date(tmp_path):
    assert main(["--pcap", str(tmp_path / "new.pcap")]) == 0
    shipped = ROOT / "docs" / "examples" / "stellartp.pcap"
    assert shipped.read_bytes() == (tmp_path / "new.pcap").read_bytes(), (
        "stale: run `python -m stellar_bench.vectors --pcap docs/examples/stellartp.pcap`"
    )
    frames = [vector.frame for vector in load() if not vector.settings]
    assert [frame.data for frame in read_capture(shipped)] == frames


def test_a_capture_that_cannot_be_written_is_an_error(tmp_path, capsys):
    assert main(["--pcap", str(tmp_path / "nowhere" / "new.pcap")]) == 1
    assert "nowhere" in capsys.readouterr().err
    assert main(["--vectors", str(tmp_path), "--pcap", str(tmp_path / "new.pcap")]) == 1
    assert "no golden frames" in capsys.readouterr().err
