"""Measure how much code there is, and how far it is spread, in the product and in its tests.

It counts, without the modules that protoc generates:

- lines: all of them; code lines: those with a token other than a comment or a docstring (any
  statement that is only a string counts as one);
- hooks: assignments `x.name = f`, where x is neither self nor cls, and either f is visibly callable
  (a lambda, a partial, a function or method that the same module defines) or some class declares
  `name: Callable[...]`;
- the widest constructor: parameters of an __init__ besides self; and that of a dataclass: the
  fields without a default;
- names used twice: classes with one name in several modules; modules with one name in several
  packages;
- modules that exactly one other module of the same part imports. An import of a package counts for
  its __init__, which isn't listed itself, and an import by an __init__ counts like any other.

Run by hand: `python -m tests.bench.size`, with --names for the names behind the counts.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
PARTS = {"product": ("protocol", "ginpeer", "cli"), "tests": ("tests",)}

_LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER, tokenize.ENCODING,
}  # fmt: skip


@dataclass
class Module:
    """One file."""

    name: str
    source: str
    tree: ast.Module = field(repr=False)

    @property
    def lines(self) -> int:
        return len(self.source.splitlines())

    def docstring_lines(self) -> set[int]:
        """Return the lines of statements that are only a string."""
        return {
            line
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }

    def code_lines(self) -> int:
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if token.type not in _LAYOUT:
                lines.update(range(token.start[0], token.end[0] + 1))
        return len(lines - self.docstring_lines())


def modules(part: str) -> dict[str, Module]:
    """Read every module of a part."""
    found = {}
    for package in PARTS[part]:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.stem.endswith("_pb2"):
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            source = path.read_text("utf-8")
            found[name] = Module(name, source, ast.parse(source))
    return found


# --- hooks and constructors -------------------------------------------------------------------


def callables(module: Module) -> set[str]:
    """Return the attributes that some class declares to be callable."""
    return {
        name.attr if isinstance(name, ast.Attribute) else name.id
        for node in ast.walk(module.tree)
        if isinstance(node, ast.AnnAssign) and "Callable" in ast.unparse(node.annotation)
        if isinstance(name := node.target, ast.Attribute | ast.Name)
    }


def hooks(module: Module, declared: set[str]) -> Iterator[str]:
    """Yield each callable that is assigned as an attribute of something other than self."""
    functions = {
        node.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Attribute) or ast.unparse(target.value) in _OURSELVES:
                continue
            if target.attr in declared or _callable(node.value, functions):
                yield f"{module.name}:{node.lineno} {ast.unparse(target)}"


_OURSELVES = ("self", "cls")


def _callable(value: ast.expr, functions: set[str]) -> bool:
    match value:
        case ast.Lambda():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in functions
        case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial")):
            return True
    return False


def constructors(module: Module) -> Iterator[tuple[int, str]]:
    """Yield how many arguments each class with an __init__ takes."""
    for node in _classes(module):
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                args = each.args
                taken = len(args.posonlyargs + args.args + args.kwonlyargs) - 1
                yield taken, f"{module.name}.{node.name}"


def dataclasses(module: Module) -> Iterator[tuple[int, str]]:
    """Yield how many fields each dataclass requires in its constructor."""
    for node in _classes(module):
        if any("dataclass" in ast.unparse(each) for each in node.decorator_list):
            fields = [
                each
                for each in node.body
                if isinstance(each, ast.AnnAssign)
                and each.value is None
                and "ClassVar" not in ast.unparse(each.annotation)
            ]
            yield len(fields), f"{module.name}.{node.name}"


def _classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))


# --- names and imports ------------------------------------------------------------------------


def shared_classes(found: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return the class names that several modules define, with those modules."""
    places: dict[str, set[str]] = defaultdict(set)
    for name, module in found.items():
        for node in _classes(module):
            places[node.name].add(name)
    return {name: sorted(where) for name, where in sorted(places.items()) if len(where) > 1}


def shared_modules(found: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return the last parts of names that several modules share."""
    places: dict[str, list[str]] = defaultdict(list)
    for name in found:
        last = name.rpartition(".")[2]
        if last not in ("__init__", "__main__"):
            places[last].append(name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def imported_once(found: Mapping[str, Module]) -> dict[str, str]:
    """Return the modules that exactly one other module imports, with that module."""
    importers: dict[str, set[str]] = defaultdict(set)
    for name, module in found.items():
        for imported in _imports(module, found):
            if imported != name:
                importers[imported].add(name)
    return {
        name: next(iter(where))
        for name, where in sorted(importers.items())
        if len(where) == 1 and not name.endswith("__init__")
    }


def _imports(module: Module, found: Mapping[str, Module]) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inside = [f"{node.module}.{each.name}" for each in node.names]
            names = [name for name in inside if name in found or f"{name}.__init__" in found]
            if len(names) < len(inside):
                names.append(node.module)
        else:
            continue
        for name in names:
            if name in found:
                yield name
            elif f"{name}.__init__" in found:
                yield f"{name}.__init__"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.size")
    parser.add_argument("--names", action="store_true", help="name what the counts stand for")
    names = parser.parse_args().names
    parts = {part: modules(part) for part in PARTS}
    rows: dict[str, list[str]] = defaultdict(list)
    behind: dict[str, list[str]] = {}
    for part, found in parts.items():
        each = found.values()
        widest = max(taken for module in each for taken in constructors(module))
        fields = max(taken for module in each for taken in dataclasses(module))
        declared = set[str]().union(*map(callables, each))
        hooked = [hook for module in each for hook in hooks(module, declared)]
        classes, files, once = shared_classes(found), shared_modules(found), imported_once(found)
        rows["lines"].append(f"{sum(module.lines for module in each):,}")
        rows["  of code"].append(f"{sum(module.code_lines() for module in each):,}")
        docstrings = sum(len(module.docstring_lines()) for module in each)
        rows["  of docstrings"].append(f"{docstrings:,}")
        rows["files"].append(f"{len(found)}")
        rows["  lines of the median file"].append(f"{median(m.lines for m in each):.0f}")
        rows["hooks"].append(f"{len(hooked)}")
        rows["widest constructor"].append(f"{widest[0]}")
        rows["fields of the widest dataclass"].append(f"{fields[0]}")
        rows["class names of several modules"].append(f"{len(classes)}")
        rows["module names of several modules"].append(f"{len(files)}")
        rows["modules that one other imports"].append(f"{len(once)}")
        behind[f"hooks, {part}"] = hooked
        behind[f"widest constructor, {part}"] = [widest[1], fields[1]]
        behind[f"class names, {part}"] = [f"{n}: {', '.join(w)}" for n, w in classes.items()]
        behind[f"module names, {part}"] = [f"{n}: {', '.join(w)}" for n, w in files.items()]
        behind[f"imported once, {part}"] = [f"{n} (by {by})" for n, by in once.items()]
    print(f"{'':<34}" + "".join(f"{part:>10}" for part in parts))
    for name, values in rows.items():
        print(f"{name:<34}" + "".join(f"{value:>10}" for value in values))
    for title, lines in behind.items() if names else ():
        print(f"\n{title}\n" + "\n".join(f"    {line}" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
