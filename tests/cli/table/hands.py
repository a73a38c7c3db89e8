"""Hands drawn as diagrams or played at random, and views of them, for tests of the table."""

from cli.text.cards import Style
from ginpeer.rules import Match, Phase, View, parse_card, parse_ruleset
from tests.rules.drawing import deal, played, shuffled_deal

STYLE = Style()

# 3c 4c 5c    3c 3d 3h
# 3d 4d 5d or 4c 4d 4h
# 3h 4h 5h    5c 5d 5h | As
SQUARE = "3c 4c 5c 3d 4d 5d 3h 4h 5h As"

#         7c
# 3c 4c 5c 7h 7s | Ks 4d 2d Ah
NON_DEALER = "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


def square_with_a_king():
    """Return a hand in which the non-dealer has eleven cards. Once the king is discarded, the other
    ten can be arranged in two ways."""
    hand = played(deal(1, SQUARE, DEALER, "6d"), "pass", "pass")
    return hand.drawing(parse_card("Ks"))


def first_choice():
    return deal(1, SQUARE, DEALER, "6d")


def knocked():
    """Return a hand in which it is the dealer's turn to spread. The best spread lays off a card on
    each of the knocker's melds."""
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "6c 7d Qd Qh Qs Js Td 9c 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Ks"))
    return played(hand, "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh")


def view_after(*moves, rules="standard", cards=NON_DEALER, dealers=DEALER, upcard="6d", **changes):
    """Return the view of the player to move after these moves."""
    rules = parse_ruleset(rules)
    hand = played(deal(1, cards, dealers, upcard, rules)._replace(**changes), *moves)
    return View(hand.to_move, hand, Match.begin(rules, 1))


VARIANTS = (
    "standard", "classic", "oklahoma", "oklahoma-floating wall=last-discard", "straight",
    "tedesco", "mahjong", "standard opening=either-pile",
)  # fmt: skip


def random_views(rules, games, rng):
    """Yield the view of the player to move before every move of *games* hands played at random."""
    for _ in range(games):
        hand, stock = shuffled_deal(rng, rng.randrange(2), rules)
        while hand.phase is not Phase.OVER:
            yield View(hand.to_move, hand, Match.begin(rules, hand.dealer))
            moves = hand.sensible_moves()
            # Knocks, lays and takes are rarer than discards, and more worth testing.
            move = rng.choice([rng.choice(moves), moves[-1]])
            hand = hand.drawing(stock.pop()) if str(move) == "draw" else hand.apply(move)
