"""The parser's ports as the exported Verilog has them, and the shell around them."""

import re

from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD

__all__ = [
    "HEADER_BITS",
    "META_BITS",
    "SELECT",
    "SETTINGS_BITS",
    "TRAILER_BITS",
    "ports",
    "shell",
    "top_module",
]


def _bits(row):
    return sum(item.width for item in row)


META_BITS = _bits(INGRESS)
HEADER_BITS = _bits(HEADER_RECORD)
TRAILER_BITS = _bits(TRAILER_RECORD)
SETTINGS_BITS = _bits(SETTINGS)
SELECT = "mutsel"
"""The input of a design with mutants that chooses one; 0: none of them."""


def ports(width, select=0):
    """Ports of a parser of ``width`` bytes a beat: name → bits.

    ``select`` is the number of bits of :data:`SELECT`; 0: there is no such input.
    """
    packet = 9 * width + 2 + META_BITS
    payloads = {"i": packet, "o": packet, "header": HEADER_BITS, "trailer": TRAILER_BITS}
    found = {f"{name}__payload": bits for name, bits in payloads.items()}
    for name in payloads:
        found |= {f"{name}__valid": 1, f"{name}__ready": 1}
    found |= {"settings": SETTINGS_BITS, "clk": 1, "rst": 1}
    return found | ({SELECT: select} if select else {})


def top_module(text, width, source="the Verilog", select=0):
    """The name of the module in ``text`` that has the ports of a parser of ``width`` bytes.

    Raises ``ValueError``, naming what the likeliest module lacks, when there is none.
    """
    wanted = ports(width, select)
    best, least = "no module", [f"{name}: missing" for name in wanted]
    for module in re.finditer(r"^module\s+(\S+?)\s*\((.*?)^endmodule", text, re.M | re.S):
        found = {}
        for port in re.finditer(
            r"^\s*(?:input|output)\s+(?:\[(\d+):0\]\s+)?(\w+)\s*;", module[2], re.M
        ):
            found[port[2]] = int(port[1] or 0) + 1
        wrong = [
            f"{name}: {found.get(name, 'missing')}, expected {bits}"
            for name, bits in wanted.items()
            if found.get(name) != bits
        ]
        if not wrong:
            return module[1]
        if len(wrong) < len(least):
            best, least = f"module {module[1]}", wrong
    raise ValueError(
        f"{source} is no parser of width {width}: {best} has other ports (bits): {'; '.join(least)}"
    )


def shell(top, width, select=0):
    """Verilog of the module ``shell``: ``top`` behind registers for all its inputs.

    With it nothing depends on inputs but through a clock edge, so that Verilator works out the
    logic between inputs and registers once a cycle, not three times.
    """
    heads, registers, links = ["input clk"], [], [".clk(clk)"]
    for port, bits in ports(width, select).items():
        if port == "clk":
            continue
        name, shape = port.replace("__", "_"), f"[{bits - 1}:0]" if bits > 1 else ""
        if port in _OUTPUTS:
            heads.append(f"output {shape} {name}")
            links.append(f".{port}({name})")
        else:
            heads.append(f"input {shape} {name}")
            registers.append(f"reg {shape} {name}_now = 0;")
            registers.append(f"always @(posedge clk) {name}_now <= {name};")
            links.append(f".{port}({name}_now)")
    body = "\n".join(registers)
    return f"module shell({', '.join(heads)});\n{body}\n{top} dut({', '.join(links)});\nendmodule\n"


_OUTPUTS = {"i__ready"} | {
    f"{stream}__{part}" for stream in ("o", "header", "trailer") for part in ("payload", "valid")
}
