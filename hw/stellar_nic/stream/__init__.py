"""The packet stream, its checkers and its primitives. The contract is in docs/streams.md."""

from .contract import PacketChecker, StreamChecker, StreamRule, checker_of
from .fifo import StreamFIFO
from .forward import ForwardRegister
from .packet import PacketLayout, PacketSignature
from .packet_fifo import PacketFIFO
from .slice import RegisterSlice
from .width import WidthConverter

__all__ = [
    "ForwardRegister",
    "PacketChecker",
    "PacketFIFO",
    "PacketLayout",
    "PacketSignature",
    "RegisterSlice",
    "StreamChecker",
    "StreamFIFO",
    "StreamRule",
    "WidthConverter",
    "checker_of",
]
