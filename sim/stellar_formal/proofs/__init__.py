"""All proofs.  A new block adds a module with a tuple ``PROOFS``, and its name here."""

from ..proof import Proof
from . import (
    contract,
    crc,
    flow_counters,
    flow_lookup,
    order,
    packet_fifo,
    parser,
    paths,
    sums,
    width,
)

__all__ = ["PROOFS", "select"]

_MODULES = (
    *(contract, paths, order, packet_fifo, width, sums, crc, parser),
    *(flow_counters, flow_lookup),
)

PROOFS: tuple[Proof, ...] = tuple(proof for module in _MODULES for proof in module.PROOFS)
"""Every proof that ``make formal`` runs, in this order."""


def select(text: str | None) -> tuple[Proof, ...]:
    """The proofs with ``text`` in their names; all for None.

    Raises ``ValueError`` if there is none.
    """
    chosen = tuple(proof for proof in PROOFS if not text or text in proof.name)
    if not chosen:
        names = ", ".join(proof.name for proof in PROOFS)
        raise ValueError(f"no proof has {text!r} in its name; there are: {names}")
    return chosen
