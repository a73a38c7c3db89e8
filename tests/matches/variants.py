"""Matches under non-standard rules: players who know them, and recorded matches."""

from __future__ import annotations

from collections.abc import Sequence

from ginpeer.referee.table import Table
from ginpeer.rules import moves
from ginpeer.rules.cards import Card, cards_of, parse_card, parse_set
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.moves import parse_move
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.deck import prover
from protocol.deck.state import take_open_cards
from tests.cheating.cheat import Cheat, RecordedMatch, play, stacked, steady
from tests.matches.table_pair import TablePair
from tests.protocol.deck_pair import read_hand
from tests.toy_group import cached_by_group


def laying(view: View) -> moves.Move:
    """Play simple Mahjong gin: lay whenever possible, take from the pile what can be laid, and
    discard the card with the fewest partners in the hand."""
    legal = view.sensible_moves()
    for kind in (moves.Lay, moves.TakeDiscards):
        found = [move for move in legal if isinstance(move, kind)]
        if found:
            return found[0]
    throws = [move for move in legal if isinstance(move, moves.Discard)]
    if throws:
        return min(throws, key=lambda d: (_friends(d.card, view), -d.card.pips, int(d.card)))
    if len(legal) == 1:
        return legal[0]
    return next(move for move in legal if move != moves.TakeUpcard())


def _friends(card: Card, view: View) -> int:
    others = [other for other in cards_of(view.cards) if other != card]
    near = sum(o.suit == card.suit and abs(o.rank - card.rank) <= 2 for o in others)
    return near + sum(other.rank == card.rank for other in others)


def dawdling(view: View) -> moves.Move:
    """Draw from the stock and discard until nothing is left to draw; then knock if possible."""
    legal = view.sensible_moves()
    if view.hand.phase is Phase.LAST_CHANCE:
        return moves.TakeUpcard()
    if moves.DrawStock() in legal:
        return moves.DrawStock()
    if moves.Pass() in legal:
        return moves.Pass()
    knocks = [move for move in legal if isinstance(move, moves.Knock)]
    if knocks and view.hand.stock_left == 2 and view.hand.taken is not None:
        return knocks[0]
    throws = [move for move in legal if isinstance(move, moves.Discard)]
    return throws[-1] if throws else legal[0]


# --- one hand of Mahjong gin, move by move ------------------------------------------------------
#
# N lays two melds:                                            3c 4c 5c      7c 7h 7s
# D adds 6c and 7d, and lays Js Qs Ks:                         3c 4c 5c 6c   7c 7d 7h 7s   Js Qs Ks
# N takes three discards, of which the bottom one, Ts, goes before the jack.
# Later N lays 2c 2h 2s, adds 2d and 9s, has 8s left, and discards it: gin.

NONDEALER = "3c 4c 5c 7c 7h 7s Kd Qh 2s 9s"
DEALER = "6c 7d Js Qs Ks 2h 4h 9h Ac 8d"
UPCARD = "Ts"
STOCK = "8s Ah 3h 2c 5h 2d"
SCRIPT = (
    *("pass", "pass", "draw", "lay 3c4c5c 7c7h7s", "discard Kd", "draw"),
    *("lay JsQsKs add 6c@0 7d@1", "discard 2h", "take 3 lay add Ts@2", "discard Qh", "draw"),
    *("discard 4h", "draw", "lay 2c2h2s", "discard Kd", "draw", "discard 8d", "draw"),
    *("lay add 2d@3 9s@2", "discard 8s", "spread deadwood 3h5h9hAcAh"),
)


def staged(moves_played: int = len(SCRIPT)) -> TablePair:
    """Return the hand above after this many moves, by default at its end."""
    pair = stacked(NONDEALER, DEALER, UPCARD, STOCK, rules=parse_ruleset("mahjong hands=1"))
    play(pair, *SCRIPT[:moves_played])
    return pair


@cached_by_group
def mahjong() -> RecordedMatch:
    """Return a match that consists of the hand above."""
    return RecordedMatch.of(staged())


@cached_by_group
def second_deck() -> RecordedMatch:
    """Return a hand with a toss for its knock card."""
    rules = parse_ruleset("standard knock-limit=second-deck target=1")
    return RecordedMatch.of(TablePair("toss", rules).play(steady))


def lay_of(
    cheat: Cheat,
    table: Table,
    text: str,
    *,
    opened: str | None = None,
    shown: dict[str, str] | None = None,
    taken: Sequence[int] = (),
) -> m.Lay:
    """Return a lay like "3c4c5c add 6c@0", with the best proofs for it, legal or not.

    *opened* are the cards of the hand to open, by default those laid; *shown* replaces some of them
    with other cards in the claim; *taken* are open cards that were taken into the hand before.
    """
    move = parse_move(f"lay {text}")
    assert isinstance(move, moves.Lay)
    assert table.deck is not None
    deck, secrets = take_open_cards(table.deck, cheat.seat, taken), cheat.secrets(table)
    riffle = prover.riffle(deck, cheat.seat, secrets, cheat.context(table))
    cards = read_hand(riffle.cards, secrets)
    claims = {int(parse_card(true)): int(parse_card(lie)) for true, lie in (shown or {}).items()}
    wanted = cards_of(parse_set(opened)) if opened is not None else cards_of(move.cards)
    places = tuple(at for at, card in enumerate(cards) if card in wanted)
    claimed = [(riffle.cards[at], claims.get(cards[at], cards[at])) for at in places]
    return m.Lay(
        riffle.hand,
        riffle.argument,
        places,
        tuple(card for _, card in claimed),
        tuple(tuple(int(card) for card in cards_of(meld)) for meld in move.melds),
        tuple(m.LayOff(int(card), at) for card, at in move.adds),
        cheat.opening(table, claimed),
    )
