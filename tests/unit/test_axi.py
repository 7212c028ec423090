"""The AXI4-Stream ports: names and widths, and what becomes of every kind of ``tkeep``."""

import itertools

import pytest

from stellar_bench.amaranth_streams import StreamBench
from stellar_bench.axi.beats import DISTURBANCES, Beat, beats_of, disturb, understood, users_of
from stellar_bench.packets import Packet
from stellar_bench.parse.stimuli import Case
from stellar_model import Ingress, Settings
from stellar_nic import verilog
from stellar_nic.axi import AxiIngress, ParserAXI

WIDTHS = (1, 2, 4, 8)


def case_of(rng, data=b"\0"):
    meta = Ingress(port=rng.getrandbits(4), time=rng.getrandbits(48))
    return Case("frame", data, rng.random() < 0.3, Settings(), meta)


def payloads(case, beats, width, rng):
    """The beats as the input's payload: data, keep, last, user from the lowest bit up."""
    users = users_of(case, beats, rng)
    for index, (beat, user) in enumerate(zip(beats, users, strict=True)):
        last = index == len(beats) - 1
        yield (
            int.from_bytes(beat.lanes, "little")
            | beat.keep << 8 * width
            | last << 9 * width
            | user << 9 * width + 1
        )


def check(width, frames, rng, idle, stall):
    """Send frames given as cases and beats; what comes must be what the page says."""
    bench = StreamBench(AxiIngress(width=width), rng=rng, idle=idle, stall=stall)
    expected = 0
    for case, beats in frames:
        bench.sources["i"].send(*payloads(case, beats, width, rng))
        seen, _ = understood(case, beats, width)
        if seen is not None:
            bench.sinks["o"].expect(Packet(seen.frame, seen.error, case.meta.pack()))
            expected += 1
    bench.run()
    assert expected


@pytest.mark.parametrize(("width", "longest"), [(1, 5), (2, 3)])
def test_every_keep_of_short_frames(width, longest, rng):
    frames = [
        (case_of(rng), [Beat(rng.randbytes(width), keep) for keep in keeps])
        for length in range(1, longest + 1)
        for keeps in itertools.product(range(1 << width), repeat=length)
    ]
    rng.shuffle(frames)
    check(width, frames, rng, 0.2, 0.2)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.3, 0.3)])
def test_every_kind_of_disturbance(width, idle, stall, rng):
    frames = []
    for _ in range(8):
        for kind, (least, _) in DISTURBANCES.items():
            if width >= least:
                case = case_of(rng, rng.randbytes(rng.randint(1, 4 * width)))
                frames.append((case, disturb(kind, beats_of(case.frame, width), width, rng)))
    rng.shuffle(frames)
    check(width, frames, rng, idle, stall)


def beats(*pairs):
    return [Beat(bytes(lanes), keep) for lanes, keep in pairs]


@pytest.mark.parametrize(
    ("given", "frame", "bad"),
    [
        (beats(([1, 2], 3), ([3, 0], 1)), b"\1\2\3", False),
        (beats(([9, 9], 0), ([1, 2], 3), ([9, 9], 0), ([3, 4], 3)), b"\1\2\3\4", False),
        (beats(([9, 9], 0), ([9, 9], 0)), None, False),
        (beats(([9, 9], 0)), None, False),
        (beats(([1, 2], 1), ([3, 4], 3)), b"\1\2\3\4", True),
        (beats(([1, 2], 3), ([3, 4], 2)), b"\1\2\3\4", True),
        (beats(([1, 2], 3), ([3, 4], 0)), b"\1\2\3", True),
    ],
)
def test_what_the_benches_expect(given, frame, bad):
    """Hand-typed: the page's rules at two bytes a beat."""
    case = Case("frame", b"?", False, Settings(), Ingress())
    seen, is_bad = understood(case, given, 2)
    assert is_bad == bad
    assert (seen.frame, seen.error) == (frame, bad) if frame else seen is None


@pytest.mark.parametrize("width", WIDTHS)
def test_ports(width, unused):
    packet = {"tdata": 8 * width, "tkeep": width, "tvalid": 1, "tready": 1, "tlast": 1, "tuser": 53}
    ports = {
        **{f"{side}_axis_{name}": bits for side in "sm" for name, bits in packet.items()},
        **{f"m_axis_header_{name}": 1 for name in ("tvalid", "tready", "tlast")},
        **{f"m_axis_trailer_{name}": 1 for name in ("tvalid", "tready", "tlast")},
        "m_axis_header_tdata": 1192,
        "m_axis_trailer_tdata": 48,
        "cfg_stellar_port": 16,
        "cfg_filter": 1,
        "cfg_own_ipv4": 32,
        "cfg_own_ipv6": 128,
        "cfg_trim": 1,
        "cfg_trim_dscp": 6,
        "cfg_max_length": 17,
        "cfg_check_flag": 1,
        "status_bad_tkeep": 1,
    }
    inputs = {
        name
        for name in ports
        if name.startswith("cfg_") or name.startswith("s_axis_") ^ name.endswith("_tready")
    }
    dut = ParserAXI(width=width)
    assert (dut.width, dut.latency) == (width, 4)
    members = dut.signature.members
    assert {name: member.shape for name, member in members.items()} == ports
    assert {name for name, member in members.items() if member.flow.name == "In"} == inputs


def test_wrong_width(tmp_path, capsys, unused):
    arguments = ["--out", str(tmp_path), "--block", "parser_axi", "--width"]
    assert verilog.main([*arguments, "16"]) == 2
    shown = capsys.readouterr().err
    assert "parser_axi at width 16: width is 16; the parser takes 1, 2, 4 or 8 bytes" in shown
    with pytest.raises(SystemExit) as stopped:
        verilog.main([*arguments, "wide"])
    assert stopped.value.code == 2
    assert "argument --width: invalid int value: 'wide'" in capsys.readouterr().err
