"""The text of cards, hands, names and scores."""

from pathlib import Path

import pytest

from cli.text.cards import Sort, Style, style_for
from cli.text.grammar import at_start, does, duration, inside, names_seen_by, ordinal
from cli.text.match_list import status_text
from cli.text.score_sheet import result_text
from cli.text.series import by_name, offer_lines
from ginpeer.match_store.listing import ListedMatch
from ginpeer.match_store.matches import DecidedMatch, FinishedMatch
from ginpeer.names import display_names, safe
from ginpeer.rules import STANDARD, parse_card, parse_result, parse_ruleset, parse_set
from ginpeer.store import StoredMatch
from protocol.messages import Disclosure, Offer, Settle, Winner

LETTERS = Style()
SYMBOLS = Style(symbols=True)
WORDS = Style(words=True)


class Stream:
    def __init__(self, encoding, tty):
        self.encoding = encoding
        self._tty = tty

    def isatty(self):
        return self._tty


def test_cards_and_melds_read_as_letters_symbols_or_words(transcript):
    colours = Style(symbols=True, colour=True), Style(colour=True, four=True)
    styles = (LETTERS, SYMBOLS, WORDS, *colours, Style(colour=True, four=True, words=True))
    melds = (
        "3c4c5c",
        "JcJdJs",
        "QcKcAc2c",
        "KhAh2h3h4h5h6h7h8h9hThJh",
        "As2s3s4s5s6s7s8s9sTsJsQsKs",
    )
    cards = [" ".join(style.card(parse_card(f"T{suit}")) for suit in "cdhs") for style in styles]
    in_melds = [style.meld(parse_set(meld)) for style in (LETTERS, WORDS) for meld in melds]
    transcript(cards, WORDS.the(parse_card("As")), in_melds)


def test_a_hand_is_sorted_into_melds_and_deadwood_counted_by_its_own_rules(transcript):
    tedesco, mahjong = parse_ruleset("tedesco"), parse_ruleset("mahjong")
    #           7c
    #  3c 4c 5c 7h 7s | Ks 9d Ad 2h
    hands = ("3c4c5c7c7h7sKs9dAd2h", "2c3c4c5c6c7c8h9hThJh", "Ac3d", "QcKcAc9dAh2s", "Ah")
    shown = (
        (LETTERS, STANDARD, Sort.MELDS), (WORDS, STANDARD, Sort.MELDS),
        (LETTERS, tedesco, Sort.MELDS), (LETTERS, mahjong, Sort.MELDS),
        (LETTERS, STANDARD, Sort.SUIT), (LETTERS, STANDARD, Sort.RANK),
        (LETTERS, mahjong, Sort.SUIT),
    )  # fmt: skip
    transcript(style.hand(parse_set(hand), *how) for hand in hands for style, *how in shown)


@pytest.mark.parametrize(
    ("stream", "environ", "style"),
    [
        (Stream("utf-8", True), {}, Style(symbols=True, colour=True)),
        (Stream("utf-8", True), {"NO_COLOR": "1"}, Style(symbols=True)),
        (Stream("utf-8", True), {"TERM": "dumb"}, Style(symbols=True)),
        (Stream("utf-8", False), {}, Style(symbols=True)),
        (Stream("ascii", True), {"NO_COLOR": "1"}, Style()),
        (Stream("cp437", False), {}, Style()),
        (Stream(None, False), {}, Style()),
        (Stream("no such codec", False), {}, Style()),
    ],
)
def test_the_style_follows_what_the_output_can_show(stream, environ, style):
    assert style_for(stream, environ) == style


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Ann", "Ann"),
        ("Zoë Nguyễn", "Zoë Nguyễn"),
        ("\x1b[2J\x1b]0;owned\x07", "\ufffd[2J\ufffd]0;owned\ufffd"),
        ("\x9b31mred", "\ufffd31mred"),
        ("a\r\nb\tc", "a  b c"),
        ("abc\u202edef", "abc\ufffddef"),
        ("a\u200bb\u2060c\ufeffd", "a\ufffdb\ufffdc\ufffdd"),
        ("a\u2028b\u00a0c\u3000d", "a b c d"),
        ("\u3164\u2800", "\ufffd\ufffd"),
        ("\U000e0041x", "\ufffdx"),
        ("a\ufe0f", "a\ufffd"),
        ("\ud800", "\ufffd"),
        ("   ", "\ufffd"),
        ("", "\ufffd"),
    ],
)
def test_text_from_others_cannot_control_the_terminal(raw, shown):
    assert safe(raw) == shown


def test_piled_up_marks_and_endless_texts_are_cut():
    assert safe("Z" + "\u0300" * 50) == "Z\u0300\u0300"
    assert safe("\u0301" * 50) == "\ufffd"
    assert safe("x" * 10_000, limit=10) == "x" * 10 + "..."


def test_names_that_look_alike_are_told_apart_by_seat():
    assert display_names(("Ann", "Bob")) == ("Ann", "Bob")
    assert display_names(("Ann", "ann")) == ("Ann (host)", "ann (guest)")
    assert display_names(("You", "Bob")) == ('"You" (host)', "Bob")
    assert names_seen_by(display_names(("Ann", "you")), 0) == ("You", '"you" (guest)')
    assert display_names(("Bob", "B\u043eb")) == ("Bob (host)", "B\u043eb (guest)")


def test_a_name_cannot_pass_for_the_other_seat_or_for_nobody():
    assert display_names(("Ann", "Ann (host)")) == ("Ann", '"Ann (host)" (guest)')
    assert display_names(("ann (Guest)", "Ann")) == ('"ann (Guest)" (host)', "Ann")
    assert display_names(("Nobody", "Ann")) == ('"Nobody" (host)', "Ann")
    assert display_names(("N\u043ebody", "Ann")) == ('"N\u043ebody" (host)', "Ann")
    assert display_names(("224", "Ann")) == ('"224" (host)', "Ann")
    assert display_names(("Ann (Oslo)", "Bob")) == ('"Ann (Oslo)"', "Bob")


def test_verbs_and_names_fit_into_the_sentence(transcript):
    subjects, names = ("Ann", "You"), ("the guest", "The other player", "You", "Ann", "ann")
    transcript(
        [does(who, verb) for who in subjects for verb in ("pass", "go", "draw")],
        [f"{name}: {at_start(name)}, {inside(name)}" for name in names],
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "The connection was lost. The log is kept. It's your opponent's turn.",
        'Your opponent left. Their message: "The other player left."',
    ],
)
def test_the_opponents_name_is_filled_in_but_quoted_text_stays(sentence):
    named, _, typed = by_name(sentence, "Ben").partition(" The other side")
    assert "opponent" not in named
    assert named.count("Ben") == sentence.count("our opponent")
    assert sentence.endswith(typed)


RESULTS = """
void
gin: seat 0 knocked with 0 against 15, 40 to seat 0
big gin: seat 1 knocked with 0 against 15, 46 to seat 1
knock: seat 1 knocked with 4 against 9, 5 to seat 1
undercut: seat 0 knocked with 9 against 9, 25 to seat 1
undercut: seat 1 knocked with 9 against 4, 30 to seat 0
tie: seat 0 knocked with 9 against 9, 0 to nobody
undercut: seat 0 knocked with 9 against 9, 0 to seat 1
gin: seat 0 knocked with 0 against 15, 80 to seat 0, doubled
undercut: seat 0 knocked with 9 against 9, 50 to seat 1, doubled
mahjong: seat 0 went gin against 40, 95 to seat 0, 15 to the other
mahjong: seat 1 went gin against 40, 95 to seat 1, -5 to the other
mahjong: seat 1 went gin against 40, 190 to seat 1, -10 to the other, doubled
""".strip().splitlines()


def test_every_result_is_one_sentence(transcript):
    transcript([result_text(parse_result(result), ("You", "Bob")) for result in RESULTS])


def test_a_duration_is_written_in_words(transcript):
    transcript(duration(minutes) for minutes in (1, 2, 60, 120, 90))


def test_ordinals_have_the_right_endings():
    assert [*map(ordinal, (1, 2, 3, 4, 9))] == ["1st", "2nd", "3rd", "4th", "9th"]
    assert [*map(ordinal, (11, 12, 13, 21, 112, 101))] == [
        *("11th", "12th", "13th", "21st", "112th", "101st")
    ]


def test_an_offer_with_contradictory_presets_names_no_usual_value():
    told = [
        " ".join(
            offer_lines(Offer(1, bytes(32), "Ann", rules, Disclosure.AFTER_MATCH, bytes(32), 0))
        )
        for rules in ("tournament tedesco target=30", "tournament target=30")
    ]
    assert ["target=30 instead of 250" in lines for lines in told] == [False, True]


def test_the_list_shows_the_winner_if_any_and_the_practice_level(transcript):
    stored = StoredMatch("1" * 16, Path("1.ginlog"), 0, "111111")
    ended = [DecidedMatch(("Ada", "Ben"), winner) for winner in (0, 1, None)]
    listed = [ListedMatch(stored, None, status) for status in ended]
    practised = [
        ListedMatch(stored, 0, DecidedMatch(("Ada", "Bot"), 1), level) for level in (3, None)
    ]
    drawn = FinishedMatch(("Ada", "Ben"), Settle(9, 90, 100, Winner.NOBODY))
    practised.append(ListedMatch(stored, 0, DecidedMatch(("Ada", "Bot"), 0)))
    transcript(map(status_text, [*listed, *practised, ListedMatch(stored, 1, drawn)]))
