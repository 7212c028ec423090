"""Writes blocks as plain Verilog.

``python -m stellar_nic.verilog --out build/verilog --block parser --width 1 8`` writes one file for
each block and width, ``parser_w1.v`` and ``parser_w8.v``, whose top module has the file's name.
``parser`` has ports as Amaranth names them: ``i__payload``, ``i__valid``, ``i__ready``, …; a
payload is one vector, its first field in the least significant bits. ``flow_table`` has the
number of its slots in its name, ``flow_table_s2048.v``, ``limiter`` that of its flows,
``limiter_f1024.v``. ``parser_axi`` is the same
parser with the names of AXI4-Stream (docs/using-the-core.md). Beside them stands
``stellar_parser_fields.vh``, which says where in the records each field is.

Exit codes: 0 written, 2 wrong arguments (the message says what would be right).
"""

import argparse
import re
import sys
from pathlib import Path

from amaranth.back import verilog

from .blocks import BLOCKS
from .verilog_header import HEADER_NAME, fields_header

__all__ = ["BLOCKS", "export", "main", "write", "write_header"]


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


def write(folder, block, size, technology="generic"):
    """Writes ``block`` at ``size``, in its unit, into ``folder``; returns the path.

    Raises ``ValueError`` for a block that is not in :data:`BLOCKS`, and for a size that the block
    does not take.
    """
    if block not in BLOCKS:
        raise ValueError(f"no block is called {block!r}; there are: {', '.join(sorted(BLOCKS))}")
    name = BLOCKS[block].named(block, size)
    return _write(folder, f"{name}.v", export(BLOCKS[block](size, technology), name))


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
        help="bytes per beat of the parser; default: 1 2 4 8",
    )
    parser.add_argument("--slots", nargs="+", type=int, help="of the flow table; default: 2048")
    parser.add_argument("--flows", nargs="+", type=int, help="of the limiter; default: 1024")
    parser.add_argument(
        "--technology",
        choices=("generic", "ecp5"),
        default="generic",
        help="ecp5: with the vendor's memory and multiplier cells; default: generic",
    )
    arguments = parser.parse_args(argv)
    for block in arguments.block:
        for size in _sizes(BLOCKS[block], arguments):
            try:
                path = write(arguments.out, block, size, arguments.technology)
            except (OSError, ValueError) as error:
                word = BLOCKS[block].word
                print(f"{parser.prog}: {block} at {word} {size}: {error}", file=sys.stderr)
                return 2
            print(path)
    print(write_header(arguments.out))
    return 0


def _sizes(block, arguments):
    return getattr(arguments, block.word) or block.sizes


if __name__ == "__main__":
    sys.exit(main())
