"""``stellar_parser_fields.vh``: Verilog selects with it what the model has packed."""

import re
import subprocess
from random import Random

import pytest

from stellar_bench.verilate import verilator_env
from stellar_model import Ingress, pack
from stellar_nic.verilog_header import HEADER_NAME, fields_header
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.opcodes import Opcode
from stellar_spec.records import HEADER_RECORD, SETTINGS, TRAILER_RECORD

VALUES = {"VERDICT": Verdict, "REASON": Reason, "KEY": KeyKind, "OPCODE": Opcode}
BITS = {"HEADER_LAYER": Layer, "TRAILER_FLAG": Flag}


def random_row(fields, rng):
    return {field.name: rng.getrandbits(field.width) for field in fields}


def records(rng):
    """For each record its value, and name, width and value of every field."""
    row = {group.name: random_row(group.fields, rng) for group in HEADER_RECORD}
    yield (
        "HEADER",
        pack(HEADER_RECORD, row),
        [
            (f"{group.name}_{field.name}", field.width, row[group.name][field.name])
            for group in HEADER_RECORD
            for field in group.fields
        ],
    )
    fields = TRAILER_RECORD[0].fields
    row = random_row(fields, rng)
    yield (
        "TRAILER",
        pack(TRAILER_RECORD, row),
        [(field.name, field.width, row[field.name]) for field in fields],
    )
    meta = Ingress(port=rng.getrandbits(4), time=rng.getrandbits(48))
    error = rng.getrandbits(1)
    found = [("error", 1, error), ("port", 4, meta.port), ("time", 48, meta.time)]
    yield "TUSER", meta.pack() << 1 | error, found


def conditions(rng):
    """Verilog conditions, each of which must hold; the name of what is wrong where it does not."""
    for record, value, fields in records(rng):
        size = sum(width for _, width, _ in fields)
        yield f"`STELLAR_{record}_BITS == {size}", f"{record}_BITS"
        constant = f"{size}'h{value:x}"
        for name, width, expected in fields:
            macro = f"STELLAR_{record}_{name}".upper()
            for place in (f"`{macro}", f"`{macro}_LSB +: `{macro}_WIDTH"):
                yield f"pick_{record}[{place}] == {width}'h{expected:x}", macro
            yield f"`{macro}_WIDTH == {width}", macro
        yield f"pick_{record} == {constant}", record
    for prefix, flags in BITS.items():
        whole = "`STELLAR_" + ("HEADER_STATE_LAYERS" if flags is Layer else "TRAILER_FLAGS")
        for flag in flags:
            macro = f"STELLAR_{prefix}_{flag.name}"
            yield f"1 << `{macro} - {whole}_LSB == {int(flag)}", macro
    for prefix, codes in VALUES.items():
        for code in codes:
            yield f"`STELLAR_{prefix}_{code.name} == {int(code)}", code.name
    for setting in SETTINGS:
        macro = f"`STELLAR_CFG_{setting.name.upper()}"
        yield f"{macro}_WIDTH == {setting.width}", setting.name
        yield f"{macro}_DEFAULT == {setting.reset} && $bits({macro}_DEFAULT) == {setting.width}", ""


def module(seed):
    """A module whose elaboration stops at each condition that does not hold."""
    lines = [f'`include "{HEADER_NAME}"', f'`include "{HEADER_NAME}"', "module fields;"]
    for record, value, _ in records(Random(seed)):
        lines.append(f"localparam [`STELLAR_{record}_BITS-1:0] pick_{record} =")
        lines.append(f"  `STELLAR_{record}_BITS'h{value:x};")
    for condition, name in conditions(Random(seed)):
        lines.append(f'if (!({condition})) $error("wrong: {name}");')
    return "\n".join([*lines, "endmodule", ""])


def lint(folder, header, text):
    (folder / HEADER_NAME).write_text(header)
    (folder / "fields.v").write_text(text)
    command = ["verilator_bin", "--lint-only", "--error-limit", "1000", "-Wno-lint", "-Wno-style"]
    return subprocess.run(
        [*command, "--language", "1800-2012", "fields.v"],
        cwd=folder,
        env=verilator_env(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_field_stands_where_the_model_packs_it(seed, tmp_path):
    done = lint(tmp_path, fields_header(), module(seed))
    assert done.returncode == 0, done.stderr
    assert "rror" not in done.stderr


def test_every_macro_is_looked_at(seed):
    """What the test above does not look at, it can't find wrong."""
    defined = set(re.findall(r"^`define (STELLAR_\w+) ", fields_header(), re.M))
    used = set(re.findall(r"`(STELLAR_\w+)", module(seed)))
    assert defined == used
    assert len(defined) > 250


@pytest.mark.parametrize(
    ("line", "wrong", "shown"),
    [
        ("HEADER_IP_TTL 515:508", "HEADER_IP_TTL 514:507", "STELLAR_HEADER_IP_TTL"),
        ("TRAILER_LENGTH_LSB 26", "TRAILER_LENGTH_LSB 25", "STELLAR_TRAILER_LENGTH"),
        ("OPCODE_CNP 11", "OPCODE_CNP 12", "CNP"),
        ("CFG_MAX_LENGTH_DEFAULT 17'd9216", "CFG_MAX_LENGTH_DEFAULT 17'd9217", ""),
    ],
)
def test_a_wrong_macro_is_found(line, wrong, shown, seed, tmp_path):
    header = fields_header()
    assert f"STELLAR_{line}" in header
    done = lint(tmp_path, header.replace(f"STELLAR_{line}", f"STELLAR_{wrong}"), module(seed))
    assert done.returncode != 0
    assert f"wrong: {shown}" in done.stderr
