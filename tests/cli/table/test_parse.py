"""What a player may type, and how it is understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.table.command import (
    Ask,
    Decline,
    Draw,
    End,
    Enter,
    LayDown,
    Number,
    Say,
    SortBy,
    Switch,
    Take,
    Throw,
    Try,
)
from cli.table.parse import parse_command
from cli.text.cards import Sort
from ginpeer.rules import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
    Unreadable,
    mask_of,
    parse_card,
    parse_move,
)

SEVEN = parse_card("7d")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("", Enter()),
        ("   ", Enter()),
        ("take", Take()),
        ("t", Take()),
        ("take 7d", Take(SEVEN)),
        ("take the upcard", Take()),
        ("DRAW", Draw()),
        ("d", Draw()),
        ("draw from the stock", Draw()),
        ("pass", Decline()),
        ("p", Decline()),
        ("discard 7d", Throw(SEVEN)),
        ("x 7d", Throw(SEVEN)),
        ("throw 7 of diamonds", Throw(SEVEN)),
        ("throw the 7 of diamonds", Throw(SEVEN)),
        ("the 7 of diamonds", Throw(SEVEN)),
        ("take the 7 of diamonds", Take(SEVEN)),
        ("th", Throw(parse_card("Th"))),
        ("knock 7d", End("knock", SEVEN)),
        ("k 7d", End("knock", SEVEN)),
        ("knock 7d 2", End("knock", SEVEN, choice=2)),
        ("knock", End("knock")),
        ("gin 7d", End("gin", SEVEN)),
        ("g", End("gin")),
        ("big gin", End("big gin")),
        ("biggin", End("big gin")),
        ("spread", LayDown()),
        ("s", LayDown()),
        ("hand", Ask("hand")),
        ("h", Ask("hand")),
        ("help", Ask("help")),
        ("?", Ask("help")),
        ("q", Ask("quit")),
        ("y", Ask("yes")),
        ("sort suits", SortBy(Sort.SUIT)),
        ("sort by rank", SortBy(Sort.RANK)),
        ("sort m", SortBy(Sort.MELDS)),
        ("sort", SortBy(Sort.MELDS)),
        ("order by suit", SortBy(Sort.SUIT)),
        ("words on", Switch("words", True)),
        ("words off", Switch("words", False)),
        ("brief", Switch("brief", True)),
        ("Brief on", Switch("brief", True)),
        ("brief off", Switch("brief", False)),
        ("colours four", Switch("colours", True)),
        ("colors 4", Switch("colours", True)),
        ("colour two", Switch("colours", False)),
        ("2", Number(2)),
        ("say Hello, Bob", Say("Hello, Bob")),
        ("SAY hi", Say("hi")),
    ],
)
def test_words_and_short_forms(text, command):
    assert parse_command(text) == command


def masks(groups):
    return tuple(map(mask_of, groups or ()))


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "take",
        "draw",
        "discard 7d",
        "knock 7d melds 7c7h7s 3c4c5c deadwood 2d",
        "knock melds 7c7h7s7d 3c4c5c6c7c8c9c",
        "spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dKs",
        "spread deadwood 2c4d6h",
        "lay 3c4c5c",
        "lay 3c4c5c 7c7h7s add 6c@0 8d@12",
        "lay add 6c@0",
        "take 3 lay 8s9sTs",
        "take 31 lay add 5h@2",
    ],
)
def test_the_own_text_of_every_move_can_be_typed(text):
    move, command = parse_move(text), parse_command(text)
    match move:
        case Pass() | TakeUpcard() | DrawStock():
            assert command in (Decline(), Take(), Draw())
        case Discard(card):
            assert command == Throw(card)
        case Knock():
            assert (command.card, masks(command.melds)) == (move.discard, move.melds)
            assert (command.deadwood or 0) == move.deadwood
        case Lay():
            assert (masks(command.melds), command.adds or ()) == (move.melds, move.adds)
        case TakeDiscards(count, lay):
            assert command.count == count
            assert (masks(command.lay.melds), command.lay.adds or ()) == (lay.melds, lay.adds)
        case Spread():
            assert masks(command.melds) == move.melds
            assert (command.layoffs or ()) == move.layoffs
            assert (command.deadwood or 0) == move.deadwood


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("foo", "unknown-command"),
        ("aces", "unknown-command"),
        ("jacks", "unknown-command"),
        ("7d 8d", "unknown-command"),
        ("2c2d", "unknown-command"),
        ("discard", "no-card"),
        ("discard 7", "no-suit"),
        ("x king", "no-suit"),
        ("x 1z", "unreadable-card"),
        ("d 7d", "unclear"),
        ("pass 7d", "unclear"),
        ("q s", "unclear"),
        ("quit me", "unclear"),
        ("sort s s", "unclear"),
        ("words maybe", "unclear"),
        ("colours", "unclear"),
        ("colours three", "unclear"),
        ("say", "nothing-said"),
        ("big gin 7d", "unclear"),
        ("knock 7d melds", "no-card"),
        ("lay 3c4c5c melds 7c7h7s", "unclear"),
        ("add", "no-card"),
        ("lay 3c4c5c add", "no-card"),
        ("take 0", "unclear"),
        ("take several", "unclear"),
        ("take 3 cards now", "unreadable-card"),
        ("take 3 lay foo", "unreadable-card"),
        ("knock 7d melds 3c4c5c 3c4c5c melds 7c7h7s", "unclear"),
        ("knock 7d melds 3c4c5c3c", "repeated-card"),
        ("spread 7d", "unclear"),
        ("spread layoff", "no-card"),
        ("spread layoff 6c on 0", "unreadable-card"),
        ("spread deadwood 7d7d", "repeated-card"),
        ("knock " + "7d " * 900, "line-too-long"),
    ],
)
def test_what_cannot_be_read_whole_is_refused_with_a_sentence(text, code):
    with pytest.raises(Unreadable) as refusal:
        parse_command(text)
    assert refusal.value.code == code
    assert refusal.value.sentence.endswith((".", "?"))
    assert len(refusal.value.sentence) < 200


def test_a_refusal_quotes_nothing_that_steers_the_terminal():
    with pytest.raises(Unreadable) as refusal:
        parse_command("\x1b[2J\x07\u202eevil")
    assert refusal.value.sentence.isprintable()


def test_cards_that_cannot_be_read_are_refused_as_ever():
    with pytest.raises(Unreadable):
        parse_command("rules frobnicate")
    assert parse_command("rules") == Ask("rules")
    assert parse_command("rules rules") == Try(Ask("rules"))
    with pytest.raises(Unreadable, match="Ask about a move"):
        parse_command("rules " * 600 + "draw")


PIECES = st.sampled_from(
    [
        "knock",
        "spread",
        "melds",
        "layoff",
        "deadwood",
        "7d",
        "3c4c5c",
        "on",
        "1",
        "@",
        ",",
        "and",
        "say",
        "gin",
        "big",
        "none",
        "take",
        "of",
        "king",
        "♦",
        "d",
        "k",
        "\x1b",
        "é",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join)))
def test_every_line_is_one_command_or_one_sentence(line):
    try:
        parse_command(line)
    except Unreadable as refusal:
        refused = (refusal.code, refusal.sentence)
    else:
        refused = ("understood", "It is a command.")
    assert all(refused)
