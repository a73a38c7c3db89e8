"""Find every check of the product, and make the code without it: the mutants of the sweep.

A check is code that refuses something, and the mutation deletes it. There are seven kinds, each
named in its key. The last one replaces instead of deleting:

  if        ``if CONDITION:`` whose body ends with ``raise``, ``continue`` or a refusing ``return``
            is removed; what follows an ``else`` stays
  without   one operand of an ``and`` or ``or``, or one half of ``a < b < c``: in the condition of
            such an ``if``, or in what a function annotated ``-> bool`` returns
  call      a statement that calls a guard: a function that returns nothing, changes nothing and
            can raise, or one whose name begins with check, verify, require, refuse
  handler   an ``except`` that turns one error into another, or into a refusing ``return``
  caught    one of several errors that such an ``except`` names
  raise     any other ``raise``: after a loop, in an ``else``, under ``case _``
  code      the stable code of a refusal: what is given for a parameter named ``code``, assigned to
            a variable of that name, or is that attribute of a class

A refusing ``return`` returns nothing, None, False, or a value built by one of REFUSALS. Not
mutated: what a conditional expression or a table chooses, or a comprehension that isn't a
condition; any other constant, operator or bound; and codes that come from a table (of errno, say).

A key names the file, function, kind and text, but no line, so that it lasts as long as its check.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.syntax import nodes_of

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("protocol", "ginpeer", "cli")
# Generated code, and advice, which refuses nothing.
NOT_MUTATED = ("protocol/wire/", "ginpeer/adviser/")
REFUSALS = {"Close", "Closed", "JoinError", "Verdict", "_refused"}
GUARD_NAMES = ("check", "verify", "require", "refuse")
OTHER_CODE = "another-code"
TEXT_WIDTH = 160  # of a key's text; the rest of a long condition adds nothing


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """One check that can be deleted."""

    key: str
    path: str
    """The path from the root of the project, with slashes."""
    kind: str
    node: ast.AST
    """The check in the tree that was searched."""
    index: int = 0
    """Which operand, handler or error of the node; 1 for a call that refuses without raising."""


@cache
def sources(root: Path = ROOT) -> tuple[str, ...]:
    """Return the modules whose checks are deleted."""
    found = (
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    )
    return tuple(path for path in found if not path.startswith(NOT_MUTATED))


@dataclass(frozen=True, slots=True)
class Known:
    """Facts about the whole product that are needed to find the checks of one module."""

    guards: frozenset[str]
    """The functions that do nothing except raise an error if a check fails."""
    code_at: dict[str, int]
    """The position of the parameter ``code``, for the functions and classes that have one."""


def mutants_of(path: str, tree: ast.Module, known: Known) -> list[Mutant]:
    """Return the checks of one module, in the order of its text."""
    counted: Counter[str] = Counter()
    found = []
    for where, kind, text, node, index in _checks(tree, "", False, known):
        key = f"{path}:{where}: {kind} {_short(text)}"
        counted[key] += 1
        if counted[key] > 1:
            key = f"{key} #{counted[key]}"
        found.append(Mutant(key, path, kind, node, index))
    return found


def all_mutants(root: Path = ROOT) -> list[Mutant]:
    """Return the checks of every module."""
    known = known_of(root)
    return [
        mutant for path in sources(root) for mutant in mutants_of(path, parsed(root, path), known)
    ]


def parsed(root: Path, path: str) -> ast.Module:
    return ast.parse((root / path).read_text(encoding="utf-8"), path)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_WIDTH else line[: TEXT_WIDTH - 3] + "..."


# --- what counts as a check ------------------------------------------------------------

_Check = tuple[str, str, str, ast.AST, int]


def _checks(node: ast.AST, where: str, judges: bool, known: Known) -> Iterator[_Check]:
    """Yield (function, kind, text, node, index). *judges*: whether the function returns a bool."""
    for child in ast.iter_child_nodes(node):
        inside, inner_judges = where, judges
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{where}.{child.name}" if where else child.name
            returns = getattr(child, "returns", None)
            inner_judges = returns is not None and ast.unparse(returns) == "bool"
        yield from _checks_at(child, where, judges, known, node)
        yield from _checks(child, inside, inner_judges, known)


def _checks_at(
    node: ast.AST, where: str, judges: bool, known: Known, parent: ast.AST
) -> Iterator[_Check]:
    place = where or "module"
    for constant in _codes(node, parent, known):
        yield place, "code", str(constant.value), constant, 0
    if isinstance(node, ast.If) and _refuses(node.body[-1]):
        yield place, "if", ast.unparse(node.test), node, 0
        yield from _operands(node.test, place)
    elif isinstance(node, ast.Return) and judges and node.value is not None:
        yield from _operands(node.value, place)
    elif isinstance(node, ast.Expr) and _is_guard_call(node.value, known.guards):
        by_itself = _name_of(node.value).lstrip("_").startswith("refuse")  # it need not raise
        yield place, "call", ast.unparse(node.value), node, int(by_itself)
    elif isinstance(node, ast.Try):
        yield from _handlers(node, place)
    elif isinstance(node, ast.Raise) and not _is_part_of_a_check(node, parent):
        yield place, "raise", ast.unparse(node), node, 0


def _codes(node: ast.AST, parent: ast.AST, known: Known) -> Iterator[ast.Constant]:
    """Yield the stable codes that a call or an assignment gives."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call) and _name_of(node) in known.code_at:
        place = known.code_at[_name_of(node)]
        given = [*node.args[place : place + 1]]
        given += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        if isinstance(node.value, ast.Tuple):
            pairs = zip(node.targets[0].elts, node.value.elts, strict=True)
            given = [value for target, value in pairs if ast.unparse(target) == "code"]
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("code", "self.code"):
        given = [node.value]
    for value in given:
        for part in ast.walk(value) if isinstance(value, ast.IfExp) else (value,):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value:
                yield part


def _refuses(last: ast.stmt) -> bool:
    if isinstance(last, ast.Raise | ast.Continue):
        return True
    if not isinstance(last, ast.Return):
        return False
    value = last.value
    if value is None:
        return True
    if isinstance(value, ast.Constant):
        return value.value is None or value.value is False
    return isinstance(value, ast.Call) and _name_of(value) in REFUSALS


def _operands(condition: ast.expr, place: str) -> Iterator[_Check]:
    for node in ast.walk(condition):
        if isinstance(node, ast.BoolOp):
            parts: list[ast.expr] = node.values
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            parts = _halves(node)
        else:
            continue
        for index, part in enumerate(parts):
            text = f"({ast.unparse(part)}) of ({ast.unparse(node)})"
            yield place, "without", text, node, index


def _halves(chain: ast.Compare) -> list[ast.expr]:
    """Return ``a < b < c`` as ``a < b`` and ``b < c``."""
    sides = [chain.left, *chain.comparators]
    return [
        ast.Compare(left, [operator], [right])
        for left, operator, right in zip(sides, chain.ops, sides[1:], strict=False)
    ]


def _handlers(node: ast.Try, place: str) -> Iterator[_Check]:
    for index, handler in enumerate(node.handlers):
        last = handler.body[-1]
        again = isinstance(last, ast.Raise) and last.exc is None
        if again or not _refuses(last):
            continue
        caught = "everything" if handler.type is None else ast.unparse(handler.type)
        tried = ast.unparse(node.body[0]).split("\n")[0]
        yield place, "handler", f"{caught} around {tried}", node, index
        if isinstance(handler.type, ast.Tuple):
            for number, error in enumerate(handler.type.elts):
                text = f"{ast.unparse(error)} of {caught} around {tried}"
                yield place, "caught", text, handler, number


def _is_part_of_a_check(node: ast.Raise, parent: ast.AST) -> bool:
    """Return whether this raise ends the body of an if or of an except, and so goes with that."""
    if isinstance(parent, ast.ExceptHandler):
        return True
    return isinstance(parent, ast.If) and parent.body[-1] is node


def _name_of(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_guard_call(value: ast.expr, guards: frozenset[str]) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = _name_of(value)
    return name in guards or name.lstrip("_").startswith(GUARD_NAMES)


@cache
def known_of(root: Path = ROOT) -> Known:
    """Collect the facts in Known from the source of the product."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    code_at: dict[str, int] = {}
    without_init: list[ast.ClassDef] = []
    for path in sources(root):
        for node in nodes_of(path) if root == ROOT else ast.walk(parsed(root, path)):
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(node)
            names = _parameters(node)
            if "code" in names and not names[0].startswith("__"):
                code_at[names[0]] = names.index("code") - 1
            if isinstance(node, ast.ClassDef) and not names:
                without_init.append(node)
    for node in without_init:  # they are built as their base classes are
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in code_at:
                code_at[node.name] = code_at[base.id]
    return Known(_guards_among(functions), code_at)


def _parameters(node: ast.AST) -> list[str]:
    """Return the names of a function or class and of its parameters; nothing for anything else."""
    if isinstance(node, ast.FunctionDef):
        return [node.name, *(each.arg for each in node.args.args if each.arg != "self")]
    if not isinstance(node, ast.ClassDef):
        return []
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return [node.name, *_parameters(each)[1:]]
    fields = [ast.unparse(each.target) for each in node.body if isinstance(each, ast.AnnAssign)]
    return [node.name, *fields] if fields else []


def _guards_among(functions: dict[str, list[ast.FunctionDef]]) -> frozenset[str]:
    guards: frozenset[str] = frozenset()
    while True:
        found = frozenset(
            name
            for name, bodies in functions.items()
            if not name.startswith("__") and all(_only_raises(body, guards) for body in bodies)
        )
        if found == guards:
            return guards
        guards = found


def _only_raises(function: ast.FunctionDef, guards: frozenset[str]) -> bool:
    raises = False
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            return False
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Delete | ast.Global | ast.Nonlocal):
            return False
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            return False
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if not _is_guard_call(node.value, guards):
                return False
            raises = True
        raises = raises or isinstance(node, ast.Raise)
    return raises


# --- the code without a check ------------------------------------------------------------


def without(tree: ast.Module, mutant: Mutant) -> ast.Module:
    """Return the tree without this check. Changes *tree*."""
    return ast.fix_missing_locations(_Without(mutant).visit(tree))


class _Without(ast.NodeTransformer):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        if node is not self.mutant.node:
            return self.generic_visit(node)
        replaced = _REPLACE[self.mutant.kind](node, self.mutant.index)
        if isinstance(replaced, list):
            for statement in replaced:
                ast.copy_location(statement, node) if not hasattr(statement, "lineno") else None
            return replaced
        return ast.copy_location(replaced, node)


def _without_operand(node: ast.AST, index: int) -> ast.expr:
    """Return the other operands, with this one kept unevaluated (see _else_or_nothing)."""
    if isinstance(node, ast.Compare):
        parts = _halves(node)
        operator: ast.boolop = ast.And()
    else:
        assert isinstance(node, ast.BoolOp)
        parts, operator = list(node.values), node.op
    removed = parts.pop(index)
    kept = parts[0] if len(parts) == 1 else ast.BoolOp(operator, parts)
    return ast.IfExp(ast.Constant(True), kept, removed)


def _without_handler(node: ast.AST, index: int) -> ast.AST | list[ast.stmt]:
    assert isinstance(node, ast.Try)
    handlers = [handler for number, handler in enumerate(node.handlers) if number != index]
    if handlers or node.finalbody:
        return ast.Try(node.body, handlers, node.orelse if handlers else [], node.finalbody)
    return [*node.body, *node.orelse]


def _without_error(node: ast.AST, index: int) -> ast.ExceptHandler:
    assert isinstance(node, ast.ExceptHandler)
    assert isinstance(node.type, ast.Tuple)
    errors = [error for number, error in enumerate(node.type.elts) if number != index]
    return ast.ExceptHandler(ast.Tuple(errors, ast.Load()), node.name, node.body)


def _else_or_nothing(node: ast.AST, index: int) -> list[ast.stmt]:
    """Return what follows an else. The check itself is kept where it is never reached: without its
    names, the code of a nested function wouldn't fit the function."""
    assert isinstance(node, ast.If)
    unreached = ast.If(ast.Constant(False), [ast.Expr(node.test), *node.body], [])
    return [unreached, *node.orelse]


def _without_call(node: ast.AST, index: int) -> ast.stmt:
    """Return nothing, or the bare name of super(): without its cell, the code wouldn't fit the
    method."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return ast.Expr(ast.Name("super", ast.Load())) if "super" in names else ast.Pass()


_REPLACE: dict[str, Callable[[ast.AST, int], ast.AST | list[ast.stmt]]] = {
    "if": _else_or_nothing,
    "without": _without_operand,
    "call": _without_call,
    "handler": _without_handler,
    "caught": _without_error,
    # In a place that is never reached, as by _else_or_nothing.
    "raise": lambda node, index: ast.If(ast.Constant(False), [node], []),
    "code": lambda node, index: ast.Constant(OTHER_CODE),
}


# --- the code that reports which checks have fired -------------------------------------------

FIRED = "_fired_"
"""In the instrumented code: ``_fired_(key)``, called where a check fires."""
WEIGHED = "_weighed_"
"""``_weighed_(key, value, decisive)`` returns *value*; it fires if bool(value) is *decisive*."""
SAID = "_said_"
"""``_said_(key, code)``: a class's code; its check fires when the code is read."""
CAUGHT = "_caught_"
"""``_caught_((key, ...), errors)``: the check whose error (one of *errors*) is handled fires."""


def telling(tree: ast.Module, mutants: list[Mutant]) -> ast.Module:
    """Return the tree with a call of one of these functions wherever deleting a check would make a
    difference.

    Deleting a check changes something only if the check fires: its condition is true, its operand
    decides, its call raises. A test that never gets there can't notice, so these calls say which
    tests concern a check. Changes *tree*.
    """
    by_node: dict[ast.AST, list[Mutant]] = {}
    for mutant in mutants:
        by_node.setdefault(mutant.node, []).append(mutant)
    return ast.fix_missing_locations(_Telling(by_node).visit(tree))


class _Telling(ast.NodeTransformer):
    def __init__(self, by_node: dict[ast.AST, list[Mutant]]) -> None:
        self.by_node = by_node

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        mutants = self.by_node.get(node, [])
        if isinstance(node, ast.ClassDef):
            self.class_codes(node)
        if isinstance(node, ast.Expr) and mutants:  # a guard's code fires where it refuses
            inside = [each for each in ast.walk(node.value) if each in self.by_node]
            mutants = [*mutants, *(each for part in inside for each in self.by_node.pop(part))]
        self.generic_visit(node)
        if not mutants:
            return node
        match node:
            case ast.If():
                node.body.insert(0, _fired(mutants[0].key, node))
            case ast.BoolOp():
                decisive = isinstance(node.op, ast.Or)
                for mutant in mutants:
                    value = node.values[mutant.index]
                    node.values[mutant.index] = _weighed(mutant.key, value, decisive)
            case ast.Compare():
                whole: ast.expr = node
                for mutant in mutants:
                    whole = _weighed(mutant.key, whole, False)
                return ast.copy_location(whole, node)
            case ast.Expr():
                keys = [mutant.key for mutant in mutants]
                if mutants[0].index:
                    return [*(_fired(key, node) for key in keys), node]
                return _around(node, keys)
            case ast.Try():
                for mutant in mutants:
                    handler = node.handlers[mutant.index]
                    handler.body.insert(0, _fired(mutant.key, handler))
            case ast.ExceptHandler():
                keys = ast.Tuple([ast.Constant(mutant.key) for mutant in mutants], ast.Load())
                assert node.type is not None
                node.body.insert(0, _statement(CAUGHT, [keys, node.type], node))
            case ast.Constant():
                return _weighed(mutants[0].key, node, True)
            case ast.Raise():
                return [_fired(mutants[0].key, node), node]
        return node

    def class_codes(self, node: ast.ClassDef) -> None:
        for each in node.body:
            if isinstance(each, ast.Assign) and each.value in self.by_node:
                key = ast.Constant(self.by_node.pop(each.value)[0].key)
                call = ast.Call(ast.Name(SAID, ast.Load()), [key, each.value], [])
                each.value = ast.copy_location(call, each.value)


def _statement(name: str, arguments: list[ast.expr], near: ast.AST) -> ast.Expr:
    call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
    return ast.copy_location(ast.Expr(call), near)


def _fired(key: str, near: ast.AST) -> ast.Expr:
    return _statement(FIRED, [ast.Constant(key)], near)


def _weighed(key: str, value: ast.expr, decisive: bool) -> ast.expr:
    arguments = [ast.Constant(key), value, ast.Constant(decisive)]
    return ast.copy_location(ast.Call(ast.Name(WEIGHED, ast.Load()), arguments, []), value)


def _around(node: ast.Expr, keys: list[str]) -> ast.Try:
    """Return the call in a try statement that reports these checks if the call raises."""
    told: list[ast.stmt] = [_fired(key, node) for key in keys]
    handler = ast.ExceptHandler(None, None, [*told, ast.Raise()])
    return ast.copy_location(ast.Try([node], [handler], [], []), node)
