"""A hand as a board and a match as a score sheet, in lines of plain text to print and look at.

``Hand.board``, ``Match.sheet``, ``print(view)`` and ``print(settlement)`` show these. They are not
read back: a hand's and a match's own text (``str``) is. The command line has words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import Card, CardSet
from ginpeer.rules.melds import Meld
from ginpeer.rules.score import HandResult, mahjong_value

if TYPE_CHECKING:
    from ginpeer.rules.game import Column
    from ginpeer.rules.hand import Hand
    from ginpeer.rules.match import Match, Settlement
    from ginpeer.rules.ruleset import RuleSet

SEATS = ("seat 0", "seat 1")
"""What the players are called where no names are given."""


def board_text(hand: Hand, names: tuple[str, str] = SEATS) -> str:
    """The table as this value knows it: whose turn it is, pile and stock, what was shown, and the
    hands with their least deadwood; of a hand that is not known, how many cards it has."""
    lines = [f"{hand.rules}, dealt by {names[hand.dealer]}"]
    if hand.result is None:
        lines[0] += f"; {names[hand.to_move]} to move: {hand.phase.value}"
    pile = " ".join(map(str, reversed(hand.pile))) or "empty"
    knock_card = f"; knock card {hand.knock_card}" if hand.knock_card is not None else ""
    lines.append(f"stock {hand.stock_left}; pile, from the top: {pile}{knock_card}")
    if hand.table_melds:
        lines.append(f"table: {_melds(hand.table_melds)}")
    for seat, name in enumerate(names):
        shown = hand.knock if seat == hand.knocker else hand.spread
        if shown is None or hand.lain is not None:
            lines.append(f"{name}: {_held(hand, seat)}")
            continue
        laid = [f"{card} on {_row(in_row(hand.open_melds[at]))}" for card, at in hand.layoffs(seat)]
        parts = [_melds(shown.melds) or "no melds", *laid, _dead(shown.deadwood, hand.rules)]
        lines.append(f"{name}{' knocks' if seat == hand.knocker else ''}: {'; '.join(parts)}")
    if hand.result is not None:
        lines.append(_named(hand.result, names))
    return "\n".join(lines)


def _named(result: HandResult, names: tuple[str, str]) -> str:
    return re.sub("seat ([01])", lambda found: names[int(found[1])], str(result))


def _held(hand: Hand, seat: int) -> str:
    cards = hand.hands[seat]
    if cards is None:
        return f"{hand.size(seat)} cards"
    melds, loose, counting = laid_out(cards, hand.rules)
    if hand.rules.mahjong:
        parts = [*([_melds(melds)] if melds else []), _row(costliest_first(loose, hand.rules))]
        return f"{'; '.join(filter(None, parts)) or 'no card'} ({counting})"
    return f"{_melds(melds) or 'no melds'}; {_dead(loose, hand.rules)}"


def _melds(melds: Iterable[Meld]) -> str:
    return ", ".join(_row(in_row(meld)) for meld in melds)


def _dead(cards: CardSet, rules: RuleSet) -> str:
    loose = costliest_first(cards, rules)
    if rules.mahjong:
        return f"left {_row(loose)} ({mahjong_value(cards)})"
    counting = sum(rules.ace_pips if card.rank == 0 else card.pips for card in loose)
    return f"deadwood {_row(loose)} ({counting})" if loose else "no deadwood"


def _row(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards))


# --- the score sheet --------------------------------------------------------------------


def sheet_text(match: Match, names: tuple[str, str] = SEATS) -> str:
    """Every hand with what each player has in its game after it; then the account, or who leads."""
    rows: list[tuple[str, ...]] = [("hand", "dealer", *names, "result")]
    for number, (before, after) in enumerate(match.stages(), 1):
        result = after.results[-1]
        points = map(str, after.played_game.scores)
        rows.append((str(number), names[before.dealer], *points, _named(result, names)))
    lines = _columns(rows, left=(1, 4))
    if match.finished:
        lines += ["", settlement_text(match.settlement(), names)]
    return "\n".join([str(match.rules), *lines])


def settlement_text(settlement: Settlement, names: tuple[str, str] = SEATS) -> str:
    """The account line by line, column by column, and who has won."""
    lines = []
    single = len(settlement.games) == 1 and len(settlement.games[0].columns) == 1
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            which = f"game {game.number}" + (f", column {at}" if len(game.columns) > 1 else "")
            lines += _columns(_account("" if single else which, column, names), left=(0,))
    if not single:
        totals = map(str, settlement.totals)
        lines += _columns([("all games", *names), ("total", *totals)], left=(0,))
    if settlement.resigned is not None:
        lines.append(f"{names[settlement.resigned]} resigned")
    if settlement.winner is None:
        lines.append("nobody has won")
    else:
        lines.append(f"{names[settlement.winner]} has won, by {settlement.margin}")
    if settlement.debtor is not None:
        lines.append(f"{names[settlement.debtor]} owes {settlement.payment}")
    return "\n".join(lines)


def _account(which: str, column: Column, names: tuple[str, str]) -> list[tuple[str, ...]]:
    entries = [
        ("hands", [line.hand_points for line in column.lines]),
        ("shutout", [line.shutout for line in column.lines]),
        ("game bonus", [line.game_bonus for line in column.lines]),
        ("boxes", [line.boxes for line in column.lines]),
        ("total", [line.total for line in column.lines]),
    ]
    rows = [(what, *map(str, points)) for what, points in entries if any(points) or what == "total"]
    return [(which, *names), *rows]


def _columns(rows: list[tuple[str, ...]], *, left: tuple[int, ...]) -> list[str]:
    """The rows with their cells below each other, numbers to the right and words to the *left*."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
