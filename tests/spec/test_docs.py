"""The generated tables: up to date, stale, unknown, missing; and the worked example."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stellar_bench.vectors import load
from stellar_spec.docs import DocumentError, main, missing, render, stale
from stellar_spec.headers import INT, STELLAR
from stellar_spec.tables import TABLES, picture

ROOT = Path(__file__).resolve().parents[2]
WIRE_FORMAT = (ROOT / "docs" / "wire-format.md").read_text(encoding="utf-8")


def test_the_documents_are_up_to_date():
    assert main(["--check", str(ROOT)]) == 0


def test_it_runs_from_any_folder(tmp_path):
    command = [sys.executable, "-m", "stellar_spec.docs", "--check", str(ROOT)]
    path = {"PYTHONPATH": str(ROOT / "hw")}
    done = subprocess.run(
        command, cwd=tmp_path, env=path, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def copy(tmp_path):
    """One of the documents, among copies of all."""
    (tmp_path / "docs").mkdir()
    for document in (ROOT / "docs").glob("*.md"):
        shutil.copy(document, tmp_path / "docs")
    return tmp_path / "docs" / "wire-format.md"


def test_a_stale_table_is_named_and_then_written(copy, capsys):
    text = copy.read_text(encoding="utf-8")
    copy.write_text(text.replace("| `psn` | 24 |", "| `psn` | 23 |"), encoding="utf-8")
    root = str(copy.parents[1])
    assert main(["--check", root]) == 1
    error = capsys.readouterr().err
    assert f"{copy}: the table 'header STELLAR' is stale" in error
    assert error.count("is stale") == 1
    assert "python -m stellar_spec.docs" in error
    assert main([root]) == 0
    assert copy.read_text(encoding="utf-8") == text
    assert main(["--check", root]) == 0


def test_a_table_that_is_nowhere_is_named(copy, capsys):
    text = copy.read_text(encoding="utf-8")
    copy.write_text(text.replace("<!-- generated: flags -->", ""))
    with pytest.raises(DocumentError, match="without a table to end"):
        render(copy.read_text(encoding="utf-8"))
    copy.write_text("<!-- generated: flags -->\n<!-- end -->\n", encoding="utf-8")
    assert main(["--check", str(copy.parents[1])]) == 1
    assert "the table 'opcodes' is in no document" in capsys.readouterr().err
    assert "flags" not in missing([copy.read_text(encoding="utf-8")])


def test_no_documents_is_an_error(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "give the folder of the checkout as argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n<!-- generated: nonsense -->\n<!-- end -->", "D:2: no table is called 'nonsense'"),
        ("<!-- generated: flags -->\nx", "D:1: the table 'flags' has no <!-- end -->"),
        ("<!-- generated: flags -->\n<!-- generated: flags -->", "D:2: the table opened in line 1"),
        ("<!-- end -->", "D:1: <!-- end --> without a table to end"),
    ],
)
def test_markers_that_cannot_be_understood(text, message):
    with pytest.raises(DocumentError, match=message):
        render(text, "D")


def test_prose_around_tables_stays_as_it_is():
    text = "before\n\n<!-- generated: verdicts -->\nold\n<!-- end -->\n\nafter\n"
    new = render(text)
    assert stale(text) == ["verdicts"] and stale(new) == []
    assert new.startswith("before\n\n<!-- generated: verdicts -->\n\n| value | name | meaning |\n")
    assert new.endswith("|\n\n<!-- end -->\n\nafter\n")


def test_a_header_is_drawn_as_rfcs_draw_it():
    lines = picture(STELLAR).split("\n")
    assert lines[4] == "|ver|   opcode  |     flags     |            flow ...           |"
    assert lines[6] == "|    ... flow   |                      psn                      |"
    assert {len(line) for line in lines[3:-1]} == {65}
    assert "|  used |reserve|e|" in picture(INT)


def test_every_table_has_rows_of_one_width():
    for name, table in TABLES.items():
        if name.startswith("picture"):
            continue
        rows = [line for line in table().split("\n") if line.startswith("| ")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) == 1, name


def test_the_worked_example_is_the_golden_frame():
    (vector,) = [v for v in load() if v.name == "write-ipv4"]
    check = vector.part("check")
    example = WIRE_FORMAT.split("Example: ")[1].split("### Field by field")[0]
    cells = [line.split("`")[1] for line in example.split("\n") if line.startswith("| `")]
    fed = vector.part("ip")[12:] + vector.part("udp") + vector.part("base") + vector.part("payload")
    assert bytes.fromhex("".join(cells)) == fed
    assert (
        f"Its CRC-32 is 0x{check[::-1].hex()}; the packet ends with `{check.hex(' ')}`" in example
    )
