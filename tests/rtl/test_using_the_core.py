"""docs/using-the-core.md: its designs are taken from the page, built with the core, and run."""

import re
import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from stellar_bench import verilate
from stellar_bench.frames import SETTINGS_SETS, random_frames
from stellar_model import Settings, parse
from stellar_nic.verilog import BLOCKS, export
from stellar_nic.verilog_header import HEADER_NAME, fields_header
from stellar_spec.codes import Layer, Verdict
from stellar_spec.records import SETTINGS

PAGE = (Path(__file__).resolve().parents[2] / "docs/using-the-core.md").read_text(encoding="utf-8")
HARNESS = Path(__file__).with_name("counter_main.cpp").read_text(encoding="utf-8")
QUICK = " ".join(f"OPT_{kind}=-O0" for kind in ("FAST", "SLOW", "GLOBAL"))


def block(language):
    """The page's one block of ``language``."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    return found


def core(width):
    """The files of the core, by name; with the first Verilator finds fault in the snippets only."""
    name = f"parser_axi_w{width}"
    return {
        "core.vlt": f'`verilator_config\nlint_off -file "*{name}.v"\n',
        f"{name}.v": export(BLOCKS["parser_axi"](width), name),
        HEADER_NAME: fields_header(),
    }


def write(folder, files):
    """Writes ``files``; returns the names of those that are sources by themselves."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [name for name in files if name != HEADER_NAME]


def complaints(folder, top, sources):
    """What Verilator finds wrong, but for operands of other widths, as Migen writes them."""
    command = ["verilator_bin", "--lint-only", "--top-module", top, "--timescale", "1ns/1ps"]
    done = subprocess.run(
        [*command, "-Wno-fatal", *sources],
        cwd=folder,
        env=verilate.verilator_env(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("%")]
    return [line for line in lines if not re.match(r"%Warning-WIDTHEXPAND: .*: Operator ", line)]


@pytest.fixture(scope="module")
def counter():
    """The program that simulates the page's Verilog; any warning of Verilator stops its build."""
    files = {**core(8), "top.v": block("verilog"), "main.cpp": HARNESS}

    def build(folder):
        command = ["verilator_bin", "--cc", "--exe", "--build", "--top-module", "verdict_counter"]
        command += ["--output-split", "0", "-MAKEFLAGS", QUICK, *write(folder, files)]
        verilate.run(command, folder, verilate.verilator_env())

    key = verilate.content_key(*files.values(), QUICK, *verilate.tool_versions())
    return verilate.cached("using-the-core", key, build) / "obj_dir" / "Vverdict_counter"


def test_the_verilog_counts_what_the_model_says(counter, seed):
    rng = Random(f"{seed}/using-the-core")
    frames = [(one.data, one.error) for one in random_frames(rng, 400, settings="default")]
    assert SETTINGS_SETS["default"] == Settings()
    lines = [f"{data.hex()} {int(error)}" for data, error in frames]
    done = subprocess.run(
        [counter], input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True
    )
    *out, counters = done.stdout.splitlines()
    assert out == lines
    parsed = [parse(data, error=error) for data, error in frames]
    verdicts = Counter(Verdict(one.trailer["verdict"]) for one in parsed)
    flows = [
        one.header["stellar"]["flow"]
        for one in parsed
        if one.header["state"]["layers"] & Layer.STELLAR
    ]
    wanted = [verdicts[verdict] for verdict in (Verdict.HOST, Verdict.STELLAR, Verdict.DROP)]
    assert all(wanted)
    assert counters.split() == [str(number) for number in (*wanted, flows[-1])]


@pytest.fixture(scope="module")
def page():
    """The names that the page's Python defines."""
    names = {"__name__": "page"}
    exec(compile(block("python"), "docs/using-the-core.md", "exec"), names)
    return names


def test_the_litex_design_fits_the_core(page, tmp_path):
    """LiteX makes Verilog of it, in which Verilator finds nothing wrong."""
    from litex.build.lattice import LatticePlatform
    from migen import ClockDomain

    sources = [*write(tmp_path, core(4)), "litex.v"]
    platform = LatticePlatform("LFE5U-45F-6BG381C", [], toolchain="trellis")
    top = page["ParsedFrames"](platform, data_width=32, folder=str(tmp_path))
    assert [Path(source[0]).name for source in platform.sources] == ["parser_axi_w4.v"]
    top.clock_domains += ClockDomain("sys")
    endpoints = (top.sink, top.source, top.header, top.trailer)
    ios = {signal for endpoint in endpoints for signal in endpoint.flatten()}
    (tmp_path / "litex.v").write_text(str(platform.get_verilog(top, ios=ios, name="litex_top")))
    text = (tmp_path / "litex.v").read_text()
    assert re.search(r"^parser_axi_w4\s+parser_axi_w4\s*\(", text, re.M), text
    assert not complaints(tmp_path, "litex_top", sources)
    # A port of another name or width would have been found.
    for old, new in (
        (".s_axis_tkeep", ".s_axis_tkip"),
        ("[52:0] stellarparser_sink_param_user", "[51:0] stellarparser_sink_param_user"),
    ):
        assert old in text
        (tmp_path / "litex.v").write_text(text.replace(old, new))
        assert complaints(tmp_path, "litex_top", sources), f"{old} became {new}"


def test_litex_settings_are_those_of_the_core(page):
    from litex.build.lattice import LatticePlatform

    parser = page["StellarParser"](LatticePlatform("LFE5U-45F-6BG381C", [], toolchain="trellis"))
    for setting in SETTINGS:
        signal = getattr(parser, setting.name)
        assert (len(signal), signal.reset.value) == (setting.width, setting.reset), setting.name


@pytest.mark.parametrize("width", [1, 4])
def test_from_liteeth(page, width):
    """Every last_be, with and without last, as bits of TKEEP; errors count with last only."""
    from migen import run_simulation

    dut = page["FromLiteEth"](8 * width)
    seen = {}

    def bench():
        yield dut.sink.valid.eq(1)
        for last in (0, 1):
            for lane in range(-1, width):
                for error in (0, 1 << width - 1):
                    yield dut.sink.last.eq(last)
                    yield dut.sink.last_be.eq(1 << lane if lane >= 0 else 0)
                    yield dut.sink.error.eq(error)
                    yield
                    key = (last, lane, bool(error))
                    seen[key] = ((yield dut.source.keep), (yield dut.source.user))
                    assert (yield dut.source.valid) and (yield dut.source.last) == last

    run_simulation(dut, bench())
    assert len(seen) == 4 * (width + 1)
    for (last, lane, error), (keep, user) in seen.items():
        whole = not last or lane < 0
        assert keep == (1 << (width if whole else lane + 1)) - 1
        assert user == (last and error)
