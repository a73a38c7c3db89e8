"""How cards, hands, names and scores read."""

import io

import pytest

from cli.text.cards import Sort, Style, style_for
from cli.text.grammar import at_start, does, duration, inside, names_seen_by
from cli.text.score_sheet import result_text
from cli.text.series import by_name
from ginpeer.names import display_names, safe
from ginpeer.rules import STANDARD, parse_card, parse_result, parse_ruleset, parse_set

LETTERS = Style()
SYMBOLS = Style(symbols=True)
WORDS = Style(words=True)


class Stream:
    def __init__(self, encoding, tty):
        self.encoding = encoding
        self._tty = tty

    def isatty(self):
        return self._tty


def test_a_card_is_written_as_letter_symbol_or_words():
    ten = parse_card("Td")
    assert (LETTERS.card(ten), SYMBOLS.card(ten)) == ("10d", "10♦")
    assert WORDS.card(ten) == "10 of diamonds"
    assert WORDS.the(parse_card("As")) == "the ace of spades"


def test_colour_marks_red_suits_only_and_adds_nothing_to_the_words():
    style = Style(symbols=True, colour=True)
    assert style.card(parse_card("Td")) == "\x1b[31m10♦\x1b[0m"
    assert style.card(parse_card("Tc")) == "10♣"


def test_with_four_colours_each_suit_has_its_own_and_spades_the_terminals():
    style = Style(colour=True, four=True)
    shown = [style.card(parse_card(f"T{suit}")) for suit in "cdhs"]
    assert shown == ["\x1b[32m10c\x1b[0m", "\x1b[94m10d\x1b[0m", "\x1b[31m10h\x1b[0m", "10s"]
    assert Style(four=True).card(parse_card("Tc")) == "10c"
    assert Style(colour=True, four=True, words=True).card(parse_card("Tc")) == "10 of clubs"


def test_a_meld_in_words_names_what_its_cards_share_once():
    assert WORDS.meld(parse_set("3c4c5c")) == "3, 4, 5 of clubs"
    assert WORDS.meld(parse_set("Jc" + "JdJs")) == "jack of clubs, diamonds, spades"


def test_a_run_around_the_corner_reads_as_it_goes():
    assert LETTERS.meld(parse_set("QcKcAc2c")) == "Qc Kc Ac 2c"
    assert LETTERS.meld(parse_set("KhAh2h3h4h5h6h7h8h9hThJh")) == "Kh Ah " + " ".join(
        f"{rank}h" for rank in (*range(2, 11), "J")
    )
    assert WORDS.meld(parse_set("KcAc2c")) == "king, ace, 2 of clubs"
    assert LETTERS.meld(parse_set("".join(f"{rank}s" for rank in "A23456789TJQK"))).startswith("As")


def test_a_hand_is_sorted_into_melds_and_deadwood_with_its_count():
    #           7c
    #  3c 4c 5c 7h 7s | Ks 9d Ad 2h
    hand = parse_set("3c4c5c7c7h7sKs9dAd2h")
    assert LETTERS.hand(hand, STANDARD) == "melds 3c 4c 5c, 7c 7h 7s; deadwood Ks 9d 2h Ad (22)"
    assert WORDS.hand(parse_set("3c4c5c7c7h7sKs9dAd2h"), STANDARD).endswith(
        "deadwood king of spades, 9 of diamonds, 2 of hearts, ace of diamonds, counting 22"
    )


def test_a_hand_without_deadwood_and_one_without_melds_say_so():
    assert LETTERS.hand(parse_set("2c3c4c5c6c7h8h9hThJh"), STANDARD).endswith("; deadwood none (0)")
    assert LETTERS.hand(parse_set("Ac3d"), STANDARD).startswith("melds none; ")


def test_a_hand_counts_by_its_own_rules():
    tedesco, mahjong = parse_ruleset("tedesco"), parse_ruleset("mahjong")
    hand = parse_set("QcKcAc" + "9dAh2s")
    assert LETTERS.hand(hand, STANDARD) == "melds none; deadwood Kc Qc 9d 2s Ac Ah (33)"
    assert LETTERS.hand(hand, tedesco) == "melds Qc Kc Ac; deadwood Ah 9d 2s (26)"
    assert LETTERS.hand(parse_set("3c4c5cAh9d"), mahjong) == (
        "melds 3c 4c 5c; loose Ah 9d; 5 cards, counting 35"
    )
    assert LETTERS.hand(parse_set("Ah"), mahjong, Sort.SUIT) == "Ah; 1 card, counting 15"


def test_a_hand_can_be_sorted_by_suit_or_rank_and_still_says_its_count():
    hand = parse_set("Kc2d9c2s")
    assert LETTERS.hand(hand, STANDARD, Sort.SUIT) == "9c Kc 2d 2s; deadwood counts 23"
    assert LETTERS.hand(hand, STANDARD, Sort.RANK) == "2d 2s 9c Kc; deadwood counts 23"


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


def test_a_style_is_found_for_an_ordinary_stream():
    assert style_for(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), {}).symbols


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
def test_text_of_others_cannot_steer_the_terminal(raw, shown):
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


def test_verbs_agree_with_their_subject():
    assert [does("Ann", verb) for verb in ("pass", "go", "draw")] == [
        "Ann passes",
        "Ann goes",
        "Ann draws",
    ]
    assert does("You", "pass") == "You pass"


def test_who_has_no_name_yet_is_written_as_the_place_in_the_sentence_wants_it():
    assert (at_start("the guest"), at_start("the host")) == ("The guest", "The host")
    assert (at_start("You"), at_start("ann")) == ("You", "ann")
    assert inside("The other player") == "the other player"
    assert (inside("You"), inside("Ann")) == ("you", "Ann")


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Your opponent left the table.", "Ben left the table."),
        (
            "The log is kept, and it's your opponent's turn.",
            "The log is kept, and it's Ben's turn.",
        ),
        (
            'Your opponent declined the match. The other side said: "The other player left."',
            'Ben declined the match. The other side said: "The other player left."',
        ),
    ],
)
def test_who_has_a_name_is_called_by_it_and_words_that_were_typed_stay(sentence, told):
    assert by_name(sentence, "Ben") == told
    assert by_name(sentence, "The other player") == sentence


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ("void", "The hand is void: nobody scores, and the same player deals again."),
        (
            "gin: seat 0 knocked with 0 against 15, 40 to seat 0",
            "You go gin against 15 and score 40.",
        ),
        (
            "big gin: seat 1 knocked with 0 against 15, 46 to seat 1",
            "Bob goes big gin against 15 and scores 46.",
        ),
        (
            "knock: seat 1 knocked with 4 against 9, 5 to seat 1",
            "Bob knocks with 4 against 9 and scores 5.",
        ),
        (
            "undercut: seat 0 knocked with 9 against 9, 25 to seat 1",
            "You knock with 9 against 9: an undercut, and Bob scores 25.",
        ),
        (
            "undercut: seat 1 knocked with 9 against 4, 30 to seat 0",
            "Bob knocks with 9 against 4: an undercut, and you score 30.",
        ),
        (
            "tie: seat 0 knocked with 9 against 9, 0 to nobody",
            "You knock with 9 against 9: a tie, and nobody scores.",
        ),
        (
            "undercut: seat 0 knocked with 9 against 9, 0 to seat 1",
            "You knock with 9 against 9: a tie, and Bob wins the hand without points.",
        ),
        (
            "gin: seat 0 knocked with 0 against 15, 80 to seat 0, doubled",
            "You go gin against 15 and score 80, doubled for spades.",
        ),
        (
            "undercut: seat 0 knocked with 9 against 9, 50 to seat 1, doubled",
            "You knock with 9 against 9: an undercut, and Bob scores 50, doubled for spades.",
        ),
        (
            "mahjong: seat 0 went gin against 40, 95 to seat 0, 15 to the other",
            "You go gin against 40 and score 95; Bob scores 15.",
        ),
        (
            "mahjong: seat 1 went gin against 40, 95 to seat 1, -5 to the other",
            "Bob goes gin against 40 and scores 95; you score minus 5.",
        ),
        (
            "mahjong: seat 1 went gin against 40, 190 to seat 1, -10 to the other, doubled",
            "Bob goes gin against 40 and scores 190; you score minus 10, doubled for spades.",
        ),
    ],
)
def test_every_result_is_one_sentence(result, sentence):
    assert result_text(parse_result(result), ("You", "Bob")) == sentence


def test_a_void_hand_says_who_deals_next():
    rules = parse_ruleset("standard after-void=alternates")
    assert result_text(parse_result("void"), ("You", "Bob"), rules) == (
        "The hand is void: nobody scores, and the other player deals next."
    )


def test_a_lapse_is_said_in_words():
    assert [duration(minutes) for minutes in (1, 2, 60, 120, 90)] == [
        "1 minute",
        "2 minutes",
        "1 hour",
        "2 hours",
        "90 minutes",
    ]
