"""The table of the 42 cases (tests.campaign.cases) agrees with the tests that it names."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.campaign.cases import CASES

ROOT = Path(__file__).parent.parent
ASSERT_ALL_FOUR = {"refused", "violation", "garbled", "an_honest_guest_finishes"}
"""These functions check class, code, prefix and the next honest action."""


@cache
def functions(path: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions of a file, by name."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


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
    assert all(case.whole or case.also for case in CASES.values())


def test_the_tests_of_a_case_are_there() -> None:
    for number in CASES:
        case = CASES[number]
        for tests in (case.whole, case.also):
            for path, names in tests.items():
                missing = [name for name in names if name not in functions(path)]
                assert not missing, f"{path} has no {missing}"
                assert all(name.startswith("test_") for name in names)


def test_what_is_listed_as_whole_asserts_class_code_prefix_and_the_next_action() -> None:
    for number in [number for number, case in CASES.items() if case.whole]:
        for path, names in CASES[number].whole.items():
            for name in names:
                assert called(path, name) & ASSERT_ALL_FOUR, f"{path}::{name}"


def test_whatever_is_signed_and_illegal_is_asserted_whole() -> None:
    """Covers every case of class B, except those about logs and meetings."""
    without = {n for n, case in CASES.items() if "B" in case.classes and not case.whole}
    assert without == {22, 39}
