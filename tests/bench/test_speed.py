"""The measurement: its frames, cocotb's side, and how the figures are judged."""

import re

import pytest

from stellar_bench.speed import cocotb_run, command, measure
from stellar_bench.speed.measure import BARE, BATCH, COCOTB, ENGINE, READABLE, Measured
from stellar_model import batch


@pytest.fixture(scope="module")
def frames(seed):
    return measure.frames(3000, seed)


def test_frames_are_different_and_of_the_right_length(frames, seed):
    assert len(set(frames)) == len(frames) == 3000
    assert {64, 128} >= {min(map(len, frames)), max(map(len, frames))}
    assert measure.frames(3000, seed) == frames
    assert set(measure.frames(3000, seed + 1)).isdisjoint(frames)


def test_frames_are_good_and_bad(frames):
    verdicts = batch.parse(frames)["trailer.verdict"].tolist()
    assert all(verdicts.count(verdict) > 200 for verdict in range(3))


def test_cocotb_says_what_the_model_says(frames):
    columns, seconds, wall = cocotb_run.run(frames[:150])
    assert list(columns.differences(batch.parse(frames[:150]))) == []
    assert 0 < seconds < 60 and 0 < wall


def measured(engine=0.5, cocotb=1.0, digest="few", whole="whole"):
    return [
        Measured(BARE, 50_000, 0.4, 0.4),
        Measured(ENGINE, 50_000, engine, 9.0, "whole"),
        Measured(ENGINE, 2000, 0.02, 9.0, "few"),
        Measured(BATCH, 50_000, 0.2, 0.2, whole),
        Measured(COCOTB, 2000, cocotb, 1.0, digest),
        Measured(READABLE, 2000, 0.3, 0.3, "few"),
    ]


def test_all_is_well():
    assert command.verdict(measured()) == []
    assert "50.0 times as quick" in command._table(measured())


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"engine": 1.01}, "the engine does 49,505 frames/s; the target is 50,000"),
        ({"cocotb": 0.19}, r"engine to cocotb is 9\.5; the target is 10"),
        ({"digest": "other"}, r"digests over 2000 frames differ: .*'cocotb': 'other'"),
        ({"whole": "other"}, r"digests over 50000 frames differ: .*'batch model': 'other'"),
    ],
)
def test_what_is_wrong_is_said(changes, said):
    (problem,) = command.verdict(measured(**changes))
    assert re.search(said, problem)


def test_a_missed_target_is_exit_code_1(monkeypatch, capsys):
    monkeypatch.setattr(command, "frames", lambda count, seed: [bytes(64)] * count)
    monkeypatch.setattr(command, "everything", lambda given: measured(engine=2.0))
    assert command.main([]) == 1
    assert "FAILED the engine does 25,000 frames/s" in capsys.readouterr().out
    monkeypatch.setattr(command, "everything", lambda given: measured())
    assert command.main([]) == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--frames", "2000"], r"'2000' is no number of frames \(N\); .* from 2001 to 10000000"),
        (["--seed", "-1"], "'-1' is no seed"),
    ],
)
def test_wrong_arguments(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert re.search(message, capsys.readouterr().err)
