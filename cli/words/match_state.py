"""Where a match stands, for whoever takes it up or puts it away: the score, what lies open, and who
has to do what next."""

from __future__ import annotations

from cli.words.board import table_lines
from cli.words.cards import Style
from cli.words.grammar import YOU, at_start, names_seen_by
from cli.words.score_sheet import score_line
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.referee.table import Awaiting, Table

_TO_CUT, _TO_DEAL = "to cut for the deal", "to shuffle and deal"
_WAITING_FOR = {  # completes "Waiting for Bob"
    Awaiting.OFFER: "to offer the match",
    Awaiting.ACCEPT: "to accept the match",
    Awaiting.CUT_COMMIT: _TO_CUT,
    Awaiting.CUT_VALUE: _TO_CUT,
    Awaiting.CUT_REVEAL: _TO_CUT,
    Awaiting.DEAL_COMMIT: _TO_DEAL,
    Awaiting.DEAL_KEY: _TO_DEAL,
    Awaiting.DEAL_DECK: _TO_DEAL,
    Awaiting.DEAL_SHUFFLE: _TO_DEAL,
    Awaiting.DEAL_SHARES: _TO_DEAL,
    Awaiting.UPCARD: "to take the upcard or pass",
    Awaiting.DRAW: "to draw or take the upcard",
    Awaiting.SHARE: "to give out the card that you drew",
    Awaiting.DISCARD: "to discard or knock",
    Awaiting.SPREAD: "to spread",
    Awaiting.SETTLE: "to sign the final score",
    Awaiting.DISCLOSE: "to disclose the hand seeds",
    Awaiting.LAST_CHANCE: "to take the last discard or pass",
    Awaiting.NOTHING: "",  # never waited for
}
_WAITING_IN_MAHJONG = {
    Awaiting.DRAW: "to draw or take from the pile",
    Awaiting.DISCARD: "to lay cards or discard",
    Awaiting.SPREAD: "to show what is left",
}
_WAITING_IN_STRAIGHT = {Awaiting.DISCARD: "to discard or go gin"}


def awaited_action(table: Table) -> str:
    """What the other player is waited for to do: "to draw or take the upcard"."""
    usual = _WAITING_FOR[table.awaiting]
    rules = None if table.match is None else table.match.rules
    if rules is not None and rules.mahjong:
        return _WAITING_IN_MAHJONG.get(table.awaiting, usual)
    if rules is not None and rules.knock_limit == 0:
        return _WAITING_IN_STRAIGHT.get(table.awaiting, usual)
    return usual


def position_lines(
    table: Table,
    style: Style,
    own: int | None,
    known: KnownNames = NOBODY,
    *,
    score: bool = True,
) -> list[str]:
    """The score once a hand is over, what lies open in the hand being played, which card of it was
    just taken, and whose turn it is. *own*: our seat, whose player is called you; None names both.
    *known*: by what names the reader knows them. *score*: whether the reader has not heard it."""
    names = names_seen_by(known.display(table.keys, table.names), own)
    begun = table.match is not None and bool(table.match.results)
    lines = [score_line(table.match, names)] if table.match and begun and score else []
    hand = table.hand
    if hand is not None and hand.result is None:
        lines += table_lines(hand, style, names)
        if hand.taken is not None:
            lines.append(f"{_has(names[hand.to_move])} just taken {style.the(hand.taken)}.")
    return [*lines, *_turn(table, names, own)]


def _has(name: str) -> str:
    return f"{at_start(name)} {'have' if name == YOU else 'has'}"


def _turn(table: Table, names: tuple[str, str], own: int | None) -> list[str]:
    if table.owed_by is None:
        return []
    if table.owed_by != own:
        name = names[table.owed_by]
        what = awaited_action(table)
        if table.awaiting is Awaiting.SHARE and own is None:
            what = "to give out the card that was drawn"
        return [f"{at_start(name)} is next, {what}."]
    if table.awaiting is Awaiting.SHARE:  # our own program does it by itself
        return []
    return [f"You are next, {awaited_action(table)}."]
