"""The course of a match: after each choice, each player's chance of winning the game.

Rule 1: each chance is estimated from what that player saw. With cards that only one player knows,
        both may think that they are ahead, so the two chances don't add up to one.
Rule 2: after a hand only the score counts, and the chances are those of the score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ginpeer.adviser import score_chance, win_chance
from ginpeer.analysis.decisions import cards_known, too_long, view_before
from ginpeer.record import Record, RecordedHand
from ginpeer.rules import Match

SURE = 1000
_TIED = SURE // 2


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances after an entry, in thousandths."""

    entry: int
    host: int  # the host's chance, from what the host saw
    guest: int  # the guest's chance, from what the guest saw


def chances_in(record: Record) -> Iterator[Chances]:
    """Yield both players' chances after each move and each hand. Skip a hand that is ``too_long``,
    in which cards aren't known, or for which ``win_chance`` has none. Yield nothing if the score at
    the start of the record isn't known."""
    for hand in record.hands if record.table.begins == 1 else ():
        if not too_long(hand) and all(cards_known(hand, seat) for seat in (0, 1)):
            yield from _chances_of(hand)


def _chances_of(hand: RecordedHand) -> Iterator[Chances]:
    made = [(step, view) for step in hand.steps if (view := view_before(step)) is not None]
    if not made:
        return
    match = made[0][1].match
    now = [score_chance(match, seat) for seat in (0, 1)]
    for step, view in made:
        if step.move is not None:
            chance = win_chance(view, step.move)
            now[view.seat] = now[view.seat] if chance is None else chance
        if now[0] is None or now[1] is None:
            return
        yield Chances(step.entry, now[0], now[1])
    if hand.result is not None:
        yield _after(made[-1][0].entry, match.record(hand.result))


def _after(entry: int, match: Match) -> Chances:
    """Return the chances of the score after a hand, which may have ended its game."""
    game = match.played_game
    host = score_chance(match, 0)
    if game.over:
        host = _TIED if game.winner is None else SURE * (game.winner == 0)
    if host is None:
        raise AssertionError("chances were found for this hand")
    return Chances(entry, host, SURE - host)
