"""The stimulus frames: that all there is to say of a frame is said of one, by the model."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from stellar_bench.frames import (
    SETTINGS_SETS,
    THEMES,
    Stimulus,
    corpus_frames,
    directed_frames,
    long_frames,
    random_frames,
)
from stellar_model import parse
from stellar_model.checksum import pseudo_header
from stellar_sdk.capture import CaptureError, Frame, write_pcap
from stellar_spec.codes import LENGTH_MAX, Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.opcodes import EXTENSION_FLAGS, OPCODES, Opcode

RANDOM_COUNT = 3000


def parsed(stimulus: Stimulus):
    settings = SETTINGS_SETS[stimulus.settings]
    return parse(stimulus.data, settings=settings, error=stimulus.error)


@pytest.fixture(scope="module")
def directed():
    return directed_frames()


@pytest.fixture(scope="module")
def records(directed):
    """Name to stimulus and the model's records, in order."""
    return {stimulus.name: (stimulus, parsed(stimulus)) for stimulus in directed}


@pytest.fixture(scope="module")
def drawn(seed):
    return random_frames(random.Random(seed), RANDOM_COUNT)


def named(records, prefix):
    found = [pair for name, pair in records.items() if name.startswith(prefix)]
    assert found, f"no frame's name starts with {prefix}"
    return found


def test_names_and_frames_are_unique(directed):
    assert [name for name, n in Counter(s.name for s in directed).items() if n > 1] == []
    frames = Counter((s.data, s.error, s.settings) for s in directed)
    assert max(frames.values()) == 1
    written = [s.name for theme in THEMES.values() for s in theme()]
    assert [name for name, n in Counter(written).items() if n > 1] == []


def test_a_simulator_has_the_time_for_them(directed):
    assert 3000 <= len(directed) <= 7200
    assert sum(len(s.data) for s in directed) < 640_000
    assert sum(len(s.data) > 1600 for s in directed) <= 3


def test_directed_frames_are_the_same_each_time(directed):
    assert directed_frames() == directed


def test_every_flag_reason_verdict_layer_and_kind_occurs(records):
    seen = Counter()
    for _, record in records.values():
        trailer, header = record.trailer, record.header
        seen.update(flag for flag in Flag if trailer["flags"] & flag)
        seen.update(layer for layer in Layer if header["state"]["layers"] & layer)
        seen[Reason(trailer["reason"])] += 1
        seen[Verdict(trailer["verdict"])] += 1
        seen[KeyKind(header["key"]["kind"])] += 1
    wanted = [*Flag, *Reason, *Verdict, *Layer, *KeyKind]
    rare = {repr(code): seen[code] for code in wanted if seen[code] < 5}
    assert rare == {}


def test_every_opcode_and_extension_is_accepted(records):
    opcodes, extensions = set(), Layer(0)
    for _, record in records.values():
        if record.trailer["verdict"] == Verdict.STELLAR:
            opcodes.add(record.header["stellar"]["opcode"])
            extensions |= Layer(record.header["state"]["layers"])
    assert opcodes >= set(Opcode)
    assert extensions >= Layer.ADDR | Layer.IMM | Layer.ACK | Layer.INT


def test_every_opcode_meets_every_extension_set_and_is_judged_by_its_rule(records):
    reasons = {}
    for _, record in named(records, "extensions/"):
        stellar = record.header["stellar"]
        key = stellar["opcode"], stellar["flags"] & EXTENSION_FLAGS
        reasons.setdefault(key, set()).add(record.trailer["reason"])
    assert len(reasons) == 64 * 16
    for (opcode, extensions), found in reasons.items():
        rule = OPCODES.get(opcode)
        if rule is None:
            assert found == {Reason.STELLAR_OPCODE}
        else:
            fits = rule.accepts(extensions)
            assert found == {Reason.NONE if fits else Reason.STELLAR_EXTENSION}


def test_every_length_occurs_and_every_settings_set(directed):
    assert {len(s.data) for s in directed} >= set(range(1, 131))
    assert {s.settings for s in directed} == set(SETTINGS_SETS)


@pytest.mark.parametrize("version, l4", [(4, 34), (6, 54)])
def test_cuts_stop_at_every_byte_of_every_header(version, l4):
    prefix = f"cut/frame/ipv{version}-long/"
    ends = {len(s.data) for s in THEMES["cuts"]() if s.name.startswith(prefix)}
    assert ends >= set(range(14, l4 + 8 + 12 + 16 + 4 + 12))


def test_a_good_frame_follows_each_bad_one(directed, records):
    behind = {a.name: b.name for a, b in pairwise(directed)}
    bad = [name for name in behind if name.startswith("pair/") and name.endswith("/bad")]
    assert len(bad) > 50
    for name in bad:
        good = name.removesuffix("bad") + "good"
        assert behind[name] == good
        assert records[good][1].trailer["verdict"] == Verdict.STELLAR
        assert records[name][1].trailer["verdict"] != Verdict.STELLAR or "end-behind" in name


def test_what_the_check_masks_and_covers(records):
    for stimulus, record in named(records, "check/masked/"):
        assert not record.trailer["flags"] & Flag.STELLAR_CHECK, stimulus.name
    for stimulus, record in named(records, "check/changed/"):
        if not stimulus.name.endswith("right"):
            assert record.trailer["verdict"] != Verdict.STELLAR or in_int(stimulus), stimulus.name


def in_int(stimulus):
    """Whether the byte that was changed lies in the INT extension, where hops may write."""
    version, at = stimulus.name.split("/")[2:]
    first = (34 if version == "ipv4" else 54) + 8 + 12 + 16 + 4
    return first <= int(at) < first + 20


def unfolded(data):
    return sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))


@pytest.mark.parametrize("total", [0xFFFF, 0x1FFFE, 0x2FFFD, 0x3FFFC])
def test_header_sums_that_need_folding(records, total):
    stimulus, record = records[f"sum4/{total:05x}"]
    assert unfolded(stimulus.data[14:34]) == total
    assert not record.trailer["flags"] & Flag.IPV4_CHECKSUM


@pytest.mark.parametrize("total", [0x2FFFD, 0x3FFFC, 0x8FFF7])
def test_udp_sums_that_need_folding(records, total):
    stimulus, record = records[f"udp/sum/ipv6/{total:05x}"]
    datagram = stimulus.data[54:]
    assert unfolded(pseudo_header(stimulus.data[22:54], len(datagram)) + datagram) == total
    assert not record.trailer["flags"] & (Flag.UDP_CHECKSUM | Flag.UNVERIFIED)


def test_header_records_depend_on_nothing_behind_their_end(records):
    for stimulus, record in records.values():
        settings = SETTINGS_SETS[stimulus.settings]
        end = record.header_end
        if 0 < end < len(stimulus.data):
            front, behind = stimulus.data[:end], stimulus.data[end:]
            other = front + bytes(byte ^ 0xFF for byte in behind) + b"\xa5"
            assert parse(front, settings=settings).header == record.header, stimulus.name
            assert parse(other, settings=settings).header == record.header, stimulus.name


def test_long_frames_saturate():
    lengths = Counter(parsed(s).trailer["length"] for s in long_frames())
    assert lengths[LENGTH_MAX] == 3
    assert max(lengths) == LENGTH_MAX
    sealed = [parsed(s).trailer for s in long_frames() if s.name in ("long/ipv4", "long/ipv6")]
    assert [trailer["verdict"] for trailer in sealed] == [Verdict.STELLAR] * 2


def test_equal_seeds_repeat_and_others_share_no_frame(seed, drawn):
    assert random_frames(random.Random(seed), RANDOM_COUNT) == drawn
    other = random_frames(random.Random(seed + 1), RANDOM_COUNT)
    assert {s.data for s in other}.isdisjoint({s.data for s in drawn})
    assert len({s.data for s in drawn}) == len({s.name for s in drawn}) == RANDOM_COUNT


def test_good_random_frames_are_accepted_and_many(drawn):
    verdicts = Counter()
    for stimulus in drawn:
        verdict = Verdict(parsed(stimulus).trailer["verdict"])
        verdicts[verdict] += 1
        if stimulus.name.endswith("/good"):
            assert verdict == Verdict.STELLAR, f"{stimulus.name}: {stimulus.data.hex()}"
    assert verdicts[Verdict.STELLAR] >= 0.4 * RANDOM_COUNT
    assert verdicts[Verdict.HOST] >= 0.2 * RANDOM_COUNT


def test_random_frames_fail_in_every_way(drawn):
    reasons = Counter(Reason(parsed(s).trailer["reason"]) for s in drawn)
    assert set(reasons) == set(Reason)
    assert {s.settings for s in drawn} == set(SETTINGS_SETS)


def test_stimulus_says_what_is_wrong():
    with pytest.raises(ValueError, match="'x' has no bytes; a frame has at least 1"):
        Stimulus("x", b"")
    with pytest.raises(ValueError, match="settings 'none'; there are default, filter, trim"):
        Stimulus("x", b"\0", settings="none")


def test_corpus_frames_read_a_file_and_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"holds no captures; they are called \*.pcap"):
        list(corpus_frames(tmp_path))
    cut = Frame(number=2, data=b"\2" * 20, wire_length=1500, timestamp_ns=0)
    whole = Frame(number=1, data=b"\1" * 60, wire_length=60, timestamp_ns=0)
    empty = Frame(number=3, data=b"", wire_length=60, timestamp_ns=0)
    write_pcap(tmp_path / "b.pcap", [whole, cut])
    write_pcap(tmp_path / "a.pcap", [empty, whole])
    (tmp_path / "notes.txt").write_text("no capture")
    found = [Stimulus("b.pcap/1", whole.data), Stimulus("b.pcap/2", cut.data)]
    assert list(corpus_frames(tmp_path / "b.pcap")) == found
    first = Stimulus("a.pcap/2", whole.data)
    assert list(corpus_frames(tmp_path)) == [first, *found]
    with pytest.raises(CaptureError):
        list(corpus_frames(tmp_path / "notes.txt"))


def test_the_model_has_records_for_the_whole_corpus(corpus):
    frames = list(corpus_frames(corpus))
    assert len({s.name for s in frames}) == len(frames) > 100
    layers = Counter(parsed(s).header["state"]["layers"] for s in frames)
    assert layers[Layer.ETH | Layer.IP | Layer.UDP] and layers[Layer.ETH | Layer.IP | Layer.TCP]
