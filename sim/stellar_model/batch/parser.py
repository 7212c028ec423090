"""The golden model of the parser for many frames: steps 1 to 3 of docs/parser.md, the flow key."""

from collections.abc import Sequence

import numpy as np

from stellar_spec.codes import TPIDS, VLAN_LIMIT, EtherType, Flag, KeyKind, Layer
from stellar_spec.headers import ETHERNET, VLAN
from stellar_spec.records import INGRESS

from ..records import Settings
from .block import Block
from .columns import Columns, concatenate
from .network import ip
from .transport import ip_payload, stellar
from .verdict import trailer
from .walk import Walk

__all__ = ["parse"]

DEFAULT_SETTINGS = Settings()
BLOCK_FRAMES = 8192
BLOCK_BYTES = 1 << 22
"""What is worked on at a time: so much that numpy's calls do not count, and little memory."""
META_BITS = sum(field.width for field in INGRESS)


def parse(
    frames: Sequence[bytes],
    *,
    settings: Settings = DEFAULT_SETTINGS,
    metas: Sequence | None = None,
    errors: Sequence[bool] | None = None,
) -> Columns:
    """What ``stellar_model.parse`` says of each of ``frames``, as columns.

    Parameters
    ----------
    frames
        ``bytes``, any number of any length.
    settings
        The same for all.
    metas
        What the MAC says of each: an ``Ingress``, or that packed as an integer; 0 by default.
    errors
        ``error`` of each frame's last beat; none by default.

    Beside the result it holds about 30 times the bytes of a block: ``BLOCK_FRAMES`` frames or
    ``BLOCK_BYTES`` bytes and what goes over with the last frame.

    Raises ``ValueError`` for metas or errors that are not one for each frame, or are no such thing.
    """
    count = len(frames)
    packed = _metas(metas, count)
    failed = np.zeros(count, bool) if errors is None else np.asarray(errors, bool)
    if failed.shape != (count,):
        raise ValueError(f"errors has {len(failed)} entries for {count} frames; one each is needed")
    parts = []
    for part in _blocks(frames):
        walk = Walk(Block.of(frames[part]), settings)
        follow(walk)
        ingress(walk, packed[part])
        walk.put(slice(None), state_layers=walk.layers, state_candidate=walk.candidate)
        flow_key(walk)
        trailer(walk, failed[part])
        parts.append(Columns(walk.column, walk.header_end))
    return concatenate(parts)


def _metas(metas: Sequence | None, count: int) -> np.ndarray:
    if metas is None:
        return np.zeros(count, np.uint64)
    if len(metas) != count:
        raise ValueError(f"metas has {len(metas)} entries for {count} frames; one each is needed")
    numbers = [int(meta.pack() if hasattr(meta, "pack") else meta) for meta in metas]
    for at, number in enumerate(numbers):
        if not 0 <= number < 1 << META_BITS:
            raise ValueError(f"metas[{at}] is {number}; it must be 0 to 2^{META_BITS} - 1")
    return np.array(numbers, np.uint64)


def _blocks(frames: Sequence[bytes]) -> list[slice]:
    blocks, start, size = [], 0, 0
    for index, frame in enumerate(frames):
        size += len(frame)
        if size >= BLOCK_BYTES or index + 1 - start == BLOCK_FRAMES:
            blocks.append(slice(start, index + 1))
            start, size = index + 1, 0
    if start < len(frames):
        blocks.append(slice(start, len(frames)))
    return blocks


def follow(walk: Walk) -> None:
    """The walk of all frames."""
    rows = np.arange(len(walk.n))
    for step in (ethernet, vlan_tags, ethertype, ip, ip_payload, stellar):
        rows = step(walk, rows)


def ethernet(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """1. Ethernet."""
    rows = rows[walk.need(rows, ETHERNET.size, Flag.ETH_TRUNCATED)]
    walk.show(Layer.ETH, ETHERNET, rows, np.zeros(len(rows), np.int64), ETHERNET.size)
    return rows


def vlan_tags(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """2. VLAN tags."""
    ended = [rows[:0]]
    for count in range(VLAN_LIMIT):
        tpid = walk.get("eth.type", rows)
        tagged = np.isin(tpid, TPIDS)
        ended.append(rows[~tagged])
        rows, tpid = rows[tagged], tpid[tagged]
        at = walk.get("offsets.payload", rows)
        there = walk.need(rows, at + VLAN.size, Flag.ETH_TRUNCATED)
        rows, tpid, at = rows[there], tpid[there], at[there]
        for name in ("pcp", "dei", "vid"):
            walk.column[f"eth.vlan{count}_{name}"][rows] = walk.read(VLAN, name, rows, at)
        walk.column[f"eth.vlan{count}_tpid"][rows] = tpid
        number = walk.read(VLAN, "type", rows, at)
        walk.put(rows, eth_type=number, eth_vlan_count=count + 1, offsets_payload=at + VLAN.size)
    deep = np.isin(walk.get("eth.type", rows), TPIDS)
    walk.flags[rows[deep]] |= Flag.VLAN_DEPTH
    walk.stop(rows[deep], walk.get("offsets.payload", rows[deep]))
    return np.concatenate([*ended, rows[~deep]])


def ethertype(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """3. Type."""
    l3 = ETHERNET.size + VLAN.size * walk.get("eth.vlan_count", rows)
    walk.put(rows, offsets_l3=l3)
    on = np.isin(walk.get("eth.type", rows), (EtherType.IPV4, EtherType.IPV6))
    walk.stop(rows[~on], l3[~on])
    return rows[on]


def ingress(walk: Walk, packed: np.ndarray) -> None:
    """What the MAC says, as it came."""
    low = 0
    for field in INGRESS:
        walk.column[f"meta.{field.name}"][:] = packed >> low & (1 << field.width) - 1
        low += field.width


def flow_key(walk: Walk) -> None:
    """Flow key."""
    column, layers = walk.column, walk.layers
    rows = np.flatnonzero(layers & Layer.IP)
    four, ours = column["ip.version"][rows] == 4, layers[rows] & Layer.STELLAR != 0
    kinds = [KeyKind.IPV4_STELLAR, KeyKind.IPV6_STELLAR, KeyKind.IPV4_5TUPLE]
    kind = np.select([ours & four, ours, four], kinds, KeyKind.IPV6_5TUPLE)
    walk.put(rows, key_kind=kind)
    walk.put(rows[ours], key_flow=column["stellar.flow"][rows[ours]])
    rows = rows[~ours]
    walk.put(rows, key_protocol=column["ip.protocol"][rows])
    for name in ("sport", "dport"):
        # Of the two at most one is shown, and the other reads zero.
        column[f"key.{name}"][rows] = column[f"udp.{name}"][rows] | column[f"tcp.{name}"][rows]
