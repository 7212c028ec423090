"""Memories in exported Verilog: where they are, so that a shell can write into them."""

import re

__all__ = ["memory_path"]

NAME = r"(\\\S+|\w+)\s*"


def memory_path(text: str, top: str, width: int, depth: int) -> str | None:
    """The one memory of ``depth`` words of ``width`` bits below module ``top``, as seen from it.

    ``None`` where there is none, or more than one: such Verilog keeps its words in another way.
    """
    modules = {
        found[1]: found[2]
        for found in re.finditer(rf"^module\s+{NAME}\(.*?;(.*?)^endmodule", text, re.M | re.S)
    }
    found = list(_paths(modules, top, width, depth))
    return found[0] if len(found) == 1 else None


def _paths(modules, module, width, depth):
    body = modules[module]
    for memory in re.finditer(rf"^\s*reg \[{width - 1}:0\] {NAME}\[{depth - 1}:0\];", body, re.M):
        yield _escaped(memory[1])
    for of, name in re.findall(rf"^\s*{NAME}{NAME}\($", body, re.M):
        if of in modules:
            for path in _paths(modules, of, width, depth):
                yield f"{_escaped(name)}.{path}"


def _escaped(name):
    """As an escaped identifier, which ends at a blank: any name may be one."""
    return f"\\{name.removeprefix(chr(92))} "
