"""The hand in the player's own order."""

import pytest

from cli.table.arguments import Command, NewPlace
from cli.table.commands import parse_command
from cli.table.display import HandOrder
from cli.text.cards import Style
from ginpeer.rules import Illegal, Unreadable, parse_card, parse_set
from ginpeer.rules.cards import Card
from tests.cli.table.playing import drew_in

pytestmark = pytest.mark.usefixtures("wide_screen")


def cards(text):
    return tuple(map(parse_card, text.split()))


def shown(text):
    """The cards of the last hand that was shown."""
    return text.rsplit("Your hand: ", 1)[1].partition(";")[0]


@pytest.fixture
def playing():
    """Holds 3c 4c 5c 7c 7h 7s Ks 4d 2d Ah, and has drawn the 2c."""
    return drew_in("standard", "2s", "2c")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("order 4h 5h kd", Command("order", cards("4h 5h Kd"))),
        ("order 4h,5h, king of diamonds", Command("order", cards("4h 5h Kd"))),
        ("move kd first", Command("move", NewPlace(parse_card("Kd"), before=True))),
        (
            "move the king of diamonds to the front",
            Command("move", NewPlace(parse_card("Kd"), before=True)),
        ),
        ("move kd last", Command("move", NewPlace(parse_card("Kd"), before=False))),
        ("move kd to end", Command("move", NewPlace(parse_card("Kd"), before=False))),
        (
            "move kd after 5 of hearts",
            Command("move", NewPlace(parse_card("Kd"), False, parse_card("5h"))),
        ),
        ("move kd before 5h", Command("move", NewPlace(parse_card("Kd"), True, parse_card("5h")))),
    ],
)
def test_an_order_is_read(line, command):
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("order", "no-card"),
        ("order 4h 4h", "repeated-card"),
        ("order 4h foo", "unreadable-card"),
        ("move", "unclear"),
        ("move kd", "unclear"),
        ("move kd after", "unclear"),
        ("move first", "unclear"),
        ("move kd after kd", "repeated-card"),
        ("move foo last", "unreadable-card"),
    ],
)
def test_what_is_no_order_is_refused_with_a_sentence(line, code):
    with pytest.raises(Unreadable) as refused:
        parse_command(line)
    assert refused.value.code == code
    assert refused.value.sentence.endswith(".")


def test_the_named_cards_stand_first_and_the_others_behind_as_they_were(playing):
    assert shown(playing.type("order ks 7h")) == "Ks 7h 2c 3c 4c 5c 7c 7s 4d 2d Ah"
    assert shown(playing.type("h")) == "Ks 7h 2c 3c 4c 5c 7c 7s 4d 2d Ah"
    assert playing.seated.session.played[2:] == []


def test_one_card_is_moved(playing):
    playing.type("sort rank")
    assert shown(playing.type("move ks first")).startswith("Ks Ah 2c 2d")
    assert shown(playing.type("move ks after 2c")).startswith("Ah 2c Ks 2d")
    assert shown(playing.type("move ks before 2c")).startswith("Ah Ks 2c 2d")
    assert shown(playing.type("move ah last")).startswith("Ks 2c 2d")


def test_the_order_is_kept_through_draws_and_discards(playing):
    playing.type("order ks 7h")
    playing.type("ks")
    playing.goes_on("draw Kh", "discard Kh", "draw 9d")
    assert shown(playing.type("h")) == "7h 2c 3c 4c 5c 7c 7s 4d 2d Ah 9d"


def test_sort_goes_back_to_the_order_by_kind(playing):
    before = shown(playing.type("h"))
    playing.type("order ks 7h")
    assert shown(playing.type("sort")) == before


def test_cards_in_words_are_read_in_that_order(playing):
    playing.type("words on")
    assert shown(playing.type("order ks 7h")).startswith("king of spades, 7 of hearts, 2 of clubs")


def test_a_card_that_is_named_twice_is_said_as_cards_are(playing):
    playing.type("words on")
    assert "The 10 of diamonds is named twice" in playing.type("order td ks 10d")


def test_a_card_that_is_not_held_is_named_and_nothing_moved(playing):
    before = playing.type("h")
    assert "That is not in your hand: Qd. Nothing was moved." in playing.type("order ks qd")
    assert "These are not in your hand: Qd Qh." in playing.type("move qd after qh")
    assert playing.type("h") == before


def test_before_the_deal_there_is_nothing_to_order(person):
    assert "No cards have been dealt yet." in person.type("order ks")


def test_a_program_orders_nothing(program):
    assert "code=no-terminal" in program.type("order ks")


def test_the_next_hand_begins_sorted():
    order, held = HandOrder(), parse_set("2c3c")
    order.of(held, 1)
    order.change(cards("3c"), cards("2c 3c"), Style())
    assert order.of(held, 1) == cards("3c 2c")
    assert order.of(held, 2) == ()
    assert order.of(held, 1) == ()


def test_whatever_comes_and_goes_what_is_shown_is_what_is_held():
    order, held = HandOrder(), parse_set("2c3c4c")
    order.of(held, 1)
    order.change(cards("4c"), cards("2c 3c 4c"), Style())
    for now in ("2c3c", "2c3c9d", "2c9d", "4c2c9d"):
        in_order = order.of(parse_set(now), 1)
        assert sorted(in_order) == sorted(Card(c) for c in {*in_order})
        assert sum(card.bit for card in in_order) == parse_set(now)
    assert in_order == cards("2c 9d 4c")
    with pytest.raises(Illegal):
        order.change(NewPlace(parse_card("3c"), before=True), in_order, Style())
