"""The search for combinational paths sees them through any cell, and stops at registers."""

import json

import pytest

from stellar_formal.paths import Netlist, broken_rules
from stellar_formal.top import Top


def cell(kind, inputs, output):
    return {
        "type": kind,
        "port_directions": {"A": "input", "Y": "output"},
        "connections": {"A": inputs, "Y": [output]},
    }


def netlist(**cells):
    """Inputs ``o__ready`` (net 2), ``i__valid`` (3); outputs ``o__valid`` (10), ``i__ready`` (12),
    and ``o__payload`` (11), which comes from a register."""
    ports = {"o__ready": ("input", 2), "i__valid": ("input", 3)}
    ports |= {"o__valid": ("output", 10), "o__payload": ("output", 11), "i__ready": ("output", 12)}
    top = {
        "ports": {n: {"direction": d, "bits": [bit]} for n, (d, bit) in ports.items()},
        "cells": {"pay": cell("$_DFF_P_", [3], 11), **cells},
    }
    return Netlist(json.dumps({"modules": {"top": top}}))


def faults(found, registered=False):
    top = Top()
    top.streams = [("i", "in"), ("o", "out")]
    top.registered = registered
    return list(broken_rules(found, top))


def test_a_path_through_cells_of_any_kind_is_found():
    found = netlist(
        a=cell("$_NOT_", [2], 5), b=cell("$novel", [5, "1"], 10), c=cell("$_BUF_", [2], 12)
    )
    assert found.cone("o__valid") == ({"o__ready"}, 0)
    assert faults(found) == ["o__valid depends on o__ready in the same cycle"]
    assert faults(found, registered=True) == [
        "i__ready depends on o__ready in the same cycle",
        "o__valid depends on o__ready in the same cycle",
    ]


def test_a_register_ends_the_search():
    found = netlist(a=cell("$_SDFF_PP0_", [2], 10), c=cell("$_DFFE_PP_", [2], 12))
    assert found.cone("o__valid") == (set(), 1)
    assert faults(found, registered=True) == []


def test_ready_may_depend_on_inputs_of_the_same_cycle():
    found = netlist(a=cell("$_DFF_P_", [2], 10), c=cell("$_AND_", [2, 3], 12))
    assert faults(found) == []


def test_a_net_without_driver_or_a_port_that_is_not_there_is_an_error():
    found = netlist(a=cell("$_NOT_", [77], 10), c=cell("$_BUF_", [2], 12))
    with pytest.raises(LookupError, match="nothing drives net 77 behind port 'o__valid'"):
        faults(found)
    with pytest.raises(LookupError, match="no port 'nonsense'; there are: o__ready"):
        found.cone("nonsense")
