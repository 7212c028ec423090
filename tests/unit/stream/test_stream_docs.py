"""docs/streams.md says what the code says."""

import re
from pathlib import Path

import pytest

from stellar_nic.stream import PacketFIFO, PacketLayout, RegisterSlice, StreamFIFO, WidthConverter
from stellar_spec.streams import PACKET_WIDTHS, StreamRule

TEXT = (Path(__file__).parents[3] / "docs" / "streams.md").read_text(encoding="utf-8")


def table(head):
    """The rows of the table whose first cell is ``head``, without its two heading rows."""
    lines = iter(TEXT.splitlines())
    assert any(line.startswith(f"| {head} |") for line in lines)
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@pytest.mark.usefixtures("unused")
def test_latencies():
    blocks = {
        "`RegisterSlice`": RegisterSlice(shape=8),
        "`StreamFIFO`": StreamFIFO(shape=8, depth=16),
        "`PacketFIFO`": PacketFIFO(width=8, depth=16),
        "`WidthConverter`, up": WidthConverter(width_in=1, width_out=8),
        "`WidthConverter`, same width": WidthConverter(width_in=8, width_out=8),
        "`WidthConverter`, down": WidthConverter(width_in=8, width_out=1),
    }
    stated = {row[0]: int(row[1]) for row in table("primitive")}
    assert stated == {name: block.latency for name, block in blocks.items()}


def test_rules_in_their_order():
    assert [row[0].strip("`") for row in table("rule")] == [rule.name for rule in StreamRule][1:]


def test_fields_in_their_order():
    assert [row[0].strip("`") for row in table("field")] == [*dict(PacketLayout(1, 1))]


def test_widths():
    (stated,) = re.findall(r"\*\*W\*\*, the width, is (.*) bytes", TEXT)
    assert tuple(map(int, re.findall(r"\d+", stated))) == PACKET_WIDTHS
