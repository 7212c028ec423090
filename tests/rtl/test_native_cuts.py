"""A frame that ends anywhere leaves nothing behind: the good frame after it has its own records."""

import random

import numpy as np
import pytest

from stellar_bench import vectors
from stellar_bench.frames import directed_frames
from stellar_bench.frames.ipv6 import jumbograms
from stellar_bench.native import NativeParser
from stellar_model import batch, parse
from stellar_spec.codes import Verdict

LONGEST = 200  # bytes of a frame that is cut
CUTS = 5  # of each directed frame


def cut_frames(rng):
    """Directed frames cut at random, jumbograms at every byte: those tell most by one word."""
    for frame in directed_frames():
        if frame.settings == "default" and 1 < len(frame.data) < LONGEST:
            yield from (frame.data[: rng.randrange(1, len(frame.data))] for _ in range(CUTS))
    for frame in jumbograms():
        yield from (frame.data[:end] for end in range(1, min(len(frame.data), LONGEST)))


def good_frames():
    """Golden frames for StellarTP, over both IP versions, that nothing is wrong with."""
    frames = [vector.frame for vector in vectors.load() if not vector.settings]
    frames = [frame for frame in frames if parse(frame).trailer["verdict"] == Verdict.STELLAR]
    versions = {parse(frame).header["ip"]["version"] for frame in frames}
    assert versions == {4, 6}
    return frames


@pytest.mark.parametrize("width", [8, 1])
@pytest.mark.parametrize("idle", [0.0, 0.5])
def test_a_good_frame_behind_each_cut(width, idle, seed):
    rng, good = random.Random(f"{seed} cuts {width} {idle}"), good_frames()
    frames = [frame for cut in cut_frames(rng) for frame in (cut, rng.choice(good))]
    given = {"errors": [False] * len(frames), "metas": [0] * len(frames)}
    model = batch.parse(frames, **given)
    with NativeParser(width=width) as engine:
        found = engine.run_batch(frames, **given, idle=idle, seed=seed)
    for rows, wanted in (
        (found.headers, batch.pack_headers(model)),
        (found.trailers, batch.pack_trailers(model)),
    ):
        assert rows.shape == wanted.shape
        wrong = np.flatnonzero((rows != wanted).any(axis=1))
        assert not wrong.size, [(k, frames[k - 1].hex(), frames[k].hex()) for k in wrong[:3]]
