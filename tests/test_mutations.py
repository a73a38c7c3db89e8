"""The mutation sweep itself (tests.campaign.mutations): that it deletes, and that it can fail."""

from __future__ import annotations

import ast
import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign import mutants
from tests.campaign.mutations import reviewed

ROOT = Path(__file__).parent.parent

CHECKS = """
def check_all(a, b, c):
    if not a or b is None:
        raise Bad("first")
    if not 0 < c < 9:
        return False
    elif a == c:
        a = b
    check_one(a)
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


def adds(a):
    if a:
        return a + 1
    a.append(1)
"""

KEYS = [
    "m.py:check_all: if not a or b is None",
    "m.py:check_all: without (not a) of (not a or b is None)",
    "m.py:check_all: without (b is None) of (not a or b is None)",
    "m.py:check_all: if not 0 < c < 9",
    "m.py:check_all: without (0 < c) of (0 < c < 9)",
    "m.py:check_all: without (c < 9) of (0 < c < 9)",
    "m.py:check_all: call check_one(a)",
    "m.py:check_all: handler (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: caught KeyError of (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: caught ValueError of (KeyError, ValueError) around value = decode(b)",
    "m.py:check_all: raise raise Bad('third')",
    "m.py:is_good: without (a) of (a and (not b))",
    "m.py:is_good: without (not b) of (a and (not b))",
]


def test_every_kind_of_check_is_found_and_nothing_else() -> None:
    found = mutants.mutants_of("m.py", ast.parse(CHECKS), frozenset())
    assert [mutant.key for mutant in found] == KEYS


@pytest.mark.parametrize(
    ("key", "gone", "left"),
    [
        (KEYS[0], "Bad('first')", "not 0 < c < 9"),
        (KEYS[1], "not a or", "if b is None:"),
        (KEYS[2], "b is None", "if not a:"),
        (KEYS[3], "return False", "a = b"),
        (KEYS[4], "0 < c", "if not c < 9:"),
        (KEYS[5], "c < 9", "if not 0 < c:"),
        (KEYS[6], "check_one", "value = decode(b)"),
        (KEYS[7], "Bad('second')", "value = decode(b)"),
        (KEYS[8], "KeyError", "except (ValueError,) as error:"),
        (KEYS[9], "ValueError", "except (KeyError,) as error:"),
        (KEYS[10], "Bad('third')", "case _:"),
        (KEYS[11], "a and", "return not b"),
        (KEYS[12], "not b", "return a"),
    ],
)
def test_a_mutant_is_the_code_without_that_one_check(key: str, gone: str, left: str) -> None:
    tree = ast.parse(CHECKS)
    mutant = next(each for each in mutants.mutants_of("m.py", tree, frozenset()) if each.key == key)
    text = ast.unparse(mutants.without(tree, mutant))
    before = ast.unparse(ast.parse(CHECKS))
    assert text.count(gone) < before.count(gone)
    assert left in text
    compile(text, "m.py", "exec")


@pytest.mark.parametrize(
    ("call", "felt"),
    [
        ((0, 1, 5), {KEYS[0], KEYS[1]}),
        ((2, None, 5), {KEYS[0], KEYS[2]}),
        ((2, 1, 9), {KEYS[3], KEYS[4], KEYS[5]}),
        ((2, 1, 2), {KEYS[10]}),
        ((2, "key", 5), {KEYS[7], KEYS[8]}),
        ((9, 1, 5), {KEYS[6]}),
    ],
)
def test_a_check_is_felt_where_it_bites_and_nowhere_else(call: tuple, felt: set[str]) -> None:
    tree = ast.parse(CHECKS)
    tree = mutants.telling(tree, mutants.mutants_of("m.py", tree, frozenset()))
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

    def check_one(a: int) -> None:
        if a > 5:
            raise Bad

    module = {
        mutants.FELT: noted.add,
        mutants.WEIGHED: weighed,
        mutants.CAUGHT: caught,
        "Bad": Bad,
        "check_one": check_one,
        "decode": lambda b: {1: 2}[b],
    }
    exec(compile(tree, "m.py", "exec"), module)
    with contextlib.suppress(Bad):
        module["check_all"](*call)
    assert noted == felt


def test_the_reviewed_mutants_are_mutants_of_the_code_as_it_is() -> None:
    """Whoever changes a check that was thought through has to think again."""
    keys = {mutant.key for mutant in mutants.all_mutants()}
    assert not set(reviewed()) - keys
    assert all(len(reason.split()) > 4 for reason in reviewed().values())


def sweep(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.campaign.mutations", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )


def test_every_check_of_a_small_module_is_noticed() -> None:
    """A sweep of one module, with its own tests; the others are the campaign's."""
    done = sweep("--only", "protocol/crypto/dleq.py", "--tests", "tests/crypto/test_dleq.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 mutants, 6 noticed" in done.stdout


def test_a_check_that_no_test_notices_survives() -> None:
    """The same module, asked of tests that never hand it anything wrong."""
    done = sweep("--only", "protocol/crypto/dleq.py", "--tests", "tests/crypto/test_elgamal.py")
    assert done.returncode == 1
    assert done.stdout.count("survived: protocol/crypto/dleq.py:") == 6
