"""The parser in native simulation: a Verilated model and a small C++ harness, called by ctypes."""

from .engine import NativeParser, Records
from .faults import EngineError

__all__ = ["EngineError", "NativeParser", "Records"]
