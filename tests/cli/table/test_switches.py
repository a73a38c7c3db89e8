"""What a player switches on and off at the table."""

from dataclasses import fields

import pytest

from cli.table.command import Switch
from cli.table.parse import parse_command
from cli.table.switches import SWITCHES
from ginpeer.rules import Unreadable
from ginpeer.store.settings import USUAL, Settings
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice

pytestmark = pytest.mark.usefixtures("wide_screen")


def test_whatever_can_be_on_or_off_in_the_settings_has_a_word():
    switches = {
        each.name for each in fields(Settings) if isinstance(getattr(USUAL, each.name), bool)
    }
    assert {kind.setting for kind in SWITCHES.values()} == switches


@pytest.mark.parametrize("word", SWITCHES)
def test_each_is_switched_by_its_words_and_kept(word):
    kind = SWITCHES[word]
    seated = Seated(interactive=True).sit()
    for on, typed in zip((True, False), kind.typed, strict=True):
        for how in typed:
            assert parse_command(f"{word} {how}") == Switch(word, on)
        assert seated.type(f"{word} {typed[0]}").startswith(("Good; ", "Kept for the next time;"))
    assert seated.kept == [(kind.setting, True), (kind.setting, False)]
    with pytest.raises(Unreadable, match=f"^Type {word} "):
        parse_command(f"{word} perhaps")


def test_one_switch_leaves_the_others_as_they_were():
    seated = Seated(interactive=True).sit()
    seated.choose(first_choice())
    for line in ("words on", "brief on", "colours four"):
        seated.type(line)
    presenter = seated.table._presenter
    assert (presenter.style.words, presenter.brief, presenter.style.four) == (True, True, True)


@pytest.mark.parametrize("word", SWITCHES)
def test_a_program_switches_nothing(word):
    seated = Seated(interactive=False).sit()
    assert "event refused code=no-terminal" in seated.type(f"{word} {SWITCHES[word].typed[0][0]}")
    assert seated.kept == []
