"""Help fits a terminal of any width, and says which values each option takes."""

import argparse

import pytest

from cli.main import main as run
from cli.parser import parser
from cli.terminal.help_layout import wrap_help

(_COMMANDS,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
COMMANDS = _COMMANDS.choices


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.deep(keep=12)
def test_no_row_of_help_is_wider_than_the_terminal(monkeypatch, capsys, columns, command):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run([*command.split(), "--help-all"]) == 0
    rows = capsys.readouterr().out.splitlines()
    wide = [row for row in rows if len(row) > columns]
    assert [row for row in wide if " " in row.strip()] == []
    if columns == 120 and command not in ("help", "practice", "logs"):
        assert max(map(len, rows)) > 80


@pytest.mark.parametrize("command", COMMANDS)
def test_a_commands_help_fits_a_screen_and_says_where_the_rest_is(monkeypatch, capsys, command):
    monkeypatch.setenv("COLUMNS", "80")
    assert run([command, "--help"]) == 0
    brief = capsys.readouterr().out
    assert run([command, "--help-all"]) == 0
    whole = capsys.readouterr().out
    assert len(brief.splitlines()) <= 23
    pointed = brief.endswith(f"\nFor the rest: ginpeer {command} --help-all\n")
    options = [name for a in COMMANDS[command]._actions for name in a.option_strings]
    assert [option for option in options if option not in whole] == []
    assert pointed or [o for o in options if o not in brief] == ["--help-all"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.deep(keep=5)
def test_no_word_is_split_on_a_narrow_terminal(monkeypatch, capsys, command):
    told = []
    for columns in ("30", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        assert run([command, "--help-all"]) == 0
        told.append(capsys.readouterr().out.split())
    assert told[0] == told[1]


def test_a_pipe_has_80_columns(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert run(["host", "--help"]) == 0
    assert 70 <= max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_help_paragraphs_stay_apart_and_items_are_aligned(monkeypatch):
    text = (
        "A head:\n  one        the first\n             of them\n  two words  the second\n\nA\nb.\n"
    )
    monkeypatch.setenv("COLUMNS", "80")
    assert wrap_help(text) == (
        "A head:\n  one        the first of them\n  two words  the second\n\nA b.\n"
    )
    monkeypatch.setenv("COLUMNS", "20")
    assert wrap_help(text) == (
        "A head:\n  one\n      the first of\n      them\n  two words\n      the second\n\nA b.\n"
    )
