"""The word `tally` at the table: what it asks, what it says, what the other player says of it."""

import pytest

from cli.table.arguments import Command
from cli.table.commands import parse_command
from ginpeer.net.session import SessionOver, TooFast
from ginpeer.rules.cards import Unreadable
from protocol.frames import Consent
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice

pytestmark = pytest.mark.usefixtures("wide_screen")


class Other:
    def __init__(self):
        self.error = None
        self.asked = []

    def standing(self):
        return ("The other table is after hand 2.",)

    def share(self, on):
        if self.error:
            raise self.error
        self.asked.append(on)
        return (f"Said {on}.",)

    def heard(self, word):
        return ("Ben would let it.",) if word is Consent.GIVE else ()


@pytest.fixture(params=[True, False])
def seated(request):
    table = Seated(request.param, partnership=Other()).sit()
    table.other = table.table._partnership
    return table


def test_the_words_are_read():
    assert parse_command("Tally") == Command("tally")
    assert (parse_command("tally ON"), parse_command("tally off")) == (
        Command("tally", True),
        Command("tally", False),
    )
    with pytest.raises(Unreadable):
        parse_command("tally maybe")


def test_it_is_answered_at_any_time_and_takes_no_move(seated):
    assert "The other table is after hand 2." in seated.type("tally")
    seated.choose(first_choice())
    assert "The other table is after hand 2." in seated.type("tally")
    assert "Said True." in seated.type("tally on")
    assert "Said False." in seated.type("tally off")
    assert (seated.other.asked, seated.session.played) == ([True, False], [])


@pytest.mark.parametrize("error", [SessionOver("Nobody sits here."), TooFast("Wait a moment.")])
def test_what_cannot_be_said_is_answered_with_why(seated, error):
    seated.other.error = error
    assert str(error) in seated.type("tally on")


def test_what_the_other_player_says_is_told_and_the_question_asked_again(seated):
    seated.choose(first_choice())
    before = len(seated.output.getvalue())
    seated.table.consent(Consent.GIVE)
    assert "Ben would let it." in seated.output.getvalue()[before:]
    before = len(seated.output.getvalue())
    seated.table.consent(Consent.TAKE_BACK)
    assert seated.output.getvalue()[before:] == ""


def test_in_practice_there_is_no_other_table():
    table = Seated(True).sit()
    assert "There is no other table here." in table.type("tally")
    assert "There is no other table here." in table.type("tally on")
    table.table.consent(Consent.GIVE)
