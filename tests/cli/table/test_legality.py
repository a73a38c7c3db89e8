"""What `rules` answers: everything that may be done now, and whether one move may."""

import random
import re

import pytest

from cli.table.commands import parse_command
from cli.table.legality import explain_legality, legal_actions
from cli.table.resolve import Tried, resolve_tried
from ginpeer.rules import CARDS, DrawStock, Illegal, Phase, parse_ruleset
from ginpeer.rules.hand import WALL
from tests.cli.seated import Seated
from tests.cli.table.views import DREW, KNOCK, STYLE, VARIANTS, at, random_views

NOT_YET = "You cannot throw a card or knock before you have drawn or taken one (4.3)."


SITUATIONS = {
    "the first upcard": (
        at(),
        [
            "You may take 6d, or pass (4.2).",
            "You cannot draw from the stock until both players have passed (4.2).",
            NOT_YET,
        ],
    ),
    "the dealer's choice": (
        at("pass"),
        [
            "You may take 6d, or pass (4.2).",
            "You cannot draw: if you pass, the other player draws from the stock (4.2).",
            NOT_YET,
        ],
    ),
    "after two passes": (
        at("pass", "pass"),
        ["You may draw from the stock; 6d has been passed by both players (4.2).", NOT_YET],
    ),
    "a turn like any other": (
        at("take", "discard Ks"),
        [
            "You may draw from the stock, or take Ks (4.3).",
            "You cannot pass; only the first upcard of a hand is passed (4.2).",
            NOT_YET,
        ],
    ),
    "after taking the upcard": (
        at("take"),
        [
            "You may throw any card but 6d, which you just took (4.4).",
            "You cannot knock: your best leaves 13 and the limit is 10 (5.1).",
            "You cannot go gin: your best leaves 13 (5.4).",
            "You cannot go big gin: with all eleven cards 23 is left (5.5).",
        ],
    ),
    "a hand that can knock": (
        at(*DREW, cards="3c 4c 5c 7c 7h 7s 2d 3d 4d Ks"),
        [
            "You may throw any card (4.3).",
            "You may knock: knock Ks leaves 9, knock 9h leaves 10 (5.1).",
            "You cannot go gin: your best leaves 9 (5.4).",
            "You cannot go big gin: with all eleven cards 19 is left (5.5).",
        ],
    ),
    "a hand that can go gin and big gin": (
        at("pass", "pass", "draw 6h", cards="3c 4c 5c 7h 8h 9h 2d 3d 4d 5d"),
        [
            "You may throw any card (4.3).",
            "You may knock: "
            "knock 5c leaves 7, knock 4c leaves 8, knock 3c leaves 9, knock 4d leaves 10 (5.1).",
            "You may go gin: "
            "gin 9h leaves 0, gin 6h leaves 0, gin 5d leaves 0, gin 2d leaves 0 (5.4).",
            "You may go big gin: all eleven cards are in melds (5.5).",
        ],
    ),
    "gin alone ends a hand": (
        at(*DREW, rules="straight big-gin=none"),
        [
            "You may throw any card (4.3).",
            "You cannot knock without gin, and your best leaves 16 (10.6).",
        ],
    ),
    "a spade where the limit is a number": (
        at(*DREW, rules="standard spades-double=yes", upcard="6s"),
        [
            "This hand counts double (10.3).",
            "You may throw any card (4.3).",
            "You cannot knock: your best leaves 16 and the limit is 10 (5.1).",
            "You cannot go gin: your best leaves 16 (5.4).",
            "You cannot go big gin: with all eleven cards 26 is left (5.5).",
        ],
    ),
    "a limit by a spade": (
        at(*DREW, rules="oklahoma", upcard="6s"),
        [
            "The knock limit of this hand is 6, by 6s (10.1).",
            "This hand counts double (10.3).",
            "You may throw any card (4.3).",
            "You cannot knock: your best leaves 16 and the limit is 6 (10.1).",
            "You cannot go gin: your best leaves 16 (5.4).",
            "You cannot go big gin: with all eleven cards 26 is left (5.5).",
        ],
    ),
    "a floating ace": (
        at(rules="oklahoma-floating", upcard="Ad"),
        [
            "The knock limit of this turn is gin only, by Ad (10.5).",
            "You may take Ad, or pass (4.2).",
            "You cannot draw from the stock until both players have passed (4.2).",
            NOT_YET,
        ],
    ),
    "against a knock": (
        at(*DREW, f"{KNOCK} deadwood 3h4d2dAh", cards="3c 4c 5c 7c 7h 7s 3h 4d 2d Ah"),
        [
            "You spread: melds and deadwood, all ten cards (6.1).",
            "You may lay off on meld 1, 3c 4c 5c; meld 2, 7c 7h 7s (6.3).",
        ],
    ),
    "against gin": (
        at(*DREW, f"{KNOCK} 2c2d2h2s", cards="3c 4c 5c 7c 7h 7s 2c 2d 2h 2s"),
        [
            "You spread: melds and deadwood, all ten cards (6.1).",
            "You cannot lay off: nothing is laid off against gin (6.3).",
        ],
    ),
    "the last card of the stock": (
        at(*DREW, stock_left=WALL + 1),
        [
            "You may throw any card (4.3).",
            "If the hand is not ended with this turn, it is void (4.7).",
            "You cannot knock: your best leaves 16 and the limit is 10 (5.1).",
            "You cannot go gin: your best leaves 16 (5.4).",
            "You cannot go big gin: with all eleven cards 26 is left (5.5).",
        ],
    ),
    "the last discard, of no use": (
        at(*DREW, "discard 9h", rules="standard wall=last-discard", stock_left=WALL + 1),
        [
            "You may pass; the hand is then void (4.7).",
            "With 9h you could not knock: your best leaves 92, and the limit is 10. You may take "
            "it, but the hand is void all the same (5.1).",
        ],
    ),
    "the last discard, to knock with": (
        at(
            *DREW,
            "discard 4d",
            rules="standard wall=last-discard",
            stock_left=WALL + 1,
            dealers="3d 5d 8s 9s Ts Qd Qh Qs Ac 2c",
        ),
        [
            "You may pass; the hand is then void (4.7).",
            "You may take 4d and knock; your best leaves 1 (4.7).",
        ],
    ),
    "Mahjong gin, with a meld": (
        at(*DREW, rules="mahjong"),
        [
            "You may throw any card (4.3).",
            "You may lay melds on the table (12.4).",
            "You cannot knock; nobody does in Mahjong gin (12.2).",
        ],
    ),
    "Mahjong gin, a pile to take from": (
        at(*DREW, "discard 7c", "draw 2h", "discard Tc", rules="mahjong"),
        [
            "You may draw from the stock, or take 10c (4.3).",
            "You may take the top 2 cards, if you lay the lowest of them at once (12.3).",
            "You cannot pass; only the first upcard of a hand is passed (4.2).",
            "You cannot throw a card or lay any before you have drawn or taken one (4.3).",
        ],
    ),
    "Mahjong gin, a table to add to": (
        at(*DREW, "lay 3c4c5c", "discard 9h", "draw 2s", rules="mahjong"),
        [
            "You may throw any card (4.3).",
            "You cannot lay a meld: you hold none that may be laid now (12.4).",
            "You may add cards to the melds on the table (12.5).",
            "You cannot knock; nobody does in Mahjong gin (12.2).",
        ],
    ),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_situation_says_what_may_be_done_and_what_not(name):
    view, lines = SITUATIONS[name]
    assert legal_actions(view, STYLE) == lines


@pytest.mark.parametrize("text", VARIANTS)
def test_every_answer_has_the_number_of_a_rule(text):
    rules = parse_ruleset(text)
    for view in random_views(rules, 6, random.Random(text)):
        lines = legal_actions(view, STYLE)
        assert lines
        for line in lines:
            assert re.fullmatch(r"(You|The|This|With|If) .* \(\d+\.\d+\)\.", line), line


def asked(text, view):
    command = parse_command(f"rules {text}")
    assert command.name == "rules"
    return explain_legality(resolve_tried(command.argument, view, STYLE), STYLE)


@pytest.mark.parametrize("text", VARIANTS)
@pytest.mark.deep(keep=2)
def test_whatever_is_legal_may_be_done_and_nothing_else(text):
    rng = random.Random(text)
    said = set()
    for view in random_views(parse_ruleset(text), 6, rng):
        before = str(view.hand)
        legal = {str(move) for move in view.hand.sensible_moves()}
        throws = [f"discard {card}" for card in CARDS]
        answers = ("show",) if view.hand.rules.mahjong else ("spread",)
        for move in ("pass", "take", "draw", *answers, *throws):
            answer = asked(move, view)
            typed = "spread" if move == "show" else move
            # "take" is not short for "take 3 lay 8s9s10s".
            allowed = typed in legal or (typed == "spread" and view.hand.phase is Phase.LAY_OFF)
            if move == "show" and view.hand.phase is not Phase.LAY_OFF:
                continue
            assert answer.startswith("Yes: " if allowed else "No: "), (move, answer)
            assert re.search(r" \(RULES \d+\.\d+(, \d+\.\d+)*\)\.$", answer), answer
            said.add(answer.partition(":")[0])
        for move in legal:
            assert asked(move, view).startswith("Yes: "), move
        assert str(view.hand) == before
    assert said == {"Yes", "No"}


@pytest.mark.parametrize(
    ("view", "typed", "answer"),
    [
        (at(), "pass", "Yes: you may pass (RULES 4.2)."),
        (at(), "take", "Yes: you may take 6d, and throw another card (RULES 4.4)."),
        (at(), "draw", "No: that cannot be done now: the non-dealer takes the upcard or passes "
         "(RULES 4.2)."),
        (at("take"), "6d", "No: 6d was just taken; throw another card (RULES 4.4)."),
        (at("take"), "Ks", "Yes: you may throw Ks (RULES 4.3)."),
        (at("take"), "Qd", "No: Qd is not in the hand (RULES 4.3)."),
        (at("take"), "knock ks", "No: the deadwood counts 13; to knock it may count at most 10 "
         "(RULES 5.1)."),
        (at("take", rules="oklahoma"), "knock ks", "No: the deadwood counts 13; to knock it may "
         "count at most 6 (RULES 10.1)."),
        (at("take"), "knock", "No: you cannot knock: 13 is the least you can keep, and the limit "
         "is 10 (RULES 5.1)."),
        (at(*DREW, rules="oklahoma", upcard="4h"), "knock",
         "No: you cannot knock: 16 is the least you can keep, and the limit is 4 (RULES 10.1)."),
        (at("take"), "spread",
         "No: spreading answers a knock; that cannot be done now (RULES 6.1)."),
        (at(*DREW, rules="mahjong"), "lay", "Yes: you may lay that (RULES 12.4)."),
        (at(*DREW, rules="mahjong"), "add 6c", "No: 6c is not in your hand (RULES 4.3)."),
        (at(*DREW, rules="mahjong"), "knock ks",
         "No: nobody knocks in Mahjong gin: lay your cards on the table, and throw "
         "the last one (RULES 12.2)."),
        (SITUATIONS["Mahjong gin, a pile to take from"][0], "take 2",
         "Yes: you may take 2 cards, for the lowest of them is laid (RULES 12.3)."),
        (SITUATIONS["Mahjong gin, a table to add to"][0], "add 6c",
         "Yes: you may lay that (RULES 12.5)."),
        (at("take"), "gin ks", "No: throwing Ks leaves 13; that is not gin (RULES 5.4)."),
        (at("take"), "big gin", "No: big gin needs all eleven cards melded; deadwood of 23 is left "
         "(RULES 5.5)."),
        (at("take"), "knock 9h", "No: 9h is not in your hand (RULES 4.3)."),
        (SITUATIONS["a hand that can knock"][0], "knock ks",
         "Yes: throwing Ks leaves 9; the limit is 10 (RULES 5.1)."),
        (SITUATIONS["a hand that can knock"][0], "knock",
         "Yes: you may, but say which card to throw: knock Ks leaves 9, knock 9h leaves 10 "
         "(RULES 5.1)."),
        (SITUATIONS["a hand that can go gin and big gin"][0], "big gin",
         "Yes: you may go big gin: all eleven cards are in melds (RULES 5.5)."),
        (SITUATIONS["a hand that can go gin and big gin"][0], "gin 9h",
         "Yes: throwing 9h leaves no deadwood, and that is gin (RULES 5.4)."),
        (SITUATIONS["against a knock"][0], "spread", "Yes: that spread leaves 87 (RULES 6.2)."),
        (SITUATIONS["against a knock"][0], "spread melds none layoff none",
         "Yes: that spread leaves 93; the best leaves 87 (RULES 6.2)."),
        (SITUATIONS["against gin"][0], "spread layoff 6c",
         "No: nothing can be laid off against gin (RULES 6.3)."),
        (SITUATIONS["the last card of the stock"][0], "9h",
         "Yes: you may throw 9h, but the hand is void then (RULES 4.7)."),
        (at(*DREW, rules="standard swap-limit=4", swaps=4), "9h",
         "Yes: you may throw 9h (RULES 4.3)."),
        (at("take", rules="standard swap-limit=4", swaps=3), "Ks",
         "Yes: you may throw Ks, but the hand is void then (RULES 4.8)."),
        (at(), "resign", "Yes: it is your turn, so you may resign the match (RULES 8.8)."),
        (SITUATIONS["against gin"][0], "resign",
         "Yes: this hand counts, so your cards are laid down first (RULES 8.8)."),
        (at(), "help",
         "No rule is about that; ask about a move, as in: rules take, rules knock 7d."),
    ],
)  # fmt: skip
def test_an_answer_says_why(view, typed, answer):
    said = asked(typed, view)
    assert said == answer


def test_several_ways_to_show_a_hand_are_one_answer():
    #  3c 4c 5c   as three runs or as three sets
    #  3d 4d 5d
    #  3h 4h 5h  As
    view = at(*DREW, cards="3c 4c 5c 3d 4d 5d 3h 4h 5h As")
    assert asked("knock 9h", view) == (
        "Yes: throwing 9h leaves 1; the limit is 10; there are 3 ways to show it, and you will be "
        "asked (RULES 5.1)."
    )


def test_out_of_turn_the_answer_is_no():
    tried = Tried(DrawStock(), None, Illegal("not-your-turn", "It is not your turn."))
    assert explain_legality(tried, STYLE) == "No: it is not your turn."


def test_a_question_about_a_move_does_not_make_it(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    seated = Seated(interactive=True).sit()
    assert "No: " in seated.type("rules knock 9h")  # before any choice is ours
    seated.choose(at(*DREW, cards="3c 4c 5c 7c 7h 7s 2d 3d 4d Ks").hand)
    assert "Yes: throwing Ks leaves 9; the limit is 10 (RULES 5.1)." in seated.type("rules k ks")
    assert "No: the deadwood counts 24;" in seated.type("rules knock 4d")
    assert "is no card" in seated.type("rules knock 7x")
    assert seated.session.played == []
    seated.type("knock ks")
    assert len(seated.session.played) == 1


def test_a_program_is_answered_too():
    seated = Seated(interactive=False).sit()
    seated.choose(at().hand)
    assert seated.type("rules draw").startswith('event info text="No: that cannot be done now: ')
    assert "Yes: you may pass (RULES 4.2)." in seated.type("rules pass")
    assert seated.session.played == []
