"""Each row of docs/parser.md's table "Malformed frames at a glance", at least once."""

from pathlib import Path

import pytest

from stellar_model import Settings, parse
from stellar_model.build import ethernet, ipv4, ipv6, stellar, udp
from stellar_spec.codes import Flag, Layer, Reason, Verdict
from stellar_spec.opcodes import Opcode, StellarFlag
from tests.model.malformed import (
    DATA,
    FOUR,
    NETWORK,
    NOTHING,
    SEND,
    SIX,
    UP_TO_STELLAR,
    UP_TO_UDP,
    Case,
    cut,
)

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/parser.md"

TRIM = Settings(trim=1, trim_dscp=10)
TRIMMED = Flag.TRIMMED | Flag.IP_LENGTH
TRUNCATED = dict(reason=Reason.STELLAR_TRUNCATED)
WITH_SUM = stellar(Opcode.SEND, DATA, udp={"checksum": None})

STELLARTP = {
    "UDP sum wrong, or 0 over IPv6": [
        Case(ethernet(ipv4(udp(DATA, checksum=1))), UP_TO_UDP, Flag.UDP_CHECKSUM),
        Case(ethernet(ipv6(udp(DATA, checksum=0))), UP_TO_UDP, Flag.UDP_CHECKSUM),
        Case(
            ethernet(ipv6(stellar(Opcode.SEND, udp={"checksum": 1}))),
            UP_TO_STELLAR,
            Flag.UDP_CHECKSUM,
            reason=Reason.UDP_CHECKSUM,
        ),
    ],
    "StellarTP of another version": [
        Case(ethernet(ipv4(stellar(Opcode.SEND, DATA, version=1))), UP_TO_UDP, Flag.STELLAR_VERSION)
    ],
    "StellarTP too short for base header, extensions, body or check": [
        Case(
            ethernet(ipv4(stellar(1, udp={"length": 19}), total_length=39)),
            UP_TO_UDP,
            Flag.PADDED,
            **TRUNCATED,
        ),
        Case(ethernet(ipv4(stellar(Opcode.SEND, check=b"abc"))), UP_TO_STELLAR, **TRUNCATED),
        Case(
            ethernet(ipv4(stellar(Opcode.WRITE, DATA[:15], flags=StellarFlag.ADDR))),
            UP_TO_STELLAR,
            **TRUNCATED,
        ),
        Case(ethernet(ipv4(stellar(Opcode.PROBE, bytes(7)))), UP_TO_STELLAR, **TRUNCATED),
        Case(
            ethernet(ipv4(stellar(Opcode.SEND, int={"hops_reserved": 2}, stack=bytes(15)))),
            UP_TO_STELLAR,
            **TRUNCATED,
        ),
    ],
    "opcode unknown": [
        Case(
            ethernet(ipv4(stellar(63, imm={"data": 1}))),
            UP_TO_STELLAR | Layer.IMM,
            reason=Reason.STELLAR_OPCODE,
        )
    ],
    "extension set not the opcode's, INT malformed": [
        Case(
            ethernet(ipv4(stellar(Opcode.SEND, imm={"data": 1}))),
            UP_TO_STELLAR | Layer.IMM,
            reason=Reason.STELLAR_EXTENSION,
        ),
        Case(
            ethernet(ipv4(stellar(Opcode.SEND_IMM))), UP_TO_STELLAR, reason=Reason.STELLAR_EXTENSION
        ),
        Case(
            ethernet(ipv4(stellar(Opcode.SEND, int={"hops_reserved": 9}))),
            UP_TO_STELLAR | Layer.INT,
            reason=Reason.STELLAR_EXTENSION,
        ),
    ],
    "end-to-end check wrong": [
        Case(
            ethernet(ipv4(stellar(Opcode.SEND, check=b"\x00\x00\x00\x00"))),
            UP_TO_STELLAR,
            Flag.STELLAR_CHECK,
            reason=Reason.STELLAR_CHECK,
        )
    ],
    "trimmed, base header whole": [
        Case(
            cut(ethernet(ipv4(SEND, dscp=10)), 54),
            UP_TO_STELLAR,
            TRIMMED,
            verdict=Verdict.STELLAR,
            settings=TRIM,
        ),
        Case(
            cut(ethernet(ipv4(WITH_SUM, dscp=10)), 54),
            UP_TO_STELLAR,
            TRIMMED | Flag.UNVERIFIED,
            verdict=Verdict.STELLAR,
            settings=TRIM,
        ),
    ],
    "trimmed, base header cut": [
        Case(cut(ethernet(ipv4(SEND, dscp=10)), 53), UP_TO_UDP, TRIMMED, settings=TRIM, **TRUNCATED)
    ],
    "longer than `max_length`": [
        Case(
            ethernet(ipv4(SEND)),
            UP_TO_STELLAR,
            Flag.OVERSIZE,
            verdict=Verdict.STELLAR,
            settings=Settings(max_length=77),
        )
    ],
    "`error` on the last beat": [
        Case(ethernet(ipv4(SEND)), UP_TO_STELLAR, reason=Reason.MAC_ERROR, error=True),
        Case(cut(FOUR, 9), NOTHING, Flag.ETH_TRUNCATED, reason=Reason.MAC_ERROR, error=True),
    ],
}


CASES = NETWORK | STELLARTP
ROWS = [(f"{row} {i}", case) for row, cases in CASES.items() for i, case in enumerate(cases)]


@pytest.mark.parametrize("case", [c for _, c in ROWS], ids=[name for name, _ in ROWS])
def test_row(case):
    parsed = parse(case.frame, settings=case.settings, error=case.error)
    trailer = parsed.trailer
    said = (
        Layer(parsed.header["state"]["layers"]),
        Flag(trailer["flags"]),
        Verdict(trailer["verdict"]),
        Reason(trailer["reason"]),
    )
    assert said == case.expected
    assert trailer["length"] == len(case.frame)


def test_every_row_has_a_case():
    table = DOCUMENT.read_text(encoding="utf-8").split("## Malformed frames at a glance")[1]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    rows = {line.split("|")[1].strip() for line in lines[1:]}
    assert rows == set(CASES)


def test_the_frames_are_good_before_they_are_damaged():
    for frame in (FOUR, SIX):
        assert parse(frame).trailer["flags"] == 0
    assert parse(ethernet(ipv4(WITH_SUM, dscp=10))).trailer["verdict"] == Verdict.STELLAR
