"""A reset at any time forgets what is inside; the next frame is handled as if it were the first."""

import random

import pytest

from stellar_bench.frames import directed_frames
from stellar_bench.native import NativeParser
from stellar_model import pack, parse
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

RUNS = 3000
LONGEST = 200  # bytes of a frame


def packed(frame):
    said = parse(frame.data, error=frame.error)
    return pack(HEADER_RECORD, said.header), pack(TRAILER_RECORD, said.trailer)


@pytest.mark.parametrize("width", [8, 1])
def test_frames_behind_a_reset(width, seed):
    source = random.Random(f"{seed} reset {width}")
    usual = [f for f in directed_frames() if f.settings == "default" and len(f.data) < LONGEST]
    expected = {}
    with NativeParser(width=width) as engine:
        for run in range(RUNS):
            lost, kept = source.sample(usual, 3), source.sample(usual, 2)
            beats = sum(-(-len(frame.data) // width) for frame in lost)
            engine.abandon(
                [frame.data for frame in lost],
                errors=[frame.error for frame in lost],
                cycles=source.randrange(1, beats + 6),
                reset=source.choice([1, 1, 2, 3]),
                backpressure=source.choice([0, 0.5]),
                seed=run,
            )
            out = engine.run([f.data for f in kept], errors=[f.error for f in kept])
            for frame, found in zip(kept, out, strict=True):
                if frame.name not in expected:
                    expected[frame.name] = packed(frame)
                assert found == expected[frame.name], (run, frame.name)
