"""The syntax trees of our modules, parsed once per process for all tests that use them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


@cache
def tree_of(name: str) -> ast.Module:
    """Return the syntax tree of a module, given its path from the root. Don't change it."""
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), name)


@cache
def nodes_of(name: str) -> tuple[ast.AST, ...]:
    """Return every node of a module's tree, in the order of `ast.walk`."""
    return tuple(ast.walk(tree_of(name)))


@cache
def modules_of(package: str) -> tuple[str, ...]:
    """Return the paths of a package's modules from the root, sorted."""
    found = sorted((ROOT / package).rglob("*.py"))
    return tuple(
        path.relative_to(ROOT).as_posix() for path in found if "node_modules" not in path.parts
    )
