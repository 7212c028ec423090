"""The command line of ``stellar-analyzer``."""

import argparse
import shlex
import sys
from pathlib import Path

from stellar_model import Settings
from stellar_spec.headers import STELLAR_PORT

from ..capture import CaptureCut, CaptureError, write_pcap
from .engines import BothEngine, EngineMissing, ModelEngine, RtlEngine
from .run import Output, OutputError, analyze

__all__ = ["main"]

OK, DIFFERENT, BAD_INPUT, CUT, INTERRUPTED = 0, 1, 2, 3, 130

_EXIT = """\
exit codes:
  0    every frame was read and, with --engine both, the engines agree
  1    the engines differ, or the gateware broke a rule of its streams
  2    the command line, the capture or the output is not usable
  3    the capture ends inside a packet; all whole frames before were given
  130  interrupted (Ctrl-C)
"""

_EXAMPLES = """\
examples:
  stellar-analyzer parse -i capture.pcap
  stellar-analyzer parse -i capture.pcap --engine both --width 1
  stellar-analyzer parse -i capture.pcapng --json records.jsonl

"""


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no UDP port; give 1 to 65535")
    return int(text)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.verilog and options.engine == "model":
        parser.error("--verilog is for the gateware; it needs --engine rtl or --engine both")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="stellar-analyzer",
        description="Reads captures as a Stellar NIC would.",
        epilog="'stellar-analyzer parse --help' says more.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parse = commands.add_parser(
        "parse",
        help="what the packet parser says of each frame, as JSON lines",
        description="Puts every frame of a capture (pcap or pcapng, Ethernet) through the packet\n"
        "parser and prints one JSON object a line; docs/analyzer.md describes it.",
        epilog=_EXAMPLES + _EXIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parse.add_argument
    option("-i", "--input", required=True, type=Path, metavar="FILE", help="the capture")
    option(
        "--engine",
        choices=("model", "rtl", "both"),
        default="model",
        help="who parses: the golden model (default), the gateware under Verilator, or both,"
        " which compares every field and stops at the first difference",
    )
    option(
        "--width",
        type=int,
        choices=(1, 2, 4, 8),
        default=8,
        help="bytes a beat of the gateware (default 8)",
    )
    option(
        "--port",
        type=_port,
        default=STELLAR_PORT,
        metavar="N",
        help=f"UDP destination port of StellarTP (default {STELLAR_PORT})",
    )
    option("--json", default="-", metavar="OUT", help="file for the JSON lines (default: stdout)")
    option(
        "--verilog",
        type=Path,
        metavar="FILE",
        help="a parser as Verilog to simulate in place of the gateware's own (not with model)",
    )
    option(
        "--counterexample",
        type=Path,
        default=Path("stellar-counterexample.pcap"),
        metavar="FILE",
        help="where the frame goes in which the engines differ (default %(default)s)",
    )
    return parser


def _engine(options):
    settings = Settings(stellar_port=options.port)
    if options.engine == "model":
        return ModelEngine(settings)
    rtl = RtlEngine(settings, options.width, options.verilog)
    return rtl if options.engine == "rtl" else BothEngine(ModelEngine(settings), rtl)


def _say(message: str) -> None:
    print(f"stellar-analyzer: {message}", file=sys.stderr)


def _repeat(options) -> str:
    command = ["stellar-analyzer", "parse", "-i", str(options.counterexample)]
    command += ["--engine", options.engine, "--width", str(options.width)]
    command += ["--port", str(options.port)]
    command += ["--verilog", str(options.verilog)] if options.verilog else []
    return shlex.join(command)


def _is_capture(options) -> bool:
    """Whether the counterexample would go over the capture, as when one is repeated."""
    place = options.counterexample
    return place.exists() and place.samefile(options.input)


def _report(options, frame, error) -> None:
    """Says which frame and field, and keeps the frame for the next run."""
    _say(f"frame {frame.number}: {error}")
    try:
        if not _is_capture(options):
            write_pcap(options.counterexample, [frame])
    except (OSError, ValueError) as failed:
        _say(f"the frame can't be written to {str(options.counterexample)!r}: {failed}")
        return
    _say(f"the frame is in {str(options.counterexample)!r}; repeat with: {_repeat(options)}")


def main(arguments: list[str] | None = None, engine=None) -> int:
    """Runs the command; returns its exit code.  ``engine`` takes the place of the one asked for."""
    options = _options(arguments)
    kept = {
        "the capture itself": options.input,
        "the file of --verilog": options.verilog,
        "the file of --counterexample": options.counterexample,
    }
    try:
        options.input.stat()  # a name that is wrong is said before the gateware is built
        engine = engine or _engine(options)
        with Output(options.json, kept) as output:
            for frame, error in analyze(options.input, engine, output):
                _report(options, frame, error)
                return DIFFERENT
    except CaptureCut as error:
        _say(str(error))
        return CUT
    except (CaptureError, EngineMissing, OutputError) as error:
        _say(str(error))
        return BAD_INPUT
    except OSError as error:
        _say(f"{str(error.filename or options.input)!r} can't be read: {error.strerror or error}")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if hasattr(engine, "close"):
            engine.close()
    return OK
