"""The final account of a match in words: each bonus on its own line, for each game and column, the
totals, and what the stake comes to (RULES 8.4 to 8.8, 13)."""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.grammar import at_start, does, inside, number, plural, verb
from ginpeer.rules.game import Column, Game
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.parameters import FATAL_LEAD
from ginpeer.rules.ruleset import RuleSet


def account(match: Match, names: tuple[str, str]) -> list[str]:
    """Return the account of a finished match, which begins with who won.

    *names* are those of host and guest, as ``display_names`` gives them. Raises what
    ``match.settlement`` raises.
    """
    settlement = match.settlement()
    lines = []
    if match.resigned is not None:
        lines.append(f"{at_start(names[match.resigned])} resigned.")
    single = not is_series(match) and match.rules.columns == 1
    why = _why(match.game.columns[0], names) if single else ""
    lines.append(f"{_outcome(match, settlement, names)}{why}.")
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            if not single:
                lines.append(f"{_heading(match, game, at)}, {_to(column, names)}:")
            for seat, name in enumerate(names):
                lines += [f"{at_start(name)}: {entry}." for entry in _entries(column, seat)]
        if is_series(match) and len(game.columns) > 1:
            lines.append(f"Game {game.number}, totals: {by_name(game.totals, names)}.")
    if not single:
        lines.append(f"Grand totals: {by_name(settlement.totals, names)}.")
    if settlement.stake:
        lines.append(_stake(settlement, names))
    return lines


def is_series(match: Match) -> bool:
    """Whether the match consists of several games."""
    return joins_games(match.rules)


def joins_games(rules: RuleSet) -> bool:
    """Whether a match by these rules consists of several games."""
    return rules.best_of > 1 or rules.multi_match is not None


def by_name(numbers: tuple[int, int], names: tuple[str, str]) -> str:
    """Return both numbers with their names: "Ann 45, Bob minus 5"."""
    return f"{names[0]} {number(numbers[0])}, {names[1]} {number(numbers[1])}"


def winner_name(game: Game | Column, names: tuple[str, str]) -> str:
    """Return who won, as it reads within a sentence; "nobody" if nobody has."""
    return "nobody" if game.winner is None else inside(names[game.winner])


def _outcome(match: Match, settlement: Settlement, names: tuple[str, str]) -> str:
    if settlement.winner is None:
        return f"Nobody wins the match: {by_name(settlement.totals, names)}"
    winner = settlement.winner
    unit, counts = "", settlement.totals
    if match.rules.best_of > 1 and match.resigned is None:
        unit, counts = " games", match.games_won
    most, other = number(counts[winner]), number(counts[1 - winner])
    return f"{does(names[winner], 'win')} the match, {most}{unit} to {other}"


def _heading(match: Match, game: Game, at: int) -> str:
    """Return the head of a column, "Game 2, column 1", or less if these rules need less."""
    which = [f"game {game.number}"] if is_series(match) else []
    if len(game.columns) > 1:
        which.append(f"column {at}")
    return ", ".join(which).capitalize()


def _to(column: Column, names: tuple[str, str]) -> str:
    how = "won by" if column.resigned is None else "given up to"
    return f"{how} {winner_name(column, names)}{_why(column, names)}"


def _why(column: Column, names: tuple[str, str]) -> str:
    """Say why a player with fewer points from hands has won (RULES 13.4)."""
    winner = column.winner
    if winner is None or column.resigned is not None:
        return ""
    leader = 1 - winner
    if column.points[leader] <= column.points[winner]:
        return ""
    return f", because {inside(names[leader])} led by exactly {FATAL_LEAD}"


def _entries(column: Column, seat: int) -> Iterator[str]:
    """Return what a column holds for one seat."""
    line, won = column.lines[seat], column.hands_won[seat]
    yield f"{number(line.hand_points)} from hands"
    if line.shutout:
        yield f"{line.shutout} for the shutout"
    if line.game_bonus:
        yield f"{line.game_bonus} game bonus"
    if won:
        yield f"{line.boxes} for {plural(won, 'box', 'boxes')}"
    yield f"total {number(line.total)}"


def _stake(settlement: Settlement, names: tuple[str, str]) -> str:
    debtor, stake = settlement.debtor, settlement.stake
    if debtor is None and settlement.margin:
        winner = names[settlement.winner or 0]
        return (
            f"The stake is {stake} a point; who resigns is owed nothing, so {inside(winner)} "
            f"{verb(winner, 'owe')} nothing for the {abs(settlement.margin)} points."
        )
    if debtor is None:
        return f"The stake is {stake} a point; the totals are equal, and nobody owes anything."
    owes = f"{inside(names[debtor])} {verb(names[debtor], 'owe')} {inside(names[1 - debtor])}"
    return (
        f"The stake is {stake} a point; {owes} {stake} times {abs(settlement.margin)}, "
        f"that is {settlement.payment}."
    )
