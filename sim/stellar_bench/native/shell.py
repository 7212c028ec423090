"""The ports of exported Verilog, and the shell around them; for any design."""

import re
from collections.abc import Collection, Mapping

__all__ = ["find_module", "shell"]


def find_module(text: str, wanted: Mapping[str, int], what: str) -> str:
    """The name of the module in ``text`` that has the ports ``wanted``: name → bits.

    Raises ``ValueError`` that begins with ``what``, naming what the likeliest module lacks, when
    there is none.
    """
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
    raise ValueError(f"{what}: {best} has other ports (bits): {'; '.join(least)}")


def shell(
    top: str,
    ports: Mapping[str, int],
    outputs: Collection[str],
    *,
    beside: Mapping[str, int] | None = None,
    body: str = "",
) -> str:
    """Verilog of the module ``shell``: ``top`` behind registers for all its inputs.

    With it nothing depends on inputs but through a clock edge, so that Verilator works out the
    logic between inputs and registers once a cycle, not three times.

    ``body`` is Verilog that stands beside ``top``, the instance ``dut``; ``beside`` are the inputs
    of its own, name → bits, which it sees as ``NAME_now``.
    """
    beside = beside or {}
    heads, registers, links = ["input clk"], [], [".clk(clk)"]
    for port, bits in (ports | beside).items():
        if port == "clk":
            continue
        name, shape = port.replace("__", "_"), f"[{bits - 1}:0]" if bits > 1 else ""
        if port in outputs:
            heads.append(f"output {shape} {name}")
            links.append(f".{port}({name})")
        else:
            heads.append(f"input {shape} {name}")
            registers.append(f"reg {shape} {name}_now = 0;")
            registers.append(f"always @(posedge clk) {name}_now <= {name};")
            links += [f".{port}({name}_now)"] if port not in beside else []
    inside = "\n".join([*registers, f"{top} dut({', '.join(links)});", body])
    return f"module shell({', '.join(heads)});\n{inside}\nendmodule\n"
