"""The C header, compiled as C99 and as C++, against the golden frames."""

import shutil
import subprocess

import pytest

from stellar_bench.vectors import load
from stellar_model.check import end_to_end_check
from stellar_spec import headers
from stellar_spec.opcodes import EXTENSION_FLAGS, OPCODES, StellarFlag
from stellar_wire.files import FOLDER
from stellar_wire.lua_spec import FIELD_PREFIXES

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow", "-O1")
LANGUAGES = {"c99": ("cc", "-std=c99", "dump.c"), "c++11": ("c++", "-std=c++11", "dump.cc")}

# One line in: a word that says what the bytes are, then bytes as hex. One line out: numbers.
MAIN = """
#include <stdio.h>
#include <string.h>
#include "stellartp.h"

int main(void)
{
    static uint8_t bytes[4096], copy[4096];
    char word[32], hex[8200];
    while (scanf("%%31s %%8199s", word, hex) == 2) {
        size_t size = strlen(hex) / 2, i;
        unsigned value;
        for (i = 0; i < size; i++) {
            if (sscanf(hex + 2 * i, "%%2x", &value) != 1)
                return 1;
            bytes[i] = (uint8_t)value;
        }
        memset(copy, 0xff, sizeof copy);
%s
        if (!strcmp(word, "check")) {
            uint8_t check[STELLARTP_CHECK_SIZE];
            size_t addresses = bytes[0], between = bytes[1];
            int code = stellartp_check(bytes + 2, addresses, between, bytes + 2 + addresses,
                                       size - 2 - addresses, check);
            printf("%%d", code);
            for (i = 0; !code && i < sizeof check; i++)
                printf(" %%u", (unsigned)check[i]);
        }
        if (!strcmp(word, "rule"))
            printf("%%d %%u %%u", stellartp_accepts(bytes[0], bytes[1]),
                   stellartp_opcode_body(bytes[0]), (unsigned)stellartp_headers_size(bytes[1]));
        printf("\\n");
    }
    return 0;
}
"""


def reader(name):
    """C that prints every field of a header, and the bytes that the setters make of them."""
    prefix = FIELD_PREFIXES[name].replace(".", "_")
    lines = [f'        if (!strcmp(word, "{name}")) {{']
    for field in getattr(headers, name).fields:
        get = f"stellartp_{prefix}{field.name}(bytes)"
        lines.append(f'            printf("%llu ", (unsigned long long){get});')
        lines.append(f"            stellartp_set_{prefix}{field.name}(copy, {get});")
    lines.append(f"            if (memcmp(bytes, copy, {getattr(headers, name).size}))")
    lines.append('                printf("setters differ");')
    return "\n".join([*lines, "        }"])


@pytest.fixture(scope="module", params=LANGUAGES)
def dump(request, tmp_path_factory):
    """Runs the compiled program over (word, bytes) pairs; a list of numbers for each."""
    compiler, standard, name = LANGUAGES[request.param]
    assert shutil.which(compiler), (
        f"no compiler {compiler!r}; on Debian and Ubuntu: apt install g++"
    )
    folder = tmp_path_factory.mktemp("header")
    (folder / name).write_text(MAIN % "\n".join(reader(header) for header in FIELD_PREFIXES))
    command = [compiler, standard, *STRICT, "-I", str(FOLDER), str(folder / name)]
    command += ["-o", str(folder / "dump")]
    built = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stderr

    def run(pairs):
        text = "".join(f"{word} {data.hex()}\n" for word, data in pairs)
        result = subprocess.run(
            [folder / "dump"], input=text, capture_output=True, text=True, timeout=60, check=True
        )
        lines = result.stdout.splitlines()
        assert len(lines) == len(pairs)
        return [[int(number) for number in line.split()] for line in lines]

    return run


def test_fields_of_the_golden_frames(dump):
    pairs, wanted = [], []
    for vector in load():
        parts = {"STELLAR": "base", "ADDR": "addr", "IMM": "imm", "ACK": "ack", "INT": "int"}
        for name, label in parts.items():
            group = "stellar" if name == "STELLAR" else label
            if group in vector.typed:
                pairs.append((name, vector.part(label)[: getattr(headers, name).size]))
                fields = getattr(headers, name).fields
                wanted.append([vector.header[group][field.name] for field in fields])
        hops = vector.part("hop")
        for number, typed in enumerate(vector.hops):
            pairs.append(("INT_HOP", hops[8 * number : 8 * number + 8]))
            wanted.append([typed.get(field.name, 0) for field in headers.INT_HOP.fields])
    assert {name for name, _ in pairs} == set(FIELD_PREFIXES)
    assert dump(pairs) == wanted


def test_single_bits_are_where_the_specification_has_them(dump):
    for name in FIELD_PREFIXES:
        header = getattr(headers, name)
        pairs, wanted = [], []
        for bit in range(header.width):
            pairs.append((name, (1 << header.width - 1 - bit).to_bytes(header.size, "big")))
            row = []
            for field in header.fields:
                at = bit - header.offset(field.name)
                row.append(1 << field.width - 1 - at if 0 <= at < field.width else 0)
            wanted.append(row)
        assert dump(pairs) == wanted, name


def datagrams():
    """(name, addresses, bytes between, datagram) of the golden frames with a whole base header."""
    for vector in load():
        ip, offsets = vector.header["ip"], vector.header["offsets"]
        size = 4 if ip["version"] == 4 else 16
        if "stellar" in vector.typed and not vector.settings:
            fixed = 20 if size == 4 else 40
            addresses = b"".join(ip[name].to_bytes(size, "big") for name in ("src", "dst"))
            l4, length = offsets["l4"], vector.header["udp"]["length"]
            between = l4 - offsets["l3"] - fixed
            yield vector, addresses, between, vector.frame[l4 : l4 + length]


def test_check_of_the_golden_frames(dump):
    pairs, wanted, right = [], [], 0
    for vector, addresses, between, datagram in datagrams():
        pairs.append(("check", bytes([len(addresses), between]) + addresses + datagram))
        if "TRUNCATED" in vector.typed["trailer"].get("reason", ""):
            wanted.append(None)
            continue
        wanted.append([0, *end_to_end_check(addresses, between, datagram)])
        wrong = "STELLAR_CHECK" in vector.typed["trailer"].get("flags", "")
        assert (list(datagram[-4:]) == wanted[-1][1:]) != wrong, vector.name
        right += not wrong
    found = dump(pairs)
    assert [f for f, w in zip(found, wanted, strict=True) if w] == [w for w in wanted if w]
    assert right > 40
    assert dump([("check", bytes([8, 0]) + bytes(8) + bytes(23))]) == [[-1]]
    no_room = bytes(8) + bytes([1, 0x0F]) + bytes(14)  # all extensions, and no byte of them
    assert dump([("check", bytes([8, 0]) + bytes(8) + no_room)]) == [[-1]]


def test_rules_of_every_opcode_and_set(dump):
    cases = [(opcode, flags) for opcode in range(64) for flags in range(16)]
    wanted = []
    for opcode, flags in cases:
        rule = OPCODES.get(opcode)
        sizes = (h.size for n, h in headers.STELLAR_EXTENSIONS.items() if flags & StellarFlag[n])
        body = rule.body if rule else 0
        wanted.append([int(bool(rule and rule.accepts(flags))), body, 12 + sum(sizes)])
    others = 0xFF ^ EXTENSION_FLAGS
    assert dump([("rule", bytes([o, f | others])) for o, f in cases]) == wanted
