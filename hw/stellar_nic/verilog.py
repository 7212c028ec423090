"""Writes blocks as plain Verilog.

``python -m stellar_nic.verilog --out build/verilog --block parser --width 1 8`` writes one file for
each block and width, ``parser_w1.v`` and ``parser_w8.v``, whose top module has the file's name.
``parser`` has ports as Amaranth names them: ``i__payload``, ``i__valid``, ``i__ready``, …; a
payload is one vector, its first field in the least significant bits. ``parser_axi`` is the same
parser with the names of AXI4-Stream (docs/using-the-core.md). Beside them stands
``stellar_parser_fields.vh``, which says where in the records each field is.

Exit codes: 0 written, 2 wrong arguments (the message says what would be right).
"""

import argparse
import re
import sys
from pathlib import Path

from amaranth.back import verilog

from .axi import ParserAXI
from .parse import PARSER_WIDTHS, Parser
from .verilog_header import HEADER_NAME, fields_header

__all__ = ["BLOCKS", "export", "main", "write", "write_header"]

BLOCKS = {
    "parser": lambda width: Parser(width=width),
    "parser_axi": lambda width: ParserAXI(width=width),
}
"""Blocks that can be written: name → function of the width in bytes that makes the component."""


def export(component, name):
    """The Verilog text of ``component`` with ``name`` as top module.

    The text is the same for the same gateware and tools: it holds no path, date or order of
    hashing, so that it can be a key of a build cache.

    Parameters
    ----------
    component : :class:`amaranth.lib.wiring.Component`
        What is written; its signature's members become the ports, with ``clk`` and ``rst``.
    name : str
        Name of the top module, a Verilog identifier.

    Raises
    ------
    ValueError
        ``name`` is no plain Verilog identifier.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(
            f"module name {name!r} is no Verilog identifier: letters, digits and _, no digit first"
        )
    return verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)


def write(folder, block, width):
    """Writes ``block`` at ``width`` bytes per beat into ``folder``; returns the file's path.

    Raises ``ValueError`` for a block that is not in :data:`BLOCKS`, and for a width that the block
    does not take.
    """
    if block not in BLOCKS:
        raise ValueError(f"no block is called {block!r}; there are: {', '.join(sorted(BLOCKS))}")
    name = f"{block}_w{width}"
    return _write(folder, f"{name}.v", export(BLOCKS[block](width), name))


def write_header(folder):
    """Writes the header with the records' fields into ``folder``; returns the file's path."""
    return _write(folder, HEADER_NAME, fields_header())


def _write(folder, name, text):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def main(argv=None):
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stellar_nic.verilog", description="Write blocks as plain Verilog."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder; made if missing")
    parser.add_argument(
        "--block", nargs="+", default=sorted(BLOCKS), choices=sorted(BLOCKS), help="default: all"
    )
    parser.add_argument(
        "--width",
        nargs="+",
        type=int,
        default=PARSER_WIDTHS,
        help=f"bytes per beat; default: {' '.join(map(str, PARSER_WIDTHS))}",
    )
    arguments = parser.parse_args(argv)
    for block in arguments.block:
        for width in arguments.width:
            try:
                path = write(arguments.out, block, width)
            except (OSError, ValueError) as error:
                print(f"{parser.prog}: {block} at width {width}: {error}", file=sys.stderr)
                return 2
            print(path)
    print(write_header(arguments.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
