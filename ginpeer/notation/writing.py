"""Write a sheet as text (proto/NOTATION.md): first the tags, then each hand with a line for each
turn and its results. Every number is computed from the moves; the reader computes it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ginpeer.notation.sheet import (
    ROLES,
    VERSION,
    PlayedMove,
    Sheet,
    SheetHand,
    second_deck,
    tag_line,
)
from ginpeer.rules.cards import Card, CardSet, cards_of, set_text
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
)
from ginpeer.rules.score import HandResult, Outcome, ScoreLine

# --- results and sums -----------------------------------------------------------------


def result_line(result: HandResult) -> str:
    """Return the line that says how a hand ended: "result knock guest 17, 6 against 23"."""
    kind = result.kind.value.replace(" ", "-")
    if result.kind is Outcome.VOID:
        return f"result {kind}"
    doubled = ", doubled" if result.doubled else ""
    line = f"result {kind} {_role(result.winner)} {result.points}"
    if result.kind is Outcome.MAHJONG:
        against = f"the other {result.other_points}, left {result.defender_deadwood}"
        return f"{line}, {against}{doubled}"
    return f"{line}, {result.knocker_deadwood} against {result.defender_deadwood}{doubled}"


def score_line(match: Match) -> str:
    """Return the line with both players' points in the game after a hand: "score host 0 guest 17".
    With several columns it also has the points in each, and with several games, the games won."""
    game = match.played_game
    line = f"score {_both(game.scores)}"
    if len(game.columns) > 1:
        line += ", columns " + " ".join(_pair(column.points) for column in game.columns)
    if match.rules.best_of > 1 or match.rules.multi_match is not None:
        line += f", games {_pair(match.games_won)}"
    return line


def account_lines(match: Match) -> list[str]:
    """Return the lines of a finished match's settlement: columns, totals, winner and debt."""
    settlement = match.settlement()
    lines = []
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            host, guest = map(_sum, column.lines)
            lines.append(f"column {game.number}.{at} host {host}, guest {guest}")
    lines += [f"total {_both(settlement.totals)}", f"winner {_role(settlement.winner)}"]
    if settlement.debtor is not None:
        lines.append(f"owes {_role(settlement.debtor)} {settlement.payment}")
    return lines


def _sum(line: ScoreLine) -> str:
    parts = (line.hand_points, line.shutout, line.game_bonus, line.boxes)
    return f"{' + '.join(map(str, parts))} = {line.total}"


def _both(points: tuple[int, int]) -> str:
    return f"host {points[0]} guest {points[1]}"


def _pair(points: tuple[int, int]) -> str:
    return f"{points[0]}:{points[1]}"


def _role(seat: int | None) -> str:
    return "nobody" if seat is None else ROLES[seat]


# --- hands and turns ------------------------------------------------------------------


def write_sheet(sheet: Sheet) -> str:
    """Return the whole text, which ``read_sheet`` turns into an equal sheet."""
    lines = [tag_line(name, value) for name, value in (("Gin", VERSION), *sheet.tags)]
    afters = [*(hand.before for hand in sheet.hands[1:]), sheet.match]
    for hand, after in zip(sheet.hands, afters, strict=False):  # without hands, afters is longer
        lines += ["", *_hand_lines(hand)]
        if after is not None and len(after.results) > len(hand.before.results):
            lines.append(result_line(after.results[-1]))
            if sheet.whole:
                lines.append(score_line(after))
    if sheet.whole and sheet.match is not None and sheet.match.finished:
        lines += ["", *account_lines(sheet.match)]
    return "".join(f"{line}\n" for line in lines)


def _hand_lines(hand: SheetHand) -> Iterator[str]:
    yield f"hand {hand.number}{' ' if hand.mark else ''}{hand.mark}"
    yield f"dealer {ROLES[hand.dealer]}"
    dealt = hand.dealt
    if dealt is not None:
        for role, cards in zip(ROLES, hand.cards, strict=True):
            yield f"{role} {'?' if cards is None else by_suits(cards)}"
        if dealt.first_upcard is not None:
            yield f"upcard {dealt.first_upcard}"
        if second_deck(dealt.rules):
            yield f"knock-card {dealt.knock_card}"
            yield f"first {ROLES[dealt.to_move]}"
    yield from _turns(hand)
    if hand.resigned is not None:
        yield f"{ROLES[hand.resigned]} resigns"


def by_suits(cards: CardSet) -> str:
    """Return the cards of a hand with each suit as a word: "Tc 7d8dQd 8h9hKh 6s9sQs"."""
    suits = groupby(cards_of(cards), lambda card: card.suit)
    return " ".join("".join(map(str, suit)) for _, suit in suits)


def _turns(hand: SheetHand) -> Iterator[str]:
    """Yield a line for each turn, which is all consecutive moves of one player."""
    positions = hand.positions()
    for seat, made in groupby(hand.made, lambda each: each.seat):
        words = [_move_text(each, next(positions)) for each in made]
        yield f"{ROLES[seat]} {' '.join(words)}"


def _move_text(made: PlayedMove, before: Hand) -> str:
    match move := made.move:
        case DrawStock():
            return f"d {'?' if made.drawn is None else made.drawn}"
        case TakeUpcard():
            return f"t {before.upcard}"
        case Pass():
            return "pass"
        case Discard():
            return f"-{move.card}"
        case Knock(discard=None):
            return f"big-gin {_groups(move.melds, (), 0)}"
        case Knock():
            word = "knock" if move.deadwood else "gin"
            return f"-{move.discard} {word} {_groups(move.melds, (), move.deadwood)}"
        case Spread():
            return f"shows {_groups(move.melds, move.layoffs, move.deadwood)}"
        case Lay():
            return f"lay {_groups(move.melds, move.adds, 0)}"
        case TakeDiscards():
            return f"t {move.count} lay {_groups(move.lay.melds, move.lay.adds, 0)}"


def _groups(
    melds: tuple[CardSet, ...], laid: tuple[tuple[Card, int], ...], deadwood: CardSet
) -> str:
    """Return melds, then cards on melds (numbered from 1), and after a slash the deadwood."""
    groups = [*map(set_text, melds), *(f"{card}@{index + 1}" for card, index in laid)]
    left = [f"/ {set_text(deadwood)}"] if deadwood else []
    return " ".join([", ".join(groups), *left]).strip()
