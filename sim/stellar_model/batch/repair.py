"""Makes sums right in many frames: for those who make frames, as ``stellar_model.build`` is."""

import numpy as np

from stellar_spec.codes import Flag, Layer, Protocol
from stellar_spec.headers import CHECK_SIZE, IPV4, UDP

from ..records import Settings
from .block import Block
from .parser import follow
from .sums import fold
from .verdict import addresses, checks, trailer
from .walk import Walk

__all__ = ["repair"]


def repair(
    data: bytearray, starts: np.ndarray, lengths: np.ndarray, settings: Settings, which: np.ndarray
) -> None:
    """Write right sums into those frames of a block (see ``Block``) that the mask ``which`` names.

    These are the IPv4 header's, then StellarTP's end-to-end check of what is a candidate with these
    settings, then UDP's where there is one, as far as docs/parser.md gets to them.
    """
    numbers = np.flatnonzero(which)
    starts, lengths = starts[numbers], lengths[numbers]

    walk = Walk(Block(data, starts, lengths), settings)
    follow(walk)
    rows = np.flatnonzero((walk.layers & Layer.IP != 0) & (walk.column["ip.version"] == 4))
    first = starts[rows] + walk.get("offsets.l3", rows)
    total = walk.block.sums(first, first + walk.get("ip.header_length", rows))
    _write(walk.block, first, IPV4, total)

    walk = Walk(Block(data, starts, lengths), settings)
    follow(walk)
    trailer(walk, np.zeros(len(starts), bool))
    wrong = np.flatnonzero(walk.flags & Flag.STELLAR_CHECK)
    places, right = checks(walk, wrong)
    columns = right.astype("<u4").view(np.uint8).reshape(-1, CHECK_SIZE)
    walk.block.bytes[places[:, None] + np.arange(CHECK_SIZE)] = columns

    unsummed = Flag.UDP_LENGTH | Flag.UNVERIFIED
    summed = (walk.layers & Layer.UDP != 0) & (walk.flags & unsummed == 0)
    rows = np.flatnonzero(summed & (walk.column["udp.checksum"] != 0))
    first, size = starts[rows] + walk.get("offsets.l4", rows), walk.get("udp.length", rows)
    block = Block(data, starts, lengths)  # for the checks are in the sums
    total = block.sums(*addresses(walk, rows)) + size + Protocol.UDP
    _write(block, first, UDP, total + block.sums(first, first + size), zero=0xFFFF)


def _write(block: Block, first, header, total, zero: int = 0) -> None:
    """Write the checksum of headers at ``first``, where ``total`` is the sum with the old one."""
    old = block.read(header, "checksum", first)
    value = ~fold(total - old) & 0xFFFF
    value[value == 0] = zero
    at = first + header.offset("checksum") // 8
    block.bytes[at], block.bytes[at + 1] = value >> 8, value & 0xFF
