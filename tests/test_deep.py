"""Which tests run only with --deep (tests/conftest.py)."""

from types import SimpleNamespace

import pytest

from tests.conftest import pytest_collection_modifyitems


class Item:
    def __init__(self, nodeid, *keep):
        self.nodeid = nodeid
        self.markers = [pytest.mark.deep(keep=number).mark for number in keep]

    def iter_markers(self, name):
        return iter(self.markers)

    def get_closest_marker(self, name):
        return self.markers[0] if self.markers else None


def left(items, *args, deep=False):
    """Return the names of the tests that run."""
    dropped = []
    config = SimpleNamespace(
        getoption=lambda name: deep,
        args=args,
        hook=SimpleNamespace(pytest_deselected=lambda items: dropped.extend(items)),
    )
    kept = list(items)
    pytest_collection_modifyitems(config, kept)
    assert {*kept} | {*dropped} == {*items}
    return [item.nodeid for item in kept]


FAMILY = [Item(f"x.py::test_family[{n}]", 3) for n in range(9)]
SWEEP, QUICK = Item("x.py::test_sweep", 0), Item("x.py::test_quick")


def test_a_few_of_a_family_run_spread_evenly_and_a_sweep_does_not():
    assert left([QUICK, *FAMILY, SWEEP], "tests") == [
        "x.py::test_quick",
        *(f"x.py::test_family[{n}]" for n in (1, 4, 7)),
    ]


def test_deep_tests_of_a_family_are_not_kept_and_a_small_family_is_run_completely():
    slow = [Item(f"x.py::test_family[slow{n}]", 0, 3) for n in range(9)]
    assert len(left([*slow, *FAMILY])) == 3
    assert len(left(FAMILY[:2])) == 2


@pytest.mark.parametrize(("args", "deep"), [((), True), (("tests/x.py::test_sweep",), False)])
def test_nothing_is_left_out_with_deep_or_if_a_test_is_named(args, deep):
    assert len(left([QUICK, *FAMILY, SWEEP], *args, deep=deep)) == 11
