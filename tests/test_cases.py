"""The table of the 42 cases (tests/campaign/cases.txt) agrees with the tests that it names."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.syntax import ROOT, tree_of

ASSERT_ALL_FOUR = {"refused", "violation", "garbled", "an_honest_guest_finishes"}
"""These functions check class, code, prefix and the next honest action."""

CASE = re.compile(r"(\d+) ([ABC]+|-) \S.*")
TEST = re.compile(r"    (whole|also ) (tests/\S+\.py)::(test_\w+)")


def table() -> dict[int, tuple[str, list[tuple[str, str, str]]]]:
    """Return each case's classes and its tests: ("whole" or "also", file, name)."""
    found: dict[int, tuple[str, list[tuple[str, str, str]]]] = {}
    for line in (ROOT / "tests/campaign/cases.txt").read_text(encoding="ascii").splitlines():
        if case := CASE.fullmatch(line):
            tests: list[tuple[str, str, str]] = []
            found[int(case[1])] = case[2], tests
        elif test := TEST.fullmatch(line):
            tests.append((test[1].strip(), test[2], test[3]))
        else:
            assert not line or line.startswith("#"), line
    return found


CASES = table()


@cache
def functions(path: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions of a file, by name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in tree_of(path).body if isinstance(node, kinds)}


def called(path: str, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return what a function calls, directly or through other functions of its file."""
    found = {
        node.func.id
        for node in ast.walk(functions(path)[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    deeper = found & set(functions(path)) - seen - {name}
    return found.union(*(called(path, each, seen | found | {name}) for each in deeper))


def test_every_case_has_a_number_and_a_test() -> None:
    assert list(CASES) == list(range(1, 43))
    assert all(tests for _, tests in CASES.values())


def test_the_tests_of_a_case_exist() -> None:
    for _, tests in CASES.values():
        for _, path, name in tests:
            assert name in functions(path), f"{path} has no {name}"


def test_a_test_listed_as_whole_asserts_class_code_prefix_and_next_action() -> None:
    for _, tests in CASES.values():
        for how, path, name in tests:
            assert how != "whole" or called(path, name) & ASSERT_ALL_FOUR, f"{path}::{name}"


def test_every_case_of_a_signed_illegal_entry_has_a_whole_test() -> None:
    """Check every case of class B, except those about whole logs."""
    whole = {number for number, (_, tests) in CASES.items() for how, *_ in tests if how == "whole"}
    assert {n for n, (classes, _) in CASES.items() if "B" in classes} - whole == {22, 39}
