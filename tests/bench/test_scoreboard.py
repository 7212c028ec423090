"""The scoreboard: what differs, what never comes and what nobody sent are failures."""

from dataclasses import replace

import pytest

from stellar_bench.packets import Packet
from stellar_bench.parse.stimuli import Case
from stellar_bench.results import TestResult
from stellar_bench.scoreboard import Mismatch, ParserScoreboard
from stellar_model import Ingress, Settings, build, pack
from stellar_sdk.capture import read_capture
from stellar_spec.opcodes import Opcode
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

FRAME = build.ethernet(build.ipv4(build.stellar(Opcode.WRITE, b"payload")))


@pytest.fixture
def board(tmp_path):
    return ParserScoreboard(TestResult("test"), folder=tmp_path, bench="bench", repeat="again")


def expect(board, frame=FRAME, error=False):
    case = Case("a frame", frame, error, Settings(), Ingress(port=3, time=5))
    parsed = board.expect(case)
    return (
        pack(HEADER_RECORD, parsed.header),
        pack(TRAILER_RECORD, parsed.trailer),
        Packet(frame, error, case.meta.pack()),
    )


def bit(group, name):
    at = 0
    for entry in HEADER_RECORD:
        for field in entry.fields:
            if (entry.name, field.name) == (group, name):
                return 1 << at
            at += field.width
    raise KeyError(name)


def test_what_the_model_says_passes(board):
    header, trailer, packet = expect(board)
    board.packet(packet)
    board.trailer(trailer)
    board.header(header)
    assert board.idle
    board.finish()


def test_a_field_that_differs_is_named_and_the_frame_kept(board, tmp_path):
    header, trailer, packet = expect(board)
    board.header(header ^ bit("ip", "ttl"))
    board.trailer(trailer)
    board.packet(packet)
    with pytest.raises(Mismatch, match="1 frames differ, 0 leftovers"):
        board.finish()
    text = "\n".join(board._result.messages)
    assert "  ip.ttl: model 0x40, gateware 0x41" in text
    assert "repeat: again" in text
    (kept,) = tmp_path.glob("*.pcap")
    assert str(kept) in text
    assert [frame.data for frame in read_capture(kept)] == [FRAME]


@pytest.mark.parametrize("name", ["header", "trailer", "packet"])
def test_what_never_comes_is_a_leftover(board, name):
    header, trailer, packet = expect(board)
    for part, value in (("header", header), ("trailer", trailer), ("packet", packet)):
        if part != name:
            getattr(board, part)(value)
    with pytest.raises(Mismatch, match="0 frames differ, 1 leftovers"):
        board.finish()
    assert f"  {name} never came" in board._result.messages


@pytest.mark.parametrize("name", ["header", "trailer", "packet"])
def test_what_nobody_sent_is_a_failure(board, name):
    header, trailer, packet = expect(board)
    board.forget()
    value = {"header": header, "trailer": trailer, "packet": packet}[name]
    with pytest.raises(Mismatch, match=f"{name} that nothing was sent for"):
        getattr(board, name)(value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"data": FRAME[:-1]}, "packet.length"),
        ({"data": FRAME[:-1] + b"!"}, f"packet.data[{len(FRAME) - 1}]"),
        ({"error": True}, "packet.error"),
        ({"meta": 0}, "packet.meta"),
    ],
)
def test_a_packet_that_was_touched_is_told(board, change, told):
    header, trailer, packet = expect(board)
    board.header(header)
    board.trailer(trailer)
    board.packet(replace(packet, **change))
    with pytest.raises(Mismatch, match="1 frames differ"):
        board.finish()
    assert any(told in line for line in board._result.messages)
