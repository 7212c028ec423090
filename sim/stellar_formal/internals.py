# amaranth: UnusedElaboratable=no
"""Signals inside a design by name, and damage to it."""

from collections.abc import Callable, Mapping

from amaranth.hdl import Fragment, Module, Signal

__all__ = ["Internals", "damage", "find"]


class Internals:
    """The signals that a module's statements name: ``s.full`` or ``s["full"]``.

    A submodule's port may have the same name as one of the module's own, which is in ``own``
    then and meant.  Raises ``LookupError`` for a name that no signal or more than one has.
    """

    def __init__(self, fragment: Fragment, own: Mapping[str, Signal] | None = None):
        self._own = dict(own or {})
        self._signals: dict[str, dict[int, Signal]] = {}
        for statements in fragment.statements.values():
            for statement in statements:
                for signal in (*statement._lhs_signals(), *statement._rhs_signals()):
                    self._signals.setdefault(signal.name, {})[id(signal)] = signal

    def __getitem__(self, name: str) -> Signal:
        if name in self._own:
            return self._own[name]
        found = list(self._signals.get(name, {}).values())
        if len(found) != 1:
            known = ", ".join(sorted(self._signals))
            raise LookupError(
                f"{len(found)} signals are called {name!r}, one is wanted; there are: {known}"
            )
        return found[0]

    def besides(self, *ports: Signal, name: str) -> Signal:
        """The signal ``name`` that is none of ``ports``, where a port's name is used again."""
        found = self._signals.get(name, {}).values()
        found = [signal for signal in found if all(signal is not port for port in ports)]
        if len(found) != 1:
            raise LookupError(f"{len(found)} signals besides ports are called {name!r}, not one")
        return found[0]

    def __getattr__(self, name: str) -> Signal:
        return self[name]


def find(fragment: Fragment, path: str) -> Fragment:
    """The module at ``path`` (names of submodules joined by dots; empty: itself).

    Raises ``LookupError`` for a path that leads nowhere.
    """
    for step in path.split(".") if path else []:
        inside = {name: child for child, name, _ in fragment.subfragments}
        if step not in inside:
            known = ", ".join(str(name) for name in inside) or "none"
            raise LookupError(f"no submodule {step!r} on the way to {path!r}; there are: {known}")
        fragment = inside[step]
    return fragment


def damage(fragment: Fragment, change: Callable[[Module, Internals], None], internals: Internals):
    """Appends to ``fragment`` the statements that ``change(m, internals)`` puts into ``m``."""
    m = Module()
    change(m, internals)
    extra = Fragment.get(m, None)
    if not extra.statements:
        raise ValueError("the damage has no statement")
    for domain, statements in extra.statements.items():
        fragment.add_statements(domain, statements)
