"""The rules as a library: complete hands and matches in a few lines, and what is refused."""

import copy
import doctest
import importlib
import itertools
import pickle
import pkgutil
import random

import pytest

import ginpeer.rules
from ginpeer.rules import (
    CARDS,
    DECK,
    STANDARD,
    Discard,
    DrawStock,
    Hand,
    HandResult,
    Illegal,
    Knock,
    Lay,
    Match,
    Outcome,
    Pass,
    RulesError,
    Spread,
    TakeDiscards,
    Unreadable,
    View,
    cards_of,
    mask_of,
    parse_card,
    parse_hand,
    parse_match,
    parse_move,
    parse_ruleset,
    popcount,
)
from tests.refusals import code_of
from tests.rules.drawing import deal, drawn, played, refused
from tests.rules.played import GUEST, HOST, knock, match_of

MODULES = [module.name for module in pkgutil.iter_modules(ginpeer.rules.__path__)]
SECOND_DECK = "oklahoma knock-limit=second-deck"


@pytest.mark.parametrize("name", ["ginpeer.rules", *(f"ginpeer.rules.{name}" for name in MODULES)])
def test_the_examples_in_the_docstrings_are_right(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# --- a hand with every card known ------------------------------------------------


def test_a_deck_is_dealt_card_by_card_to_the_non_dealer_first():
    deck = CARDS
    hand = Hand.deal(dealer=1, deck=deck)
    assert hand.hands == (mask_of(deck[0:20:2]), mask_of(deck[1:20:2]))
    assert (hand.first_upcard, hand.stock) == (deck[20], deck[21:])
    assert Hand.deal(dealer=0, deck=deck).hands == hand.hands[::-1]


def test_a_draw_brings_the_next_card_of_the_stock():
    hand = played(Hand.deal(dealer=1, deck=CARDS), "pass", "pass")
    after = hand.apply(DrawStock())
    assert after.hands[0] == hand.hands[0] | CARDS[21].bit
    assert after.stock == CARDS[22:]
    assert hand.drawing(CARDS[21]) == after
    with pytest.raises(Illegal) as refusal:
        hand.drawing(CARDS[22])
    assert refusal.value.code == "card-not-held"
    assert str(CARDS[22]) in refusal.value.sentence


def test_no_card_is_in_the_stock_and_in_a_hand():
    """This is checked even if only one hand and the stock are known."""
    hand = Hand.begin(STANDARD, 1, CARDS[20]).knowing(0, mask_of(CARDS[:10]))
    hand = played(hand.knowing_stock(CARDS[21:]), "pass", "pass")
    for attempt in (
        lambda: hand.drawing(CARDS[10]),  # only the opponent can have it
        lambda: hand.knowing(1, mask_of(CARDS[11:20]) | CARDS[21].bit),
        lambda: hand._replace(stock=None).knowing_stock(CARDS[9:20] + CARDS[21:41]),
    ):
        assert code_of(Illegal, attempt) == "card-not-held"
    assert hand.knowing(1, mask_of(CARDS[10:20])).hands[1] == mask_of(CARDS[10:20])


def test_the_same_seed_deals_the_same_hand_everywhere():
    # Random.random is the same in every version of Python; sample and shuffle may change.
    assert str(Hand.deal(seed=7)) == (
        "standard; dealer 0; upcard Ah; seat 0 holds JcQc3d9dQd3h9h3sJsKs; "
        "seat 1 holds 2c4c7c9c2dJdKd8hTh6s; "
        "stock KhAc6c6h7dKcQhTc2s8c8s5c7h7s6d4hAs"
        "4d5h3cJh5sTs4s2hAdTd9s5d8dQs"
    )
    assert Hand.deal(seed=7) == Hand.deal(seed=7) != Hand.deal(seed=8)
    second = Hand.deal(parse_ruleset(SECOND_DECK), seed=7)
    assert (second.to_move, second.first_upcard, len(second.stock)) == (1, None, 32)
    assert second.knock_card is not None


def test_a_known_stock_is_in_the_text_but_not_in_a_view():
    hand = played(Hand.deal(seed=3), "pass", "pass", "draw")
    assert parse_hand(str(hand)) == hand
    assert "stock" not in str(hand.seen_by(1))
    view = View(1, hand, Match.begin(STANDARD, 0))
    assert (view.hand.stock, view.hand.hands[0]) == (None, None)
    assert view.cards == hand.hands[1]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda hand, stock: (), "wrong-card-count"),
        (lambda hand, stock: stock[:1], "wrong-card-count"),
        (lambda hand, stock: (*stock, hand.first_upcard), "wrong-card-count"),
        (lambda hand, stock: (stock[1], *stock[1:]), "wrong-card-count"),
        (lambda hand, stock: (cards_of(hand.hands[0])[0], *stock[1:]), "card-not-held"),
        (lambda hand, stock: (hand.first_upcard, *stock[1:]), "card-not-held"),
    ],
)
def test_an_impossible_stock_is_refused(change, code):
    hand = Hand.deal(seed=3)
    assert code_of(Illegal, hand.knowing_stock, change(hand, hand.stock)) == code


# --- exactly the legal moves ------------------------------------------------------------


def spelt(move):
    """Return the move in a form that doesn't depend on the order of its parts."""
    if isinstance(move, Knock):
        return ("knock", move.discard, frozenset(move.melds), move.deadwood)
    return ("spread", frozenset(move.melds), frozenset(move.layoffs), move.deadwood)


def ways_to_meld(cards, melds):
    """Yield every set of up to three disjoint melds in these cards, by trying all combinations."""
    inside = [meld for meld in melds if not meld & ~cards]
    for count in range(4):
        for chosen in itertools.combinations(inside, count):
            if popcount(mask_of(c for meld in chosen for c in cards_of(meld))) == sum(
                map(popcount, chosen)
            ):
                yield chosen


# Ac 2c 3c 4c 5c   5d 5h 5s   2d, Ks, and 9h drawn: there are several ways to meld the fives
KNOCKER = "Ac 2c 3c 4c 5c  5d 5h 5s  2d Ks"
DEFENDER = "6c 7c 8c  6d 6h 6s  2h 2s Kc Kd"


def about_to_knock():
    return played(deal(1, KNOCKER, DEFENDER, "Qh"), "pass", "pass", "draw Ad")


def test_the_listed_knocks_are_exactly_the_legal_ones():
    hand = about_to_knock()
    listed = [move for move in hand.legal_moves() if isinstance(move, Knock)]
    tried = set()
    for card in cards_of(hand.hands[0]):
        kept = hand.hands[0] ^ card.bit
        for chosen in ways_to_meld(kept, hand.melding.melds):
            tried.add(Knock(card, chosen, kept ^ sum(chosen)))
    legal = {spelt(move) for move in tried if hand.is_legal(move)}
    assert {spelt(move) for move in listed} == legal
    assert len(listed) == len(legal) > 5
    others = [move for move in tried if not hand.is_legal(move)]
    assert others
    assert not any(move in hand.legal_moves() for move in others)


def test_the_listed_spreads_are_exactly_the_legal_ones():
    hand = about_to_knock().apply(parse_move("knock Ks melds Ac2c3c4c5c 5d5h5s deadwood Ad2d"))
    listed = list(hand.legal_moves())
    legal = set()
    open_melds, mine = hand.open_melds, hand.hands[1]
    # Lay off card by card in every order, and meld the rest in every way.
    todo, seen = [((), open_melds)], set()
    while todo:
        layoffs, melds = todo.pop()
        if (key := frozenset(layoffs)) in seen:
            continue
        seen.add(key)
        laid = mask_of(card for card, _ in layoffs)
        for chosen in ways_to_meld(mine & ~laid, hand.melding.melds):
            spread = Spread(chosen, layoffs, mine & ~laid & ~sum(chosen))
            assert hand.is_legal(spread)
            assert spread in hand.legal_moves()
            legal.add(spelt(spread))
        for card, (at, meld) in itertools.product(cards_of(mine & ~laid), enumerate(melds)):
            if hand.melding.is_meld(meld | card.bit):
                grown = (*melds[:at], meld | card.bit, *melds[at + 1 :])
                todo.append(((*layoffs, (card, at)), grown))
    assert {spelt(move) for move in listed} == legal
    assert len(listed) == len(legal) > 10


def test_a_move_is_legal_in_any_order_of_its_melds():
    hand = about_to_knock()
    for knock_ in [move for move in hand.legal_moves() if isinstance(move, Knock)]:
        for melds in itertools.permutations(knock_.melds):
            assert Knock(knock_.discard, melds, knock_.deadwood) in hand.legal_moves()
    assert Pass() not in hand.legal_moves()
    assert parse_move("knock Ks deadwood Ac") not in hand.legal_moves()
    assert None not in hand.legal_moves()
    assert "discard Ks" not in hand.legal_moves()
    assert Discard(parse_card("Ks")) in hand.legal_moves()


def test_legal_moves_can_be_copied_and_counted_and_chosen_from():
    moves = about_to_knock().legal_moves()
    for copied in (copy.deepcopy(moves), pickle.loads(pickle.dumps(moves))):
        assert copied == moves
        assert parse_move("knock Ks melds 5d5h5s Ac2c3c4c5c deadwood Ad2d") in copied
    assert len(list(moves)) == len(moves)
    assert random.Random(1).choice(moves) in moves


THEIRS = "8d Td Qd  4h 6h 8h Th  4s 6s 8s"


def test_a_card_that_follows_another_can_be_laid_with_it_in_mahjong_gin():
    # A run of 3c 4c 5c is on the table. 7c was just taken and can follow 6c there. If 6c were added
    # alone, 7c would be the only card left, which isn't allowed (RULES 12.6).
    rules = parse_ruleset("mahjong")
    table = deal(1, "3c 4c 5c  9d 9h 9s  2d 2h 2s  6c", THEIRS, "Ks", rules)
    hand = played(table, "pass", "pass", "draw Kd", "lay 3c4c5c 9d9h9s 2d2h2s", "discard Kd")
    hand = played(hand, "draw 7c", "discard 7c", "take")
    refused(hand, "lay add 6c@0", "just-taken")
    both = parse_move("lay add 6c@0 7c@0")
    assert both in list(hand.legal_moves())
    assert hand.apply(both).knocker == 0
    assert not any(isinstance(move, Lay) and move != both for move in hand.legal_moves())


def test_the_lowest_card_taken_can_be_laid_after_a_card_of_the_hand():
    rules = parse_ruleset("mahjong")
    table = deal(1, "3c 4c 5c  9d 9h 9s  2d 2h 6c Qc", THEIRS, "Ks", rules)
    hand = played(table, "pass", "pass", "draw Kd", "lay 3c4c5c", "discard Kd")
    hand = played(hand, "draw 7c", "discard 7c", "draw Kc", "discard Kc", "draw Jd", "discard Jd")
    wanted = parse_move("take 3 lay add 6c@0 7c@0")
    assert wanted in [move for move in hand.legal_moves() if isinstance(move, TakeDiscards)]
    assert hand.apply(wanted).table_melds == (drawn("3c4c5c6c7c"),)


# --- impossible values ----------------------------------------------------------------------

SEVEN, HAND, MATCH = parse_card("7d"), Hand.deal(seed=1), Match.begin(STANDARD, 0)


@pytest.mark.parametrize("seat", [2, -1, "0", 1.0, True])
@pytest.mark.parametrize(
    "attempt",
    [
        lambda seat: Hand.begin(STANDARD, seat, SEVEN),
        lambda seat: Hand.deal(STANDARD, seat, seed=1),
        lambda seat: Hand.deal(parse_ruleset(SECOND_DECK), seat, seed=1),
        lambda seat: Hand.begin(STANDARD, 0, SEVEN).knowing(seat, HAND.hands[0]),
        lambda seat: HAND.hand_of(seat),
        lambda seat: HAND.size(seat),
        lambda seat: HAND.laid(seat),
        lambda seat: HAND.layoffs(seat),
        lambda seat: HAND.known_held(seat),
        lambda seat: HAND.seen_by(seat),
        lambda seat: View(seat, HAND, MATCH),
        lambda seat: Match.begin(STANDARD, seat),
        lambda seat: MATCH.resign(seat),
    ],
)
def test_an_invalid_seat_is_refused_on_entry(attempt, seat):
    assert code_of(Unreadable, attempt, seat) == "no-such-seat"


def test_the_first_player_with_a_second_deck_must_be_a_valid_seat():
    with pytest.raises(Unreadable) as caught:
        Hand.deal(parse_ruleset(SECOND_DECK), seed=1, first=2)
    assert caught.value.code == "no-such-seat"


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Hand.begin(STANDARD, 0, SEVEN).knowing(0, DECK + 1),
        lambda: Hand.begin(STANDARD, 0, SEVEN).knowing(0, -1),
        lambda: cards_of(DECK + 1),
        lambda: cards_of(-1),
        lambda: HAND.melding.deadwood(DECK + 1),
        lambda: HAND.melding.deadwood(-1),
        lambda: HAND.melding.arrangements(1 << 60),
        lambda: HAND.melding.all_arrangements(1 << 60),
        lambda: HAND.melding.deadwood_after_discard(1 << 60),
    ],
)
def test_an_invalid_set_of_cards_is_refused(attempt):
    assert code_of(RulesError, attempt) == "unreadable-card"


@pytest.mark.parametrize("deck", [CARDS[1:], (*CARDS, CARDS[0]), (*CARDS[1:], CARDS[1]), ()])
def test_an_invalid_deck_is_not_dealt(deck):
    assert code_of(Unreadable, Hand.deal, deck=deck) == "unreadable-hand"


def test_a_hand_is_dealt_from_a_seed_or_from_a_deck():
    for given in ({}, {"seed": 1, "deck": CARDS}):
        with pytest.raises(ValueError, match="a seed or from a deck"):
            Hand.deal(**given)


IMPOSSIBLE = {
    "points without end": HandResult(Outcome.GIN, HOST, 9_999, HOST, 0, 5),
    "more points than the deadwood brings": HandResult(Outcome.KNOCK, HOST, 29, HOST, 4, 32),
    "more deadwood than ten cards count": HandResult(Outcome.KNOCK, HOST, 100, HOST, 4, 104),
    "a knock over the limit": HandResult(Outcome.KNOCK, HOST, 20, HOST, 11, 31),
    "an undercut won by the knocker": HandResult(Outcome.UNDERCUT, HOST, 27, HOST, 4, 2),
    "an undercut by more": HandResult(Outcome.UNDERCUT, GUEST, 23, HOST, 4, 6),
    "gin with deadwood": HandResult(Outcome.GIN, HOST, 30, HOST, 1, 5),
    "gin won by the other": HandResult(Outcome.GIN, GUEST, 30, HOST, 0, 5),
    "a tie that nobody wins": HandResult(Outcome.TIE, None, 0, HOST, 4, 4),
    "a knocker who is none": HandResult(Outcome.KNOCK, 2, 28, 2, 4, 32),
    "nobody's knock": HandResult(Outcome.KNOCK, None, 28, None, 4, 32),
    "a doubled hand": HandResult(Outcome.KNOCK, HOST, 56, HOST, 4, 32, doubled=True),
    "points to both": HandResult(Outcome.KNOCK, HOST, 28, HOST, 4, 32, other_points=5),
    "a void hand with points": HandResult(Outcome.VOID, HOST, 5, None, 0, 0),
    "Mahjong gin": HandResult(Outcome.MAHJONG, HOST, 80, HOST, 0, 10, other_points=20),
    "a knock without deadwood": HandResult(Outcome.KNOCK, HOST, 32, HOST, 0, 32),
    "a knock won with more deadwood": HandResult(Outcome.KNOCK, HOST, -1, HOST, 5, 4),
    "big gin with deadwood": HandResult(Outcome.BIG_GIN, HOST, 36, HOST, 1, 5),
    "big gin for other points": HandResult(Outcome.BIG_GIN, HOST, 30, HOST, 0, 5),
    "a tie without deadwood": HandResult(Outcome.UNDERCUT, GUEST, 25, HOST, 0, 0),
    "a tie with other points": HandResult(Outcome.UNDERCUT, GUEST, 26, HOST, 4, 4),
    "a tie without its bonus": HandResult(Outcome.UNDERCUT, GUEST, 0, HOST, 4, 4),
    "less than no deadwood of the knocker": HandResult(Outcome.KNOCK, HOST, 10, HOST, -4, 6),
    "less than no deadwood of the other": HandResult(Outcome.GIN, HOST, 20, HOST, 0, -5),
}


@pytest.mark.parametrize("result", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_result_is_not_recorded(result):
    assert code_of(Illegal, MATCH.record, result) == "impossible-result"


def test_a_finished_match_takes_no_further_hand():
    over = MATCH.resign(HOST)
    for result in (knock(HOST, 30), IMPOSSIBLE["points without end"]):
        assert code_of(Illegal, over.record, result) == "match-over"
    assert code_of(Illegal, over.deal, seed=1) == "match-over"
    ended = HAND._replace(result=knock(HOST, 30))
    assert code_of(Illegal, over.after, ended) == "match-over"


def test_a_text_of_a_match_with_an_impossible_result_is_refused():
    text = "standard; first dealer 0; gin: seat 0 knocked with 0 against 5, {} to seat 0"
    assert parse_match(text.format(30)).scores == (30, 0)
    assert code_of(Illegal, lambda: parse_match(text.format(9999))) == "impossible-result"


@pytest.mark.parametrize(
    ("rules", "result"),
    [
        ("standard tie=nobody", HandResult(Outcome.UNDERCUT, GUEST, 25, HOST, 4, 4)),
        ("standard tie=nobody", HandResult(Outcome.TIE, None, 0, HOST, 4, 5)),
        ("standard tie=nobody", HandResult(Outcome.TIE, None, 0, HOST, 0, 0)),
        ("standard tie=nobody", HandResult(Outcome.TIE, None, 5, HOST, 4, 4)),
        ("mahjong", HandResult(Outcome.MAHJONG, HOST, 80, HOST, 5, 10)),
        (
            "mahjong spades-double=yes",
            HandResult(Outcome.MAHJONG, HOST, 161, HOST, 0, 10, doubled=True),
        ),
        (
            "mahjong spades-double=yes",
            HandResult(Outcome.MAHJONG, HOST, 160, HOST, 0, 10, doubled=True, other_points=-15),
        ),
        ("standard tie=no-bonus", HandResult(Outcome.UNDERCUT, GUEST, 25, HOST, 4, 4)),
        ("standard big-gin=none", HandResult(Outcome.BIG_GIN, HOST, 5, HOST, 0, 5)),
        ("straight", knock(HOST, 30)),
        ("mahjong", HandResult(Outcome.MAHJONG, HOST, 24, HOST, 0, 10)),
        ("mahjong", HandResult(Outcome.MAHJONG, HOST, 400, HOST, 0, 40, other_points=10)),
        ("mahjong", HandResult(Outcome.MAHJONG, HOST, 80, HOST, 0, 10, other_points=-11)),
        ("mahjong", HandResult(Outcome.MAHJONG, GUEST, 80, HOST, 0, 10)),
        ("mahjong", knock(HOST, 30)),
        ("mahjong", HandResult(Outcome.GIN, HOST, 80, HOST, 0, 10)),
    ],
)
def test_which_results_are_impossible_depends_on_the_rules(rules, result):
    with pytest.raises(Illegal):
        match_of(result, rules=rules)


# --- how values are shown -------------------------------------------------------------------


def test_a_hand_is_printed_as_a_board():
    assert about_to_knock().board().splitlines() == [
        "standard, dealt by seat 1; seat 0 to move: discard",
        "stock 30; pile, from the top: Qh",
        "seat 0: Ac 2c 3c 4c, 5c 5d 5h 5s; deadwood Ks 2d Ad (13)",
        "seat 1: 6c 7c 8c, 6d 6h 6s; deadwood Kc Kd 2h 2s (24)",
    ]
    view = View(1, about_to_knock(), MATCH)
    assert str(view).splitlines()[2:] == [
        "seat 0: 11 cards",
        "seat 1: 6c 7c 8c, 6d 6h 6s; deadwood Kc Kd 2h 2s (24)",
    ]


def test_a_board_shows_the_melds_and_layoffs_after_a_knock():
    hand = played(
        about_to_knock(),
        "knock Ks melds Ac2c3c4c5c 5d5h5s deadwood Ad2d",
        "spread melds 6d6h6s layoff 6c@0 7c@0 8c@0 deadwood 2h2sKcKd",
    )
    assert hand.board(("Ann", "Bob")).splitlines() == [
        "standard, dealt by Bob",
        "stock 30; pile, from the top: Ks Qh",
        "Ann knocks: Ac 2c 3c 4c 5c, 5d 5h 5s; deadwood 2d Ad (3)",
        "Bob: 6d 6h 6s; 6c on Ac 2c 3c 4c 5c; 7c on Ac 2c 3c 4c 5c; 8c on Ac 2c 3c 4c 5c; "
        "deadwood Kc Kd 2h 2s (24)",
        "knock: Ann knocked with 3 against 24, 21 to Ann",
    ]


def test_a_board_of_mahjong_gin_shows_the_melds_on_the_table():
    rules = parse_ruleset("mahjong")
    table = deal(1, "3c 4c 5c  9d 9h 9s  2d 2h 6c Qc", THEIRS, "Ks", rules)
    hand = played(table, "pass", "pass", "draw Kd", "lay 3c4c5c", "discard Kd")
    assert hand.board().splitlines()[1:4] == [
        "stock 30; pile, from the top: Kd Ks",
        "table: 3c 4c 5c",
        "seat 0: 9d 9h 9s; Qc 6c 2d 2h (40)",
    ]


def test_the_final_board_of_mahjong_gin_shows_the_remaining_cards():
    table = deal(1, "3c 4c 5c 6c  9d 9h 9s  2d 2h 2s", THEIRS, "Ks", parse_ruleset("mahjong"))
    gin = ["draw Kd", "lay 3c4c5c6c", "lay 9d9h9s", "lay 2d2h2s", "discard Kd"]
    hand = played(table, "pass", "pass", *gin, "spread deadwood " + THEIRS.replace(" ", ""))
    assert hand.board().splitlines()[2:] == [
        "table: 3c 4c 5c 6c, 9d 9h 9s, 2d 2h 2s",
        "seat 0: no card (0)",
        "seat 1: 8d 8h 8s; Qd Td Th 6h 6s 4h 4s (65)",
        "mahjong: seat 0 went gin against 65, 75 to seat 0, -65 to the other",
    ]


def test_a_match_is_printed_as_a_score_sheet():
    match = match_of(knock(HOST, 40), knock(GUEST, 20), knock(HOST, 60), rules="standard stake=2")
    assert match.sheet(("Ann", "Bob")).splitlines() == [
        "standard stake=2",
        "hand  dealer  Ann  Bob  result",
        "   1  Ann      40    0  knock: Ann knocked with 4 against 44, 40 to Ann",
        "   2  Bob      40   20  knock: Bob knocked with 4 against 24, 20 to Bob",
        "   3  Ann     100   20  knock: Ann knocked with 4 against 64, 60 to Ann",
        "",
        "            Ann  Bob",
        "hands       100   20",
        "game bonus  100    0",
        "boxes        50   25",
        "total       250   45",
        "Ann has won, by 205",
        "Bob owes 410",
    ]
    assert str(match.settlement()).splitlines()[0] == "            seat 0  seat 1"


def test_a_sheet_of_columns_has_an_account_for_each():
    match = match_of(knock(HOST, 60), rules="hollywood").resign(GUEST)
    lines = str(match.settlement()).splitlines()
    assert [line for line in lines if line.startswith(("game 1", "all games"))] == [
        "game 1, column 1  seat 0  seat 1",
        "game 1, column 2  seat 0  seat 1",
        "game 1, column 3  seat 0  seat 1",
        "all games  seat 0  seat 1",
    ]
    assert lines[-2:] == ["seat 1 resigned", f"seat 0 has won, by {match.settlement().margin}"]


def test_an_unfinished_match_has_a_sheet_without_an_account():
    assert match_of(knock(HOST, 40)).sheet().splitlines() == [
        "standard",
        "hand  dealer  seat 0  seat 1  result",
        "   1  seat 0      40       0  knock: seat 0 knocked with 4 against 44, 40 to seat 0",
    ]
