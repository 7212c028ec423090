"""The Wireshark dissector under tshark: golden frames as typed, many frames as the model says."""

import pytest

from stellar_bench.tshark import TsharkError, rows
from stellar_bench.tshark import compare as compare_module
from stellar_bench.tshark.captures import golden_frames, hostile_frames, stimuli, write
from stellar_bench.tshark.compare import FIELDS, compare
from stellar_bench.tshark.expected import EXPERTS
from stellar_bench.vectors import load
from stellar_model import Settings, build
from stellar_sdk.capture import Frame, write_pcap
from stellar_spec.codes import Protocol
from stellar_spec.headers import INT_HOP, STELLAR_PORT
from stellar_spec.opcodes import Opcode
from stellar_wire.files import DISSECTOR

pytestmark = pytest.mark.usefixtures("tshark")

EVERY = 6  # of the directed frames; `make dissect-check` takes all
RANDOM = 400
HOSTILE = 30  # of each family
GROUPS = ("addr", "imm", "ack", "int")


def capture(path, *frames):
    write_pcap(path, [Frame(i, frame, len(frame), 0) for i, frame in enumerate(frames, 1)])
    return path


def send(payload=b"hello", **fields):
    return build.stellar(Opcode.SEND, payload, flow=7, psn=9, **fields)


def good(**fields):
    return build.ethernet(build.ipv4(send(**fields)))


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """(vector, tshark's row) of every golden frame for the reset settings."""
    vectors = [vector for vector in load() if not vector.settings]
    path = capture(tmp_path_factory.mktemp("golden") / "a.pcap", *(v.frame for v in vectors))
    wanted = [*FIELDS, *(f"stellartp.{name}" for name in EXPERTS), "frame.protocols"]
    return list(zip(vectors, rows(path, wanted), strict=True))


def numbers(row, name):
    return [int(text, 0) for text in row.get(name, [])]


def test_golden_fields_are_those_that_were_typed(golden):
    shown = 0
    for vector, row in golden:
        if "stellar" not in vector.typed:
            continue
        for name, value in vector.header["stellar"].items():
            assert numbers(row, f"stellartp.{name}") == [value], (vector.name, name)
        for group in GROUPS:
            for name, value in vector.header[group].items() if group in vector.typed else ():
                assert numbers(row, f"stellartp.{group}.{name}") == [value], (vector.name, name)
                shown += 1
        for field in INT_HOP.fields:
            typed = [hop.get(field.name, 0) for hop in vector.hops]
            if vector.hops:
                assert numbers(row, f"stellartp.int.hop.{field.name}") == typed, vector.name
        check = int.from_bytes(vector.part("check"), "little")
        if "stellartp.check" in row:
            assert numbers(row, "stellartp.check") == [check], vector.name
    assert shown > 60


def test_golden_verdicts_are_those_that_were_typed(golden):
    """A drop has the expert info of its reason and no other; what goes through has none."""
    experts = {
        "STELLAR_TRUNCATED": {"truncated"},
        "STELLAR_OPCODE": {"bad_opcode"},
        "STELLAR_CHECK": {"check.bad"},
        "UDP_CHECKSUM": {"bad_opcode"},  # the sum counts first; its own dissector speaks of it
        "STELLAR_EXTENSION": {"bad_extension", "bad_int"},
        "NONE": set(),
    }
    seen = set()
    for vector, row in golden:
        if "stellartp" not in row["frame.protocols"][0].split(":"):
            continue
        shown = {name for name in EXPERTS if f"stellartp.{name}" in row}
        reason = vector.typed["trailer"].get("reason", "NONE")
        if vector.typed["trailer"].get("flags") == "STELLAR_VERSION":
            assert shown == {"other_version"}, vector.name
        elif reason == "STELLAR_EXTENSION":
            assert len(shown) == 1 and shown <= experts[reason], vector.name
        else:
            assert shown == experts[reason], vector.name
        judged = "STELLAR_VERSION" != vector.typed["trailer"].get("flags")
        good_check = judged and reason not in ("STELLAR_TRUNCATED", "STELLAR_CHECK")
        status = numbers(row, "stellartp.check.status")
        assert (status == [1]) == good_check, vector.name
        seen.add(reason)
    assert seen == set(experts)


def test_every_field_equals_the_models(tmp_path, seed):
    frames = stimuli(seed, RANDOM)
    report = compare(write(tmp_path, golden_frames() + frames[:-RANDOM:EVERY] + frames[-RANDOM:]))
    print(f"seed {seed}: {report}")
    assert not report.differences, "\n".join(report.differences[:10])
    total = report.counts.total()
    assert report.counts["compared"] > 0.5 * total
    assert report.counts["refused"] > 20
    assert report.counts["options"] < 0.06 * total
    assert report.counts["source port"] < 0.01 * total


def test_every_field_of_hostile_frames_equals_the_models(tmp_path, seed):
    report = compare(write(tmp_path, hostile_frames(seed, HOSTILE)))
    print(f"seed {seed}: {report}")
    assert not report.differences, "\n".join(report.differences[:10])
    total = report.counts.total()
    assert report.counts["compared"] > 0.2 * total and report.counts["refused"] > 20
    assert report.counts["options"] + report.counts["source port"] < 0.05 * total


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("0xEDB88320", "0xEDB88321", "stellartp.check.computed"),
        ('"stellartp.psn", "PSN"', '"stellartp.pns", "PSN"', None),
        ("local HOPS_MAX = 8", "local HOPS_MAX = 9", "expert infos"),
    ],
)
def test_a_wrong_dissector_is_found(tmp_path, monkeypatch, old, new, field):
    text = DISSECTOR.read_text()
    assert old in text
    script = tmp_path / "wrong.lua"
    script.write_text(text.replace(old, new))

    def with_wrong_script(path, fields, **options):
        return rows(path, fields, script=script, **options)

    monkeypatch.setattr(compare_module, "rows", with_wrong_script)
    captures = write(tmp_path / "golden", golden_frames())
    if field is None:
        with pytest.raises(TsharkError, match="stellartp.psn"):
            compare(captures)
    else:
        assert any(field in text for text in compare(captures).differences)


def test_a_lua_error_on_a_frame_is_an_error(tmp_path):
    script = tmp_path / "broken.lua"
    old = "local facts = datagram(tvb)\n"
    text = DISSECTOR.read_text()
    assert old in text
    script.write_text(text.replace(old, "local facts = nil + 1\n"))
    path = capture(tmp_path / "a.pcap", good())
    with pytest.raises(TsharkError, match="Lua"):
        rows(path, ["stellartp.flow"], script=script)


def test_columns(tmp_path):
    path = capture(tmp_path / "a.pcap", good(), good(version=1), good(int={"hops_reserved": 9}))
    found = rows(path, ["_ws.col.Protocol", "_ws.col.Info"])
    assert {row["_ws.col.Protocol"][0] for row in found} == {"StellarTP"}
    assert [",".join(row["_ws.col.Info"]) for row in found] == [
        "SEND Flow=7 PSN=9 Len=5",
        "Version 1",
        "SEND Flow=7 PSN=9 INT Len=5",
    ]


def test_the_destination_port_alone_says_stellartp(tmp_path):
    udp = {"sport": STELLAR_PORT, "dport": 5000}
    both = {"sport": STELLAR_PORT, "dport": STELLAR_PORT}
    path = capture(tmp_path / "a.pcap", good(), good(udp=udp), good(udp=both))
    assert [numbers(row, "stellartp.flow") for row in rows(path, ["stellartp.flow"])] == [
        [7],
        [],
        [7],
    ]


def test_preferences(tmp_path):
    path = capture(tmp_path / "a.pcap", good(), good(udp={"dport": 4793}))
    names = ["stellartp.flow", "stellartp.check.status"]

    def read(**preferences):
        given = {f"stellartp.{name}": value for name, value in preferences.items()}
        return [
            [numbers(row, name) for name in names] for row in rows(path, names, preferences=given)
        ]

    assert read() == [[[7], [1]], [[], []]]
    assert read(port=4793) == [[[], []], [[7], [1]]]
    assert read(port=0) == [[[], []], [[], []]]
    assert read(verify="FALSE") == [[[7], [2]], [[], []]]
    assert read(trim="TRUE", trim_dscp=0) == [[[7], [2]], [[], []]]


def fragments(frame):
    """The IPv4 packet of ``frame``, cut in two behind 16 bytes of its payload."""
    datagram = frame[34:]
    for data, offset, more in ((datagram[:16], 0, 1), (datagram[16:], 16, 0)):
        place = {"identification": 5, "fragment_offset": offset // 8, "more_fragments": more}
        yield build.ethernet(build.ipv4(data, protocol=Protocol.UDP, **place))


def test_what_wireshark_reassembles_is_marked(tmp_path):
    """No sender fragments StellarTP: what there is of it is shown, and not taken for good."""
    names = ["stellartp.flow", "stellartp.not_candidate", "stellartp.check.status"]
    path = capture(tmp_path / "a.pcap", *fragments(good(payload=bytes(40))))
    first, last = rows(path, names)
    assert first == {}
    assert numbers(last, names[0]) == [7]
    assert "stellartp.not_candidate" in last and numbers(last, names[2]) == [2]


def test_inside_a_tunnel(tmp_path):
    """The check is computed with the addresses of the innermost IP header."""
    tunnel = build.ipv4(good()[14:], protocol=4, src=0xC0A80001, dst=0xC0A80002)
    path = capture(tmp_path / "a.pcap", good(), build.ethernet(tunnel))
    found = rows(path, ["ip.src", "stellartp.check.status", "stellartp.not_candidate"])
    assert [len(row["ip.src"]) for row in found] == [1, 2]
    assert [numbers(row, "stellartp.check.status") for row in found] == [[1], [1]]
    assert all("stellartp.not_candidate" not in row for row in found)


def test_settings_of_the_model_have_their_preferences(tmp_path):
    trimmed = Settings(trim=1, trim_dscp=9, stellar_port=4793, filter=1, max_length=100)
    [only] = write(tmp_path, [("a", good(), trimmed)])
    assert only.preferences == {
        "stellartp.port": 4793,
        "stellartp.trim": "TRUE",
        "stellartp.trim_dscp": 9,
    }
