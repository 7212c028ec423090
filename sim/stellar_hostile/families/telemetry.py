"""INT: first words and stacks, well and badly formed."""

from collections.abc import Iterator
from itertools import product

from stellar_spec.headers import INT, INT_HOP
from stellar_spec.opcodes import INT_HOPS_MAX

from ..frame import Hostile, Kit
from ..pieces import EXTENSION_SETS, VERSIONS, extensions, on_ip, opcode_for, send

__all__ = ["int_first_word", "int_stack"]


def int_first_word(kit: Kit) -> Iterator[Hostile]:
    """Every pair of hops used and hops reserved (16 × 16: more used than reserved, more reserved
    than the 8 that may be), exceeded set and not; each of the 23 bits that must be zero, alone and
    together; with the stack that the word asks for, up to 8 hops.

    Source: this project's docs/wire-format.md, section 4 (INT)
    """
    for used, reserved, exceeded in product(range(16), range(16), (0, 1)):
        stack = kit.random(INT_HOP.size * min(reserved, INT_HOPS_MAX))
        fields = {"hops_used": used, "hops_reserved": reserved, "exceeded": exceeded}
        note = f"hops used {used}, reserved {reserved}"
        frame = kit.frame(on_ip(4 if exceeded else 6, send(int=fields, stack=stack)))
        yield kit.hostile((used, reserved, exceeded), frame, note)
    width = INT["zero"].width
    for name, zero in {**{bit: 1 << bit for bit in range(width)}, "all": (1 << width) - 1}.items():
        for version in VERSIONS:
            fields = {"hops_used": 1, "hops_reserved": 2, "zero": zero}
            frame = kit.frame(on_ip(version, send(int=fields, stack=kit.random(16))))
            note = f"zero bits {zero:#x}"
            yield kit.hostile(("zero", name, f"ipv{version}"), frame, note)


def int_stack(kit: Kit) -> Iterator[Hostile]:
    """Stacks that are empty, bytes or hops too short, right, and longer than reserved, for 0 to 15
    reserved hops; behind every set of the other extensions; with and without payload behind them.

    Source: this project's docs/wire-format.md, section 4 (INT)
    """
    for reserved in range(16):
        whole = INT_HOP.size * reserved
        sizes = {0, 1, 3, 4, 7, whole - 8, whole - 4, whole - 1, whole, whole + 1, whole + 8}
        for size, payload in product(sorted(size for size in sizes if size >= 0), (b"", b"load")):
            fields = {"hops_used": min(reserved, 8), "hops_reserved": reserved}
            packet = send(payload, int=fields, stack=kit.random(size))
            note = f"{reserved} hops reserved, {size} bytes of {whole}, payload {len(payload)}"
            frame = kit.frame(on_ip(4 if size % 2 else 6, packet))
            yield kit.hostile((reserved, size, len(payload)), frame, note)
    others = [names for names in EXTENSION_SETS if "INT" not in names]
    for version, names, missing in product(VERSIONS, others, (0, 1, 4, 8, 16)):
        fields = extensions(names) | {"int": {"hops_used": 1, "hops_reserved": 2}}
        packet = send(
            b"", opcode=opcode_for((*names, "INT")), stack=kit.random(16 - missing), **fields
        )
        chosen = "-".join(names).lower() or "none"
        note = f"INT behind {chosen}, stack lacks {missing} of 16 bytes"
        frame = kit.frame(on_ip(version, packet))
        yield kit.hostile(("behind", f"ipv{version}", chosen, missing), frame, note)
