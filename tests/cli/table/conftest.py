"""Fixtures for the player at the table, in front of a terminal or a pipe."""

import pytest

from tests.cli.seated import Seated


@pytest.fixture
def wide_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")


@pytest.fixture
def person():
    return Seated(interactive=True).sit()


@pytest.fixture
def program():
    return Seated(interactive=False).sit()
