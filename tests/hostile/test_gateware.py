"""Hostile frames, a good one behind each, through the gateware: every record is the model's.

All of them at W = 8 and W = 1 with ``make hostile CHECK=1``; here all but the longest at W = 8, and
a few of each family at W = 1.
"""

from collections import Counter
from functools import partial

import pytest

from stellar_bench import hostile
from stellar_bench.hostile import STALLED, compare, good_records, grouped, main
from stellar_bench.native import NativeParser
from stellar_bench.native.library import generated
from stellar_hostile import FAMILIES, GOOD
from stellar_model import unpack
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

LONG = 10_000  # bytes
STEP = 17
"""Of so many frames of a family the first is taken at one byte a beat."""


@pytest.fixture(scope="module")
def groups(everything):
    """The frames by settings; the model is asked once for all tests."""
    return grouped(frame for frame in everything if len(frame.data) < LONG)


def judged(groups, width, seed):
    """Runs the groups freely and stalled; the frames of each family that were compared."""
    counts = Counter()
    with NativeParser(width=width) as engine:
        for traffic in groups:
            free = traffic.run(engine)
            assert compare(traffic, free) == []
            assert traffic.run(engine, **STALLED, seed=seed) == free
            [(_, trailer)] = good_records(traffic, free)
            found = unpack(TRAILER_RECORD, trailer)
            assert found["verdict"] == Verdict.STELLAR
            assert found["flags"] in (0, Flag.OVERSIZE)
            counts.update(frame.family for frame in traffic.frames)
    assert counts.pop(GOOD) == counts.total()
    return counts


def test_all_families_at_eight_bytes_a_beat(groups, seed):
    counts = judged(groups, 8, seed)
    print("\n".join(f"{name:22} {count:6}" for name, count in counts.items()))
    assert set(counts) == set(FAMILIES)
    assert counts.total() > 20_000


def test_every_word_of_the_parser_is_provoked(groups):
    """Each flag, reason, verdict, layer, key kind turns up in what is expected."""
    flags = layers = 0
    reasons, verdicts, kinds = set(), set(), set()
    for traffic in groups:
        pairs = zip(traffic.metas, traffic.expected, strict=True)
        for header, trailer in {(h ^ meta.pack(), t) for meta, (h, t) in pairs}:
            said, shown = unpack(TRAILER_RECORD, trailer), unpack(HEADER_RECORD, header)
            flags |= said["flags"]
            layers |= shown["state"]["layers"]
            reasons.add(said["reason"])
            verdicts.add(said["verdict"])
            kinds.add(shown["key"]["kind"])
    assert flags == sum(Flag) and layers == sum(Layer)
    assert (reasons, verdicts, kinds) == (set(Reason), set(Verdict), set(KeyKind))


def test_some_of_each_family_at_one_byte_a_beat(everything, seed):
    short = [frame for frame in everything if len(frame.data) < LONG]
    places = Counter()
    some = []
    for frame in short:
        if places[frame.family] % STEP == 0:
            some.append(frame)
        places[frame.family] += 1
    assert set(judged(grouped(some), 1, seed)) == set(FAMILIES)


def test_a_wrong_parser_is_noticed(groups, tmp_path, monkeypatch, capsys):
    """A TPID that is not known: the families of tags tell, the good frame does not."""
    text = generated(8)
    edited = tmp_path / "edited.v"
    right = "== 16'h9100"  # a VLAN's TPID
    assert right in text
    edited.write_text(text.replace(right, "== 16'h9101"), encoding="utf-8")
    [traffic] = [group for group in groups if not group.settings]
    with NativeParser(width=8, verilog=edited) as engine:
        wrong = compare(traffic, traffic.run(engine))
    families = {mismatch.frame.family for mismatch in wrong}
    assert families == {"vlan-mix", "vlan-cut", "vlan-tag"}
    assert any("eth.vlan_count is" in str(mismatch) for mismatch in wrong)
    monkeypatch.setattr(hostile, "NativeParser", partial(NativeParser, verilog=edited))
    assert main(["--family", "vlan-mix", "--width", "8"]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].startswith("FAILED: ")
    assert "W = 8, free: vlan-mix/9100/ipv4 (1 tags: 9100): state.layers is 1, not 23" in said.err


def test_a_good_frame_that_is_taken_for_another_is_noticed(groups):
    """The records right but for one good frame's: its own meta apart, they must be all alike."""
    [traffic] = [group for group in groups if group.settings == {("max_length", 1)}]
    pairs = list(traffic.expected)
    assert compare(traffic, pairs) == [] and len(good_records(traffic, pairs)) == 1
    header, trailer = pairs[3]
    pairs[3] = header, trailer ^ 1
    assert [mismatch.frame.name for mismatch in compare(traffic, pairs)] == [GOOD]
    assert len(good_records(traffic, pairs)) == 2


def test_the_command(capsys):
    assert main(["--family", "ip-version", "vlan-cut", "--width", "8", "--limit", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:2]] == [["vlan-cut", "20"], ["ip-version", "20"]]
    assert lines[-1] == "passed: gateware and model agree"
    with pytest.raises(SystemExit):
        main(["--family", "vlans"])
    assert "no family is called 'vlans'; there are vlan-" in capsys.readouterr().err
