"""The examples of ginpeer.record in the README and in the package's docstring run as printed."""

import doctest
import shutil
import textwrap
from pathlib import Path

import pytest

import ginpeer.record
from tests.matches.golden_logs import FOLDER

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def friday(tmp_path, monkeypatch):
    """Make a folder with friday.ginlog in it."""
    shutil.copy(FOLDER / "standard.ginlog", tmp_path / "friday.ginlog")
    monkeypatch.chdir(tmp_path)


def example():
    section = README.split("\n## As a library\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("    ") or not line]
    return textwrap.dedent("\n".join(lines)).strip()


def test_the_example_of_the_readme_runs(friday, capsys):
    assert 8 <= len(example().splitlines()) <= 12
    exec(compile(example(), "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "All entries are valid; the match is finished."
    assert lines[1].startswith("host Ada ")
    assert "14 draw 3c 5c 8c 9c 2d 5d 3h 5h 6h 7h 8s" in lines
    assert "knock: seat 0 knocked with 6 against 24, 18 to seat 0" in lines
    assert lines[-1].startswith("standard target=1 Score(hand_points=(18, 0), ")


def test_the_example_of_the_package_runs(friday):
    ran = doctest.testmod(ginpeer.record)
    assert ran.attempted > 5
    assert ran.failed == 0
