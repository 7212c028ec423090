"""Every frame of the corpus through ``stellar-analyzer``, against tshark's fields where given."""

from stellar_sdk.capture import CaptureError, read_capture
from tests.host.analyzer_run import parse
from tests.host.corpus_fields import disputed, fields, rows

EXCUSED = 3
"""Frames at most whose extension headers go past the limit: less of them is compared."""


def readable(file):
    """How many frames of ``file`` can be read."""
    count = 0
    try:
        for _ in read_capture(file):
            count += 1
    except CaptureError:
        pass
    return count


def differences(name, objects, table, leave, counts):
    """What differs in one file, as text; counts the compared fields and the excused frames."""
    for number, row in table.items():
        shown = objects[number - 1]
        counts["excused"] += "EXT_LIMIT" in shown["flags"]
        for field, theirs, ours in fields(row, shown):
            if field in leave.get((name, number), ()):
                continue
            counts["compared"] += 1
            if theirs != ours:
                yield f"{name} frame {number} {field}: tshark {theirs!r}, ours {ours!r}"


def test_corpus(corpus, capsys):
    judged = (corpus / "expected.tsv").exists()
    expected, leave = (rows(corpus), disputed(corpus)) if judged else ({}, {})
    wrong, counts, frames = [], {"compared": 0, "excused": 0}, 0
    files = sorted(path for path in corpus.iterdir() if path.suffix in (".pcap", ".pcapng"))
    for file in files:
        code, objects, errors = parse(capsys, "-i", file)
        assert (code == 0) == (errors == ""), errors
        assert [row["frame"] for row in objects] == list(range(1, readable(file) + 1)), file
        frames += len(objects)
        table = expected.pop(file.name, {})
        wrong += differences(file.name, objects, table, leave, counts)
    print(f"{len(files)} files, {frames} frames, {counts}, {len(wrong)} differ")
    assert not wrong, "\n".join(wrong[:20])
    assert frames and counts["excused"] <= EXCUSED
    assert not expected, f"expected.tsv speaks of captures that are not there: {list(expected)}"
    # A good frame of the corpus has ten fields or more; a bad reading of the table has none.
    assert not judged or counts["compared"] > 5 * frames
