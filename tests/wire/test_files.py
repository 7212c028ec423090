"""The generated files are up to date, and whoever forgets to write them is told."""

import pytest

from stellar_spec import headers
from stellar_wire import files, lua_text, masks
from stellar_wire.files import FILES, FOLDER, main, stale
from stellar_wire.lua_spec import field_names


def test_committed_files_are_up_to_date():
    assert stale(FOLDER) == [], "run `make wire`"


def test_command_writes_what_is_missing_and_then_nothing(tmp_path, capsys):
    assert main(["--out", str(tmp_path), "--check"]) == 1
    assert "run `make wire`" in capsys.readouterr().err
    assert main(["--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count(": written") == len(FILES)
    assert main(["--out", str(tmp_path), "--check"]) == 0
    assert main(["--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", FILES)
def test_a_stale_file_is_named(tmp_path, capsys, name):
    main(["--out", str(tmp_path)])
    path = tmp_path / name
    path.write_text(path.read_text() + "\n")
    assert main(["--out", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().err.splitlines()[0] == f"{path}: stale or missing"


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_generated_text_follows_the_specification(monkeypatch):
    before = {name: make() for name, make in FILES.items()}
    monkeypatch.setattr(headers, "STELLAR_PORT", 4242)
    for name, make in files.FILES.items():
        text = make()
        assert text != before[name] and "4242" in text


def test_every_field_has_a_name_of_its_own():
    names = [name for name, _, _ in field_names()]
    assert len(set(names)) == len(names) == 22
    assert {"stellartp.flow", "stellartp.addr.rkey", "stellartp.int.hop.queue"} <= set(names)


def test_masks_are_those_of_the_document():
    assert masks.mask(headers.UDP).hex() == "ffffffffffff0000"
    assert masks.mask(headers.STELLAR) == b"\xff" * 12
    assert masks.mask(headers.INT) + masks.mask(headers.INT_HOP) == bytes(12)
    assert masks.runs(headers.UDP) == [(0, 6, True), (6, 8, False)]


def test_a_header_outside_the_check_has_no_mask():
    with pytest.raises(ValueError, match="byte 0 of TCP, fixed part is not in the sequence"):
        masks.mask(headers.TCP)


@pytest.mark.parametrize("text", ['a "word"', "back\\slash", "two\nlines", "é"])
def test_text_that_lua_would_read_otherwise_is_refused(text):
    with pytest.raises(ValueError, match="cannot stand in a Lua string"):
        lua_text.quoted(text)
