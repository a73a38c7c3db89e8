"""The mutation sweep itself (tests.campaign.mutations): it deletes checks, and it can fail."""

from __future__ import annotations

import ast
import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.campaign import mutants
from tests.campaign.mutations import code_of, near, noted_codes, reviewed
from tests.syntax import tree_of

ROOT = Path(__file__).parent.parent

CHECKS = """
def check_all(a, b, c):
    if not a or b is None:
        raise Bad("first")
    if not 0 < c < 9:
        return False
    elif a == c:
        a = b
    check_one(a, "zeroth")
    try:
        value = decode(b)
    except (KeyError, ValueError) as error:
        raise Bad("second") from error
    match value:
        case 1:
            return value
        case _:
            raise Bad("third")


def is_good(a, b) -> bool:
    return a and not b


class Worse(Bad):
    code = "fourth"


def adds(a):
    if a:
        return a + 1
    a.append(1)
"""

KNOWN = mutants.Known(frozenset(), {"Bad": 0, "check_one": 1})

KEYS = [
    "m.py:check_all: if not a or b is None",
    "m.py:check_all: without (not a) of (not a or b is None)",
    "m.py:check_all: without (b is None) of (not a or b is None)",
    "m.py:check_all: code first",
    "m.py:check_all: if not 0 < c < 9",
    "m.py:check_all: without (0 < c) of (0 < c < 9)",
    "m.py:check_all: without (c < 9) of (0 < c < 9)",
    "m.py:check_all: call check_one(a, 'zeroth')",
    "m.py:check_all: code zeroth",
    "m.py:check_all: handler (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: caught KeyError of (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: caught ValueError of (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: code second",
    "m.py:check_all: raise raise Bad('third')",
    "m.py:check_all: code third",
    "m.py:is_good: without (a) of (a and (not b))",
    "m.py:is_good: without (not b) of (a and (not b))",
    "m.py:Worse: code fourth",
]


def test_every_kind_of_check_is_found_and_nothing_else() -> None:
    found = mutants.mutants_of("m.py", ast.parse(CHECKS), KNOWN)
    assert [mutant.key for mutant in found] == KEYS


@pytest.mark.parametrize(
    ("key", "gone", "left"),
    [
        (KEYS[0], "Bad('first')", "not 0 < c < 9"),
        (KEYS[1], "not a or", "if b is None:"),
        (KEYS[2], "b is None", "if not a:"),
        (KEYS[3], "'first'", "raise Bad('another-code')"),
        (KEYS[4], "return False", "a = b"),
        (KEYS[5], "0 < c", "if not c < 9:"),
        (KEYS[6], "c < 9", "if not 0 < c:"),
        (KEYS[7], "check_one", "value = decode(b)"),
        (KEYS[8], "'zeroth'", "check_one(a, 'another-code')"),
        (KEYS[9], "Bad('second')", "value = decode(b)"),
        (KEYS[10], "KeyError", "except (ValueError,) as error:"),
        (KEYS[11], "ValueError", "except (KeyError,) as error:"),
        (KEYS[13], "Bad('third')", "case _:"),
        (KEYS[15], "a and", "return not b"),
        (KEYS[16], "not b", "return a"),
        (KEYS[17], "'fourth'", "code = 'another-code'"),
    ],
)
@pytest.mark.deep(keep=4)
def test_a_mutant_is_the_code_without_that_one_check(key: str, gone: str, left: str) -> None:
    tree = ast.parse(CHECKS)
    mutant = next(each for each in mutants.mutants_of("m.py", tree, KNOWN) if each.key == key)
    text = ast.unparse(Reached().visit(mutants.without(tree, mutant)))
    before = ast.unparse(ast.parse(CHECKS))
    assert text.count(gone) < before.count(gone)
    assert left in text
    compile(text, "m.py", "exec")


class Reached(ast.NodeTransformer):
    """Leaves out what is never reached: ``if False:``."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        reached = not isinstance(node.test, ast.Constant)
        return node if reached else node.orelse or ast.Pass()


NESTED = """
def reader(error):
    def read(text):
        if text:
            return text
        raise ValueError(error)
    return read
"""


def test_a_mutant_without_a_raise_replaces_its_nested_function() -> None:
    tree = ast.parse(NESTED)
    (mutant,) = mutants.mutants_of("m.py", tree, KNOWN)
    assert mutant.key == "m.py:reader.read: raise raise ValueError(error)"
    names: dict[str, Any] = {}
    exec(compile(ast.parse(NESTED), "m.py", "exec"), names)
    read = names["reader"]("no")
    with pytest.raises(ValueError, match="no"):
        read("")
    exec(compile(mutants.without(tree, mutant), "m.py", "exec"), names)
    read.__code__ = names["reader"]("no").__code__
    assert read("") is None


OVERRIDDEN = """
class Deep(Base):
    def check(self, a):
        super().check(a)
"""


def test_a_mutant_without_a_super_call_replaces_its_method() -> None:
    tree = ast.parse(OVERRIDDEN)
    (mutant,) = mutants.mutants_of("m.py", tree, KNOWN)
    assert mutant.key == "m.py:Deep.check: call super().check(a)"
    names: dict[str, type] = {"Base": type("Base", (), {"check": lambda self, a: 1 / a})}
    exec(compile(ast.parse(OVERRIDDEN), "m.py", "exec"), names)
    with pytest.raises(ZeroDivisionError):
        names["Deep"]().check(0)
    changed: dict[str, type] = {"Base": names["Base"]}
    exec(compile(mutants.without(tree, mutant), "m.py", "exec"), changed)
    names["Deep"].check.__code__ = changed["Deep"].check.__code__
    names["Deep"]().check(0)


@pytest.mark.parametrize(
    ("call", "fired"),
    [
        ((0, 1, 5), {KEYS[0], KEYS[1], KEYS[3]}),
        ((2, None, 5), {KEYS[0], KEYS[2], KEYS[3]}),
        ((2, 1, 9), {KEYS[4], KEYS[5], KEYS[6]}),
        ((2, 1, 2), {KEYS[13], KEYS[14]}),
        ((2, "key", 5), {KEYS[9], KEYS[10], KEYS[12]}),
        ((9, 1, 5), {KEYS[7], KEYS[8]}),
    ],
)
@pytest.mark.deep(keep=2)
def test_a_check_is_recorded_only_where_it_decides(call: tuple, fired: set[str]) -> None:
    tree = ast.parse(CHECKS)
    tree = mutants.telling(tree, mutants.mutants_of("m.py", tree, KNOWN))
    noted: set[str] = set()

    class Bad(Exception):
        pass

    def weighed(key: str, value: object, decisive: bool) -> object:
        if bool(value) is decisive:
            noted.add(key)
        return value

    def caught(keys: tuple[str, ...], errors: tuple[type, ...]) -> None:
        error = type(sys.exc_info()[1])
        noted.update(key for key, each in zip(keys, errors, strict=True) if error is each)

    def check_one(a: int, code: str) -> None:
        if a > 5:
            raise Bad

    module = {
        mutants.FIRED: noted.add,
        mutants.WEIGHED: weighed,
        mutants.CAUGHT: caught,
        mutants.SAID: lambda key, code: code,
        "Bad": Bad,
        "check_one": check_one,
        "decode": lambda b: {1: 2}[b],
    }
    exec(compile(tree, "m.py", "exec"), module)
    with contextlib.suppress(Bad):
        module["check_all"](*call)
    assert noted == fired


@pytest.mark.deep  # the sweep checks this, too
def test_the_reviewed_mutants_exist_in_the_current_code() -> None:
    """A changed check has to be reviewed again."""
    keys = {mutant.key for mutant in mutants.all_mutants()}
    assert not set(reviewed()) - keys
    assert all(len(reason.split()) > 4 for reason in reviewed().values())


def test_every_stable_code_has_a_test() -> None:
    """In the table that the sweep writes, a code without a test is a gap, and a code that nothing
    raises is stale. The tests run with all others; whether they notice a missing check is what
    --codes examines, below for a few."""
    known = mutants.known_of()
    found = (
        mutant.key
        for name in mutants.sources()
        if not name.startswith("cli/")  # code_of() finds no codes there
        for mutant in mutants.mutants_of(name, tree_of(name), known)
    )
    codes = {code_of(key) for key in found} - {""}
    noted = noted_codes()
    assert sorted(codes - set(noted)) == []
    assert sorted(set(noted) - codes) == []
    for test in noted.values():
        path, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_tests_near_a_module_import_it_directly_or_through_a_helper(tmp_path: Path) -> None:
    files = {
        "test_itself.py": "from ginpeer.rules import cards\n",
        "test_a_name_of_it.py": "def test():\n    from ginpeer.rules.cards import Card\n",
        "helper.py": "import ginpeer.rules.cards\n",
        "test_by_a_helper.py": "from tests.helper import thing\n",
        "test_another.py": "from ginpeer.rules import melds\n",
    }
    (tmp_path / "tests").mkdir()
    for name, text in files.items():
        (tmp_path / "tests" / name).write_text(text)
    found = near(["ginpeer/rules/cards.py:parse_card: if not text"], tmp_path)
    assert {path.removeprefix("tests/") for path in found} == {
        *("test_itself.py", "test_a_name_of_it.py", "test_by_a_helper.py"),
    }


def sweep(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.campaign.mutations", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )


@pytest.mark.deep  # the sweep runs before a release, and so does this
def test_every_deleted_check_of_a_small_module_is_noticed() -> None:
    """Sweeps one module with its own tests; the campaign covers the others."""
    done = sweep("--only", "protocol/crypto/dleq.py", "--tests", "tests/crypto/test_dleq.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 mutants, 6 noticed" in done.stdout


@pytest.mark.deep
def test_the_listed_tests_notice_a_few_changed_codes() -> None:
    done = sweep("--codes", "--sample", "5", "--only", "protocol/")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 of 5" in done.stdout


@pytest.mark.deep  # the sweep runs before a release, and so does this
def test_a_mutant_that_no_test_notices_survives() -> None:
    """Sweeps the same module with tests that never give it an invalid input."""
    done = sweep("--only", "protocol/crypto/dleq.py", "--tests", "tests/crypto/test_hashing.py")
    assert done.returncode == 1
    assert done.stdout.count("survived: protocol/crypto/dleq.py:") == 6


@pytest.mark.skipif(sys.platform != "linux", reason="programs are forked only on Linux")
@pytest.mark.deep
def test_a_program_started_by_a_test_lacks_the_deleted_check() -> None:
    stopped = "tests/cli/commands/test_demo.py::test_a_stopped_demo_leaves_nothing_behind"
    done = sweep("--only", "cli/commands/demo.py:DeferredSignals.check: if", "--tests", stopped)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 mutants, 1 noticed" in done.stdout
