"""Variants of frames: right where they ought to be, damaged where not, and nowhere else."""

import random

import numpy as np
import pytest

from stellar_bench.frames import SETTINGS_SETS, directed_frames, random_frames
from stellar_bench.soak.parser import draw_settings
from stellar_bench.variants import damage, variants, vary
from stellar_bench.variants.slots import SLACK, Slots
from stellar_model import Settings, batch, parse
from stellar_model.batch.repair import repair
from stellar_spec.codes import Flag, Layer, Verdict

SUMS = Flag.IPV4_CHECKSUM | Flag.UDP_CHECKSUM | Flag.STELLAR_CHECK


def good(seed, name, count=60):
    drawn = random_frames(random.Random(seed), count, name)
    return [frame.data for frame in drawn if frame.name.endswith("/good")]


def test_equal_seeds_repeat_and_others_share_no_frame(seed):
    first, again, other = (set(variants(800, seed=(seed, n))) for n in (0, 0, 1))
    assert first == again
    assert variants(800, seed=(seed, 0)) == variants(800, seed=(seed, 0))
    shorter = {frame for frame in first & other if len(frame) < 6}
    assert first & other == shorter  # a frame of a few bytes comes up again
    assert len(first) >= 790


@pytest.mark.parametrize("name", SETTINGS_SETS)
def test_variants_of_good_packets_are_good_whatever_the_settings(seed, name):
    source = random.Random(seed)
    originals = good(seed, name)
    for _ in range(3):
        settings = draw_settings(source, SETTINGS_SETS[name])
        frames = vary(
            originals,
            200,
            rng=np.random.default_rng(seed),
            made_for=SETTINGS_SETS[name],
            settings=settings,
            damaged=0,
        )
        assert len(set(frames)) == 200
        verdicts = {parse(frame, settings=settings).trailer["verdict"] for frame in frames}
        assert verdicts == {Verdict.STELLAR}


def test_damage_shows_and_some_of_it_is_repaired(seed):
    originals = good(seed, "default")
    given = {"made_for": Settings(), "settings": Settings()}
    rng = np.random.default_rng(seed)
    columns = batch.parse(vary(originals, 2000, rng=rng, damaged=1, **given))
    flags, verdicts = columns["trailer.flags"], columns["trailer.verdict"]
    assert 100 < np.count_nonzero(flags & SUMS) < 1200
    assert 200 < np.count_nonzero(verdicts == Verdict.STELLAR) < 1500
    for flag in (Flag.IP_LENGTH, Flag.UDP_LENGTH, Flag.PADDED, Flag.IPV4_IHL, Flag.STELLAR_VERSION):
        assert flags[flags & flag != 0].size, flag.name


def test_addresses_only_changes_nothing_else(seed):
    originals = [stimulus.data for stimulus in directed_frames()[::50]]
    rng = np.random.default_rng(seed)
    given = {"made_for": Settings(), "settings": Settings(stellar_port=1), "damaged": 1}
    frames = vary(originals, len(originals), rng=rng, addresses_only=True, **given)
    assert sorted(frame[12:] for frame in frames) == sorted(frame[12:] for frame in originals)
    assert sorted(map(len, frames)) == sorted(map(len, originals))
    assert {frame[:12] for frame in frames}.isdisjoint({frame[:12] for frame in originals})


def test_hostile_frames_come_from_the_function_that_is_given(seed):
    asked = []

    def hostile(rng, count, settings):
        asked.append((count, settings))
        return [bytes(20) + b"hostile"]

    frames = variants(400, seed=(seed,), name="trim", hostile=hostile)
    assert asked == [(100, "trim")]
    assert sum(frame.endswith(b"hostile") for frame in frames) == 100
    assert len(frames) == 400
    assert len(variants(400, seed=(seed,), hostile=None)) == 400


def test_nothing_to_vary():
    given = {"made_for": Settings(), "settings": Settings(), "damaged": 0}
    with pytest.raises(ValueError, match="frames is empty; at least one is needed"):
        vary([], 5, rng=np.random.default_rng(1), **given)


@pytest.mark.parametrize("kind", damage.KINDS, ids=lambda kind: kind.__name__)
def test_damage_stays_in_its_frame(seed, kind):
    originals = [frame.data for frame in random_frames(random.Random(seed), 300, "default")]
    slots = Slots(originals, np.arange(len(originals)), Settings())
    assert slots.frames() == originals
    rows = np.arange(0, len(originals), 2)
    kind(slots, rows, np.random.default_rng(seed))
    changed = slots.frames()
    assert changed[1::2] == originals[1::2]
    pairs = list(zip(changed[::2], originals[::2], strict=True))
    assert sum(one != other for one, other in pairs) > len(pairs) / 4
    assert all(1 <= len(one) <= len(other) + SLACK for one, other in pairs)


class TestRepair:
    """Against ``stellar_model.build``, which made the sums in the first place."""

    @staticmethod
    def spoiled(frames, settings):
        """A block of the frames with their sums overwritten, and which sums there were."""
        data, starts, lengths = bytearray(), [], []
        for frame in frames:
            header, copy = parse(frame, settings=settings).header, bytearray(frame)
            l3, l4, udp = header["offsets"]["l3"], header["offsets"]["l4"], header["udp"]
            if header["ip"]["version"] == 4:
                copy[l3 + 10] ^= 0x55
            if header["state"]["layers"] & Layer.UDP and udp["checksum"]:
                copy[l4 + 6] ^= 0x80 if udp["checksum"] ^ 0x8000 else 0x40
            if header["state"]["layers"] & Layer.STELLAR:
                copy[l4 + udp["length"] - 1] ^= 0xFF
            starts.append(len(data))
            lengths.append(len(frame))
            data += copy + bytes(len(frame) % 2)
        return data + bytes(8), np.array(starts), np.array(lengths)

    @pytest.mark.parametrize("name", ["default", "filter", "port"])
    def test_spoiled_sums_come_back(self, seed, name):
        settings = SETTINGS_SETS[name]
        frames = good(seed, name, 150)
        data, starts, lengths = self.spoiled(frames, settings)
        assert data[:-8] != b"".join(frame + bytes(len(frame) % 2) for frame in frames)
        repair(data, starts, lengths, settings, np.ones(len(frames), bool))
        rows = zip(starts, lengths, frames, strict=True)
        assert all(data[start : start + size] == frame for start, size, frame in rows)

    def test_only_what_is_named_is_touched(self, seed):
        frames = good(seed, "default")
        data, starts, lengths = self.spoiled(frames, Settings())
        before = bytes(data)
        which = np.arange(len(frames)) % 2 == 0
        repair(data, starts, lengths, Settings(), which)
        for at, (start, size) in enumerate(zip(starts, lengths, strict=True)):
            same = data[start : start + size] == before[start : start + size]
            assert same == (not which[at])
