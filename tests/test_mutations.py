"""The mutation sweep itself (tests.campaign.mutations): it deletes checks, and it can fail."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign import mutants
from tests.campaign.mutations import code_of, noted_codes, reviewed
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


@pytest.mark.deep  # the sweep checks this, too
def test_the_reviewed_mutants_exist_in_the_current_code() -> None:
    """A changed check has to be reviewed again."""
    keys = {mutant.key for mutant in mutants.all_mutants()}
    assert not set(reviewed()) - keys
    assert all(len(reason.split()) > 4 for reason in reviewed().values())


def test_every_stable_code_has_a_test() -> None:
    """Check the table that the sweep writes: a code without a test is a gap, and a code that
    nothing raises is stale. Whether the tests notice a changed code is what --codes examines; a
    test below does so for a few codes."""
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
    """Sweep one module with its own tests. The campaign covers the others."""
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
    """Sweep the same module with tests that never give it an invalid input."""
    done = sweep("--only", "protocol/crypto/dleq.py", "--tests", "tests/crypto/test_hashing.py")
    assert done.returncode == 1
    assert done.stdout.count("survived: protocol/crypto/dleq.py:") == 6


@pytest.mark.skipif(sys.platform != "linux", reason="programs are forked only on Linux")
@pytest.mark.deep
def test_a_program_started_by_a_test_lacks_the_deleted_check() -> None:
    stopped = "tests/cli/commands/test_demo.py::test_a_stopped_demo_leaves_nothing_behind"
    done = sweep("--only", "cli/commands/demo.py:deferred_signals.check: if", "--tests", stopped)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 mutants, 1 noticed" in done.stdout
