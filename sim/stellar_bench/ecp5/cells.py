"""Verilog of the cells, pin by pin, as netlists have them, around the models of this folder.

A parameter that the models do not know stops the simulation with its name.

Sources of the models: which pin is which bit: yosys, ``techlibs/lattice/brams_map_16kd.v``;
registers, resets and enables: Lattice's own simulation models of the cells with the same pins in
older families, DP16KC and DP8KC, and yosys, ``brams_16kd.txt``. Nothing here is a copy of them.
"""

from pathlib import Path

__all__ = ["block_ram_text", "cells_text"]

HERE = Path(__file__).parent
INITIAL = tuple(f"INITVAL_{index:02X}" for index in range(64))
_RAM_BUSES = {"CS": 3, "AD": 14, "DI": 18}
RAM_CHOICES = {
    "REGMODE_A": ("NOREG", "OUTREG"),
    "REGMODE_B": ("NOREG", "OUTREG"),
    "RESETMODE": ("SYNC", "ASYNC"),  # ASYNC with RST at 0 only
    "ASYNC_RESET_RELEASE": ("SYNC", "ASYNC"),
    "CSDECODE_A": ("0b000",),
    "CSDECODE_B": ("0b000",),
    "CLKAMUX": ("CLKA",),
    "CLKBMUX": ("CLKB",),
    "WRITEMODE_A": ("NORMAL", "READBEFOREWRITE"),
    "WRITEMODE_B": ("NORMAL", "READBEFOREWRITE"),
    "GSR": ("DISABLED",),
}
"""Parameter → values that are modelled, the first the default."""

_STAGES = ("INPUTA", "INPUTB", "INPUTC", "PIPELINE", "OUTPUT")
MULTIPLIER_CHOICES = {
    **{f"REG_{stage}_CLK": ("NONE", "CLK0") for stage in _STAGES},
    **{f"REG_{stage}_CE": ("CE0",) for stage in _STAGES},
    **{f"REG_{stage}_RST": ("RST0",) for stage in _STAGES},
    "RESETMODE": ("SYNC",),
    "GSR": ("ENABLED", "DISABLED"),  # nothing here drives the global reset
    "SOURCEB_MODE": ("B_SHIFT",),
    "MULT_BYPASS": ("DISABLED",),
    "CAS_MATCH_REG": ("FALSE",),
    "HIGHSPEED_CLK": ("NONE",),
    **{f"CLK{index}_DIV": ("ENABLED",) for index in range(4)},
}


def block_ram_text() -> str:
    """The model of the block RAM, its pins as vectors: module ``block_ram``."""
    return _text("block_ram.v")


def cells_text() -> str:
    """The modules ``DP16KD``, ``MULT18X18D`` and ``CCU2C`` and what they need."""
    multiplier, carry = (_text(name) for name in ("multiplier.v", "carry.v"))
    return "\n".join([block_ram_text(), _block_ram_cell(), multiplier, _multiplier_cell(), carry])


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _block_ram_cell() -> str:
    scalars = [f"{name}{port}" for port in "AB" for name in ("CLK", "CE", "WE", "OCE", "RST")]
    inputs = {f"{name}{port}": width for port in "AB" for name, width in _RAM_BUSES.items()}
    outputs = {"DOA": 18, "DOB": 18}
    parameters = ["DATA_WIDTH_A = 18", "DATA_WIDTH_B = 18"]
    parameters += [f"[319:0] {name} = 0" for name in INITIAL]
    checks = [f"if ({name} != 0) {_stop(f'DP16KD: {name} is not 0')}" for name in INITIAL]
    asynchronous = 'always @(posedge CLKA) if (RESETMODE == "ASYNC" && (RSTA || RSTB)) '
    settings = {
        **{f"WIDTH_{port}": f"DATA_WIDTH_{port}" for port in "AB"},
        **{f"REGISTER_{port}": f'REGMODE_{port} == "OUTREG"' for port in "AB"},
        **{f"OLD_{port}": f'WRITEMODE_{port} == "READBEFOREWRITE"' for port in "AB"},
    }
    wires = {f"{name[:-1]}_{name[-1]}".lower(): name for name in scalars}
    for name, width in {**inputs, **outputs}.items():
        wires[f"{name[:-1]}_{name[-1]}".lower()] = _bus(name, width)
    pins = _pins(scalars, inputs, outputs)
    body = _instance("block_ram", settings, wires)
    body += f"\n    {asynchronous}{_stop('DP16KD: an asynchronous reset is not modelled')}"
    return _module("DP16KD", parameters, RAM_CHOICES, pins, checks, body)


def _multiplier_cell() -> str:
    scalars = [f"{name}{index}" for name in ("CLK", "CE", "RST") for index in range(4)]
    scalars += ["SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB"]
    inputs = {"A": 18, "B": 18, "C": 18}
    both = 'if (REG_INPUTA_CLK != REG_INPUTB_CLK || REG_INPUTC_CLK != "NONE") '
    checks = [both + _stop("MULT18X18D: input registers that are not modelled")]
    settings = {
        "INPUT": 'REG_INPUTA_CLK == "CLK0"',
        "INSIDE": 'REG_PIPELINE_CLK == "CLK0"',
        "OUTPUT": 'REG_OUTPUT_CLK == "CLK0"',
    }
    wires = {"clk": "CLK0", "ce": "CE0", "rst": "RST0", "signed_a": "SIGNEDA"}
    wires |= {"signed_b": "SIGNEDB", "a": _bus("A", 18), "b": _bus("B", 18), "p": _bus("P", 36)}
    body = _instance("multiplier", settings, wires)
    pins = _pins(scalars, inputs, {"P": 36})
    return _module("MULT18X18D", [], MULTIPLIER_CHOICES, pins, checks, body)


def _bus(name: str, width: int) -> str:
    return "{" + ", ".join(f"{name}{index}" for index in reversed(range(width))) + "}"


def _pins(scalars: list[str], inputs: dict[str, int], outputs: dict[str, int]) -> list[str]:
    """Declarations of single pins, and of buses pin by pin."""
    ins = [*scalars, *(f"{name}{n}" for name, width in inputs.items() for n in range(width))]
    outs = [f"{name}{n}" for name, width in outputs.items() for n in range(width)]
    return [*(f"input {name}" for name in ins), *(f"output {name}" for name in outs)]


def _instance(module: str, settings: dict[str, str], wires: dict[str, str]) -> str:
    parameters, ports = (
        ",\n        ".join(f".{name}({value})" for name, value in pairs.items())
        for pairs in (settings, wires)
    )
    return f"    {module} #(\n        {parameters}\n    ) model (\n        {ports}\n    );"


def _stop(message: str) -> str:
    return f'begin $display("{message}"); $stop; end'


def _module(
    name: str,
    parameters: list[str],
    choices: dict[str, tuple[str, ...]],
    pins: list[str],
    checks: list[str],
    body: str,
) -> str:
    for parameter, values in choices.items():
        wrong = " && ".join(f'{parameter} != "{value}"' for value in values)
        checks = [*checks, f"if ({wrong}) {_stop(f'{name}: {parameter} is not modelled')}"]
    parameters = [*parameters, *(f'{key} = "{values[0]}"' for key, values in choices.items())]
    declared = ",\n    ".join(f"parameter {parameter}" for parameter in parameters)
    ports, checked = ",\n    ".join(pins), "\n        ".join(checks)
    head = f"module {name} #(\n    {declared}\n) (\n    {ports}\n);"
    return f"{head}\n    initial begin\n        {checked}\n    end\n{body}\nendmodule\n"
