"""The colour of each suit, as a player sets it at the table."""

import sys
from dataclasses import replace

import pytest

from cli.main import main
from ginpeer.store.small_files import change_settings
from tests.cli.table.hands import square_with_a_king
from tests.cli.terminal.screen import Screen
from tests.matches.recorded import recorded

GREEN, BLUE = "\x1b[32m", "\x1b[94m"


def test_colours_four_gives_each_suit_a_colour_until_colours_two(person):
    presenter = person.table._presenter
    presenter.style = replace(presenter.style, colour=True)
    person.choose(square_with_a_king())
    assert GREEN not in person.type("hand")
    shown = person.type("colours four")
    assert GREEN in shown
    assert BLUE in shown
    assert "no colours" not in shown
    assert GREEN in person.type("hand")
    assert GREEN not in person.type("colours two")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_replay_uses_the_colours_from_the_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    log = recorded().write(tmp_path / "match.ginlog")
    shown = []
    for four in (False, True):
        change_settings(tmp_path, four_colours=four)
        screen = Screen(80)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", screen.stream)
            assert main(["--home", str(tmp_path), "replay", str(log)]) == 0
        shown.append(screen.text())
    assert GREEN not in shown[0]
    assert GREEN in shown[1]
