"""The layers of the program: which package may import which, and which modules use files
(CONTRIBUTING.md).

The tests read the source with ast and import nothing. A failure names the module and what it must
not use.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.syntax import modules_of, nodes_of, tree_of

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "ginpeer", "cli")

COMMAND = "ginpeer/__main__.py"
"""The file for `python -m ginpeer`. It belongs to the top layer, but Python looks for it here."""

# From the top down. Each package may import those on its right.
FLOORS = {
    "cli": {"cli", "ginpeer", "protocol"},
    "ginpeer": {"ginpeer", "protocol"},
    "protocol": {"protocol"},
}
INSIDE = {
    "net": {"net", "seat", "referee", "rules", "names"},
    "tally": {"tally", "record", "store", "referee", "rules", "names"},
    "statistics": {"statistics", "analysis", "adviser", "record"}
    | {"store", "referee", "rules", "names"},
    "partnership": {"partnership", "tally", "seat", "referee", "rules", "names"},
    "analysis": {"analysis", "adviser", "record", "referee", "rules", "names"},
    "page": {"page", "store"},
    "match_store": {"match_store", "record", "store", "seat", "referee", "rules"},
    "record": {"record", "notation", "store", "referee", "rules", "names"},
    "notation": {"notation", "rules", "names"},
    "store": {"store", "seat", "referee", "rules", "names"},
    "seat": {"seat", "referee", "rules"},
    "referee": {"referee", "rules", "names"},
    "names": {"names"},
    "adviser": {"adviser", "rules"},
    "rules": {"rules"},
}

# Within cli, each folder may import only those below: a command starts a match, a match has a table
# with a person, and the table's output is put into words and shown on a terminal.
ROOMS = {
    "main": {"parser", "text", "terminal"},
    "parser": {"commands", "terminal"},
    "commands": {"commands", "match", "walk", "text", "terminal"},
    "match": {"match", "table", "text", "terminal"},
    "walk": {"walk", "table", "text", "terminal"},  # it needs table to read typed words
    "table": {"table", "text", "terminal"},
    "text": {"text"},
    "terminal": {"terminal"},
}
FOR_ALL_ROOMS = {"program"}  # how commands fail, and our own command name

# Only entries and frames use protobuf; only net uses Twisted (and cli, to install the reactor).
ONLY_IN = {
    "google": ("protocol/entry.py", "protocol/frames.py", "protocol/wire/"),
    "protocol.wire": ("protocol/entry.py", "protocol/frames.py", "protocol/wire/"),
    "twisted": ("ginpeer/net/", "cli/"),
    "zope": ("ginpeer/net/",),
    "OpenSSL": ("ginpeer/net/",),
    "service_identity": ("ginpeer/net/",),
    "rbcl": ("protocol/crypto/group_sodium.py",),
    "platformdirs": ("ginpeer/store/", "cli/"),
    "ifaddr": ("ginpeer/net/own_addresses.py",),
    "cryptography": ("protocol/crypto/identity.py", "ginpeer/net/", "ginpeer/store/"),
}

# Only the store uses files; cli reads the paths that a person names.
FILE_MODULES = {"pathlib", "shutil", "tempfile", "glob", "fileinput", "fcntl", "mmap", "io"}
FILE_FUNCTIONS = {"open", "exec", "eval", "compile", "__import__", "input"}
FILES_IN = {
    "ginpeer/store/": "it is the store",
    "cli/": "reads and writes what the command line names",
    "ginpeer/net/mapping/gateways.py": "reads the routing table on Linux, and whether ufw is on",
    "protocol/crypto/group_sodium.py": "libsodium's wrapper unpacks itself into a folder",
}
OS_ELSEWHERE = {
    "protocol/crypto/group.py": {"environ"},  # chooses the back-end, once, at its first use
    "ginpeer/net/not_reached.py": {"strerror"},  # the system's message for an error
}

# Randomness and time are arguments; only the top layer gets them from the system.
PASSED_IN = {"random", "secrets", "time", "uuid"}
SEEDED_IN = (
    "ginpeer/rules/hand.py",  # deals for trials, from a seed that is an argument
)
CLOCKS = {"now", "utcnow", "today"}  # methods of datetime, whose values are harmless


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Return the path from the root and the syntax tree of every module of ours."""
    return tuple((name, tree_of(name)) for package in PACKAGES for name in modules_of(package))


@cache
def imports(name: str) -> tuple[tuple[int, str], ...]:
    """Return (line, dotted name) of everything a module imports, anywhere in the module."""
    return tuple(_imports(name, nodes_of(name)))


def _imports(name: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno} is a relative import"
            yield node.lineno, node.module or ""
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def is_or_below(dotted: str, package: str) -> bool:
    return dotted == package or dotted.startswith(package + ".")


def allowed(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(place) for place in places)


def part_of(name: str) -> str:
    """Return the part of its package that a module belongs to: "rules" for
    ginpeer/rules/cards.py."""
    return name.split("/")[1].removesuffix(".py")


def test_there_are_modules_to_look_at() -> None:
    names = {name for name, _ in modules()}
    assert {"protocol/entry.py", "ginpeer/referee/referee.py", "cli/main.py"} <= names
    parts = {part_of(name) for name in names if name.startswith("ginpeer/")}
    assert {"rules", "referee", "seat"} <= parts - {"__init__", "__main__"} <= set(INSIDE)


def wrong_imports(folder: str, is_wrong: Callable[[str, str], bool]) -> list[str]:
    """Return the imports below this folder that *is_wrong* rejects. It gets the module's path and
    the imported name."""
    return [
        f"{name}:{line} imports {dotted}"
        for name, _ in modules()
        for line, dotted in imports(name)
        if name.startswith(folder) and is_wrong(name, dotted)
    ]


def wrong_nodes(*kinds: type[ast.AST], is_wrong: Callable[[str, Any], bool]) -> list[str]:
    """Return the nodes of these kinds that *is_wrong* rejects. It gets the module's path and the
    node."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]
        for name, _ in modules()
        for node in nodes_of(name)
        if isinstance(node, kinds) and is_wrong(name, node)
    ]


def test_imports_run_downward_only() -> None:
    def is_upward(name: str, dotted: str) -> bool:
        top = dotted.split(".")[0]
        above = top in FLOORS and top not in FLOORS[name.split("/")[0]] and name != COMMAND
        return above or top == "tests" or dotted == "ginpeer.__main__"

    assert not wrong_imports("", is_upward)


def test_each_part_of_ginpeer_imports_only_parts_below_it() -> None:
    def is_above(name: str, dotted: str) -> bool:
        top, *inside = dotted.split(".")
        part = part_of(name)
        if top != "ginpeer" or not inside or part not in INSIDE:
            return False
        return inside[0] not in INSIDE[part] | {"__version__"}

    assert not wrong_imports("ginpeer/", is_above)


def test_each_part_of_the_cli_imports_only_parts_below_it() -> None:
    seen = set()

    def is_above(name: str, dotted: str) -> bool:
        top, *inside = dotted.split(".")
        room = part_of(name)
        if room in FOR_ALL_ROOMS or room.startswith("__"):
            return False
        seen.add(room)
        return top == "cli" and bool(inside) and inside[0] not in ROOMS[room] | FOR_ALL_ROOMS

    assert not wrong_imports("cli/", is_above)
    assert seen == set(ROOMS)


def test_each_package_docstring_names_its_modules() -> None:
    trees = dict(modules())
    missing = []
    for name in trees:
        folder, _, file = name.rpartition("/")
        module = file.removesuffix(".py")
        if module.startswith("__") or module.endswith("_pb2"):
            continue
        head = ast.get_docstring(trees[f"{folder}/__init__.py"]) or ""
        if not re.search(rf"\b{module}\b", head):
            missing.append(name)
    assert not missing


def test_rules_and_adviser_import_nothing_of_the_protocol() -> None:
    """The bot gets a View. It can't look at what it can't import."""
    for folder in ("ginpeer/rules/", "ginpeer/adviser/"):
        assert not wrong_imports(folder, lambda name, dotted: is_or_below(dotted, "protocol"))


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_only_in_its_layer(library: str) -> None:
    assert not wrong_imports(
        "",
        lambda name, dotted: is_or_below(dotted, library) and not allowed(name, ONLY_IN[library]),
    )


def test_the_cli_imports_nothing_of_twisted_but_deferreds_at_the_top() -> None:
    """The reactor must be installed before it is imported."""
    at_the_top = [
        (name, dotted)
        for name, tree in modules()
        if name.startswith("cli/")
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, dotted in _imports(name, [node])
    ]
    of_twisted = {(name, dotted) for name, dotted in at_the_top if is_or_below(dotted, "twisted")}
    deferred = "twisted.internet.defer"
    assert not {each for each in of_twisted if not is_or_below(each[1], deferred)}


def test_no_shipped_module_has_an_assert() -> None:
    """python -O deletes asserts, so the shipped code has none."""
    assert not wrong_nodes(ast.Assert, is_wrong=lambda name, node: True)


def test_only_the_store_touches_files() -> None:
    def is_elsewhere(name: str) -> bool:
        return not allowed(name, tuple(FILES_IN))

    def uses_files(name: str, node: ast.Call | ast.Attribute) -> bool:
        if isinstance(node, ast.Call):
            return is_elsewhere(name) and ast.unparse(node.func) in FILE_FUNCTIONS
        of_os = is_elsewhere(name) and ast.unparse(node.value) == "os"
        return of_os and node.attr not in OS_ELSEWHERE.get(name, set())

    assert not wrong_imports(
        "", lambda name, dotted: is_elsewhere(name) and dotted.split(".")[0] in FILE_MODULES
    )
    assert not wrong_nodes(ast.Call, ast.Attribute, is_wrong=uses_files)


def test_randomness_and_time_are_passed_in() -> None:
    def may_ask(name: str) -> bool:
        return name.startswith(("cli/", "ginpeer/store/"))

    def is_unseeded(name: str, dotted: str) -> bool:
        seeded = name.startswith(SEEDED_IN) and dotted in ("random", "random.Random")
        return not may_ask(name) and dotted.split(".")[0] in PASSED_IN and not seeded

    def asks(name: str, node: ast.Call | ast.Attribute) -> bool:
        if may_ask(name):
            return False
        if isinstance(node, ast.Call):
            return ast.unparse(node) == "Random()"
        of = ast.unparse(node.value)
        return of == "random" or (of in ("date", "datetime") and node.attr in CLOCKS)

    assert not wrong_imports("", is_unseeded)
    assert not wrong_nodes(ast.Call, ast.Attribute, is_wrong=asks)


def test_only_the_cli_prints() -> None:
    def prints(name: str, call: ast.Call) -> bool:
        return not name.startswith("cli/") and ast.unparse(call.func) == "print"

    assert not wrong_nodes(ast.Call, is_wrong=prints)


def test_exactly_three_packages_are_installed() -> None:
    """The wheel has the packages in pyproject; no other folder at the top of the checkout
    qualifies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["packages"]["find"]["include"]
    tops = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    installed = {top for top in tops if any(fnmatch(top, pattern) for pattern in patterns)}
    assert installed == set(PACKAGES)
    for name, _ in modules():  # a folder without this file would be missing from the wheel
        folder = (ROOT / name).parent
        assert (folder / "__init__.py").exists(), f"{folder} is no package"


DISK_CHANGES = {  # methods of pathlib; os functions allowed elsewhere are listed below
    *("mkdir", "rmdir", "unlink", "touch", "write_text", "write_bytes", "chmod", "lchmod"),
    *("rename", "symlink_to", "hardlink_to"),
}
OS_READING = {
    *("R_OK", "access", "fdopen", "fsencode", "fspath", "fstat", "geteuid", "path", "PathLike"),
    *("scandir", "stat", "stat_result", "strerror", "_exit"),
}
STORE_FILES = "ginpeer/store/files.py"


def test_only_one_module_of_ginpeer_changes_what_is_on_disk() -> None:
    """That module uses os.NAME, so a test can replace os with a failing disk."""

    def is_wrong_import(name: str, dotted: str) -> bool:
        return dotted.split(".")[0] in ("tempfile", "shutil", "mmap") or dotted.startswith("os.")

    def is_wrong_use(name: str, node: ast.Call | ast.Attribute) -> bool:
        if not name.startswith("ginpeer/"):
            return False
        if isinstance(node, ast.Call):
            return _changes_the_disk(name, node)
        of_os = name != STORE_FILES and ast.unparse(node.value) == "os"
        return of_os and node.attr not in OS_READING

    assert not wrong_imports("ginpeer/", is_wrong_import)
    assert not wrong_nodes(ast.Call, ast.Attribute, is_wrong=is_wrong_use)


def _changes_the_disk(name: str, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return isinstance(call.func, ast.Name) and call.func.id == "open"
    of, method = ast.unparse(call.func.value), call.func.attr
    if of == "os" and method == "fdopen":
        return ast.unparse(call.args[1]) != "'rb'"
    if of in ("os", "files") or not name.startswith("ginpeer/store/"):
        return False
    modes = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return method in DISK_CHANGES or (method == "open" and any(set(m) & {*"wax+"} for m in modes))
