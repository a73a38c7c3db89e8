"""Views of drawn hands and of random hands, for the answers of `rules`."""

from cli.text.cards import Style
from ginpeer.rules import (
    Match,
    Phase,
    View,
    parse_ruleset,
)
from tests.cli.table.hands import DEALER, NON_DEALER
from tests.rules.drawing import deal, played, shuffled_deal

STYLE = Style()


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
    """Yield every view with a choice, from hands played at random."""
    for _ in range(games):
        hand, stock = shuffled_deal(rng, rng.randrange(2), rules)
        while hand.phase is not Phase.OVER:
            yield View(hand.to_move, hand, Match.begin(rules, hand.dealer))
            moves = hand.sensible_moves()
            # Ends, lays and takes are rarer than discards and more worth testing.
            move = rng.choice([rng.choice(moves), moves[-1]])
            hand = hand.drawing(stock.pop()) if str(move) == "draw" else hand.apply(move)
