"""What a lookup may have found while commands were carried out (docs/flow-table.md, "Lookups")."""

from dataclasses import dataclass, field

from stellar_spec.flow import FlowOp

__all__ = ["Change", "Looked", "Timeline"]


@dataclass(frozen=True)
class Change:
    """A command on a key: the cycles in which it was offered and answered, and what it left.

    ``state`` is action, flow and generation, or ``None``: the key is not present behind it.
    """

    op: int
    offered: int
    answered: int
    state: tuple[int, int, int] | None


@dataclass(frozen=True)
class Looked:
    """A lookup: the cycles of its request and of its result, and what it found."""

    key: int
    asked: int
    told: int
    found: tuple[int, int, int] | None


@dataclass
class Timeline:
    """The changes of every key, in order; nothing is present at first."""

    changes: dict[int, list[Change]] = field(default_factory=dict)

    def add(self, key: int, change: Change) -> None:
        """The next change of ``key``."""
        self.changes.setdefault(key, []).append(change)

    def add_to_all(self, change: Change) -> None:
        """A change of all keys, as ``CLEAR`` is."""
        for changes in self.changes.values():
            changes.append(change)

    def allowed(self, look: Looked) -> set:
        """All that the lookup may have found."""
        states = {None}
        for change in self.changes.get(look.key, ()):
            if look.told < change.offered:
                break
            # An insertion is sure for requests behind its answer; whatever takes away or changes,
            # for results behind it.
            moment = look.asked if change.op == FlowOp.INSERT else look.told
            states = {change.state} if change.answered < moment else states | {change.state}
        return states
