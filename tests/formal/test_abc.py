"""The verdict of ABC is told only where ABC gave one."""

import pytest

from stellar_formal.abc import script, verdict

PDR = "read_aiger design.aig; fold; strash; pdr -v -l; write_cex -a trace.aiw"
BMC = "read_aiger design.aig; fold; strash; bmc3 -F 12 -v; write_cex -a trace.aiw"


def test_the_verdict_is_written_right_behind_the_engine():
    lines = script(PDR)
    assert lines[3:5] == ["pdr -v -l", "write_status abc_status.txt"]
    assert lines[5:] == ["write_cex -a trace.aiw"]


@pytest.mark.parametrize(
    ("commands", "status", "told"),
    [
        (PDR, "snl_UNSAT 15 unknown\nNULL\n", "Property proved."),
        (PDR, "snl_SAT 4 unknown", "Output 0 of miter design was asserted in frame 4."),
        (PDR, "snl_UNK 40 unknown", None),
        (PDR, "", None),
        (BMC, "snl_SAT 4 unknown", "Output 0 of miter design was asserted in frame 4."),
        (BMC, "snl_UNK 11 unknown", "No output asserted in 12 frames."),
        (BMC, "snl_UNK 10 unknown", None),
        (BMC, "snl_UNSAT -1 unknown", "No output asserted in 12 frames."),
    ],
)
def test_verdict(commands, status, told):
    assert verdict(commands, status) == told
