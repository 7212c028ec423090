"""Lint rules about imports that keep gateware and golden model independent witnesses.

Usage: ``python tools/fence.py [ROOT]``. Reads the source only; imports nothing of the project.

======== ======================================================================================
rule     what it asks
======== ======================================================================================
imports  a fenced package imports the standard library and the packages listed for it, no others
apart    a gateware module does not import the golden model or the benches
dynamic  a fenced package does not import by name at run time, where no reader can follow
future   no ``from __future__ import annotations`` under hw/: Amaranth reads annotations as values
scapy    scapy (GPL) is imported by tests and by one optional layer, which only tests import
all      a module that defines or imports a name declares ``__all__``
syntax   every module can be parsed
======== ======================================================================================

The rule ``imports`` is a list of what is allowed, so it also holds for indirect imports: every
package on a list is the standard library, numpy, or fenced itself.

Exit code: 0 clean, 1 findings (one a line on standard output), 2 no such tree.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ALLOWED", "APART", "Finding", "check", "main"]

SOURCE_ROOTS = ("hw", "sim", "boards", "host", "tools")
ALLOWED = {
    "hw/stellar_spec": {"stellar_spec"},
    "sim/stellar_model": {"stellar_model", "stellar_spec", "numpy"},
    "sim/stellar_hostile": {"stellar_hostile", "stellar_model", "stellar_spec"},
}
APART = {"hw/stellar_nic": {"stellar_model", "stellar_bench"}}
SCAPY_LAYER = "host/stellar_wire/scapy_layer.py"
DYNAMIC_MODULES = {"importlib", "imp", "pkgutil", "runpy"}
DYNAMIC_NAMES = {"__import__", "exec", "eval"}


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule: ``path`` relative to the tree, ``line`` from 1."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def check(root: Path) -> list[Finding]:
    """All findings of the tree at ``root``, sorted.

    Raises FileNotFoundError when a fenced folder is missing or empty: no fence may guard nothing.
    """
    for folder in (*ALLOWED, *APART):
        if not any((root / folder).rglob("*.py")):
            raise FileNotFoundError(f"{root / folder} holds no Python module to guard")
    findings = []
    for source in SOURCE_ROOTS:
        for path in sorted((root / source).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            findings += [Finding(name, *rest) for rest in _module(name, path.read_bytes())]
    return sorted(findings)


def _module(name: str, source: bytes) -> Iterator[tuple[int, str, str]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        yield getattr(error, "lineno", None) or 1, "syntax", f"cannot be parsed: {error}"
        return
    for line, module in _imports(tree):
        yield from _judge_import(name, line, module)
    yield from _scapy_layer(tree)
    yield from _dynamic(name, tree)
    yield from _future(name, tree)
    yield from _all(name, tree)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, module) of every absolute import; a relative one cannot leave its own package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module


def _judge_import(name: str, line: int, module: str) -> Iterator[tuple[int, str, str]]:
    top = module.partition(".")[0]
    if top == "scapy" and name != SCAPY_LAYER:
        yield line, "scapy", f"imports {module}; scapy is for tests/ and {SCAPY_LAYER} only"
    for folder, allowed in ALLOWED.items():
        if _inside(name, folder) and top not in allowed | sys.stdlib_module_names:
            wanted = ", ".join(sorted(allowed))
            yield line, "imports", f"imports {module}; allowed here: standard library, {wanted}"
    for folder, apart in APART.items():
        if _inside(name, folder) and top in apart:
            yield line, "apart", f"imports {module}; gateware and its judges must not share code"


def _scapy_layer(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Imports of the layer, absolute or relative: with it comes scapy."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            words = [word for alias in node.names for word in alias.name.split(".")]
            words += (getattr(node, "module", None) or "").split(".")
            if Path(SCAPY_LAYER).stem in words:
                yield node.lineno, "scapy", f"imports {SCAPY_LAYER}; it is for tests/ and users"


def _dynamic(name: str, tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    if not any(_inside(name, folder) for folder in ALLOWED):
        return
    for line, module in _imports(tree):
        if module.partition(".")[0] in DYNAMIC_MODULES:
            yield line, "dynamic", f"imports {module}; write a plain import statement instead"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in DYNAMIC_NAMES:
            yield node.lineno, "dynamic", f"uses {node.id}; write a plain import or call instead"


def _future(name: str, tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    if not _inside(name, "hw"):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            if any(alias.name == "annotations" for alias in node.names):
                yield node.lineno, "future", "Amaranth needs annotations as values, not as text"


def _all(name: str, tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    if name.endswith("/__main__.py"):  # a program, imported by nobody
        return
    body = [node for node in tree.body if not _is_docstring(node)]
    if body and not any("__all__" in _targets(node) for node in body):
        yield 1, "all", "declares no __all__; list the public names ([] if there are none)"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _targets(node: ast.stmt) -> set[str]:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _inside(name: str, folder: str) -> bool:
    return name.startswith(folder + "/")


def main(arguments: list[str]) -> int:
    """Print the findings of the tree named by the first argument (default: this project)."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    try:
        findings = check(root)
    except FileNotFoundError as error:
        print(f"fence: {error}", file=sys.stderr)
        return 2
    for finding in findings:
        print(finding)
    print(f"fence: {len(findings)} finding(s)" if findings else "fence: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
