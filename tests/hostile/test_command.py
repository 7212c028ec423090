"""The command: what it writes, as Scapy reads it; what it lists; how it says what is wrong."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scapy.utils import RawPcapReader

from stellar_hostile import FAMILIES, GOOD, frames, interleaved
from stellar_hostile.cli import main
from stellar_hostile.files import LONGEST, write_pcap
from stellar_hostile.frame import Hostile
from stellar_hostile.table import BEGIN, END, DocumentError, rendered

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "hostile-frames.md"


def read(path):
    """(bytes, length on the wire, time in µs) of every frame."""
    rows = []
    with RawPcapReader(str(path)) as reader:
        assert reader.linktype == 1
        while True:
            try:
                data, meta = reader._read_packet(LONGEST)  # iterating would cut at 65,535
            except EOFError:
                return rows
            rows.append((data, meta.wirelen, meta.sec * 1_000_000 + meta.usec))


def test_the_pcap_holds_all_frames_and_equal_seeds_make_equal_ones(tmp_path, everything, seed):
    path = tmp_path / "new" / "hostile.pcap"
    assert main(["--pcap", str(path), "--interleave", "--seed", str(seed)]) == 0
    wanted = [frame.data for frame in interleaved(everything)]
    assert read(path) == [(data, len(data), place) for place, data in enumerate(wanted)]


def test_the_index_says_what_each_frame_is(tmp_path):
    path = tmp_path / "index.jsonl"
    families = ["trim-unfit", "mac-error"]
    assert main(["--family", *families, "--interleave", "--index", str(path)]) == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    wanted = list(interleaved(frames(families)))
    assert [row["frame"] for row in rows] == list(range(1, len(wanted) + 1))
    for row, frame in zip(rows, wanted, strict=True):
        assert row["name"] == frame.name and row["family"] == frame.family
        assert row["error"] == frame.error and row["settings"] == dict(frame.settings)
        assert row["length"] == len(frame.data) and row["note"] == frame.note
    assert any(row["error"] for row in rows) and any(row["settings"] for row in rows)
    assert rows[1]["family"] == GOOD


def test_the_list_shows_families(capsys):
    assert main(["--list", "--family", "vlan-mix", "ip-version", "--family", "udp-size"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    rows = [["vlan-mix", "120"], ["ip-version", "32"], ["udp-size", "324"]]
    assert [line.split()[:2] for line in lines] == rows
    assert FAMILIES["vlan-mix"].provokes in lines[0]
    assert last == "3 families, 476 hostile frames, seed 1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to do; give --pcap FILE, --index FILE or --list"),
        (["--list", "--family", "vlan"], "no family is called 'vlan'; there are vlan-"),
        (["--list", "--seed", "x"], "'x' is not right; give a decimal number from 0 to 4294967295"),
        (["--list", "--limit", "0"], "'0' is not right; give a decimal number from 1"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(tmp_path, capsys):
    assert main(["--family", "ip-version", "--pcap", str(tmp_path)]) == 1
    assert f"stellar_hostile: [Errno 21] Is a directory: '{tmp_path}'" in capsys.readouterr().err


def test_a_frame_too_long_for_a_pcap_is_named(tmp_path):
    with pytest.raises(ValueError, match="'?a'? has 262145 bytes; a pcap file holds 262144"):
        write_pcap(tmp_path / "a", [Hostile("a", "b", bytes(LONGEST + 1))])


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "stellar_hostile", "--list", "--family", "ip-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.endswith("1 families, 32 hostile frames, seed 1\n")


def test_the_documented_table_is_fresh(tmp_path):
    """A copy whose table is stale is renewed into what the document is."""
    text = DOCUMENT.read_text(encoding="utf-8")
    copy = tmp_path / "copy.md"
    copy.write_text(re.sub(r"\| `vlan-mix` \| \d+", "| `vlan-mix` | 7", text), encoding="utf-8")
    assert copy.read_text(encoding="utf-8") != text
    assert main(["--document", str(copy), "--family", "ip-version", "--list"]) == 0
    command = "python -m stellar_hostile --document docs/hostile-frames.md"
    assert copy.read_text(encoding="utf-8") == text, f"run `{command}`"


def test_a_document_without_marks_is_named(tmp_path):
    path = tmp_path / "plain.md"
    path.write_text(f"# Nothing\n{END}\n{BEGIN}\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="plain.md has no table: it needs the lines"):
        rendered(path)
