"""Counts the positions that a hand can reach in a number of moves, in an exhaustive walk with a
fixed stock.

``python -m tests.rules.positions`` writes tests/vectors/rules/positions.json, whose README says
what is counted. tests/rules/test_positions.py counts again. If a number changes, some move has
become legal or illegal, or different arrangements are listed.
"""

import json
from pathlib import Path

from ginpeer.rules import PRESETS, DrawStock, parse_card, parse_hand, parse_ruleset, set_text
from tests.rules.drawing import deal, played, second_deck_deal, to_the_wall

VECTORS = Path(__file__).parents[1] / "vectors" / "rules" / "positions.json"


def position(hand):
    """Return a position as a string: everything that can affect what follows, but not how the
    position came about."""
    parts = [hand.phase.value, f"seat {hand.to_move}", *map(set_text, hand.hands)]
    parts += ["".join(map(str, hand.pile)), f"stock {hand.stock_left}", f"swaps {hand.swaps}"]
    parts += [f"taken {hand.taken}", *map(set_text, hand.table_melds)]
    parts += [set_text(hand.laid(0)), set_text(hand.laid(1))]
    parts += [str(hand.knock), f"by {hand.knocker}", str(hand.result)]
    return "; ".join(parts)


def counts(text, stock, depth):
    """Return, for each number of moves up to *depth*, how many sequences of that many moves there
    are, and how many different positions they lead to."""
    hand, drawn = (
        parse_hand(text),
        [parse_card(stock[at : at + 2]) for at in range(0, len(stock), 2)],
    )
    reached, found = {position(hand): (hand, 1)}, []
    last = hand.stock_left
    for _ in range(depth):
        following = {}
        for hand, ways in reached.values():
            for move in hand.legal_moves():
                if isinstance(move, DrawStock):
                    after = hand.drawing(drawn[last - hand.stock_left])
                else:
                    after = hand.apply(move)
                name = position(after)
                following[name] = (after, ways + following.get(name, (None, 0))[1])
        reached = following
        found.append([sum(ways for _, ways in reached.values()), len(reached)])
    return found


# --- the file --------------------------------------------------------------------------

#   7c 7d 7h     8d 8h 8s
#   3s 4s 5s     4h 5h 6h        upcard 2s extends the run: gin if 2d is thrown
#   9c Tc Jc     Qs Ks 2h Kd     stock As first: around the corner, it joins queen and king
#   2d
MINE = "3s 4s 5s  7c 7d 7h  9c Tc Jc  2d"
THEIRS = "4h 5h 6h  8d 8h 8s  Qs Ks  2h Kd"
FIRST = "AsKhQc8c6c7s2c"


def as_dealt(rules):
    return deal(1, MINE, THEIRS, "2s", parse_ruleset(rules))


def starts():
    """Yield rules, hand, the next cards of the stock, and the number of moves to play."""
    for name in PRESETS:
        yield as_dealt(name), FIRST, 6 if name == "mahjong" else 7
    for rules in ("standard opening=either-pile", "oklahoma hollywood multi-match"):
        yield as_dealt(rules), FIRST, 6
    second_deck = parse_ruleset("oklahoma knock-limit=second-deck")
    yield second_deck_deal(1, MINE, THEIRS, "2s", 0, second_deck), FIRST, 6
    # Three cards before the end of the stock.
    for rules in ("standard", "tournament"):
        yield to_the_wall(played(as_dealt(rules), "pass", "pass"), keep="As Kh Qc"), "AsKhQc", 6
    # A meld on the table that both players can add to, and a pile of three cards.
    hand = played(as_dealt("mahjong"), "pass", "pass", "draw Ad", "lay 9cTcJc", "discard Ad")
    yield played(hand, "draw 9d", "discard 9d"), FIRST, 5


def write():
    rows = [
        {"hand": str(hand), "stock": stock, "counts": counts(str(hand), stock, depth)}
        for hand, stock, depth in starts()
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    VECTORS.write_text(f"[\n{lines}\n]\n", encoding="ascii")


if __name__ == "__main__":
    write()
