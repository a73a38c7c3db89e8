"""The example in the docstring of ginpeer.record gives the printed output."""

import doctest
import shutil

import pytest

import ginpeer.record
from tests.matches.golden_logs import FOLDER


@pytest.fixture
def friday(tmp_path, monkeypatch):
    """Make a folder with friday.ginlog in it."""
    shutil.copy(FOLDER / "standard.ginlog", tmp_path / "friday.ginlog")
    monkeypatch.chdir(tmp_path)


def test_the_example_of_the_package_runs(friday):
    ran = doctest.testmod(ginpeer.record)
    assert ran.attempted > 5
    assert ran.failed == 0
