"""The score sheet of a match: every hand, the running score, the final account.

Three columns become three sentences (RULES 7, 8, 13). In the final account, each bonus has its own
line, for each game and column; the totals and the value of the stake follow.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.grammar import at_start, capital, does, inside, listed, number, plural, score, verb
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.parameters import FATAL_LEAD
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import Column, Game, HandResult, Outcome, ScoreLine
from protocol.messages import Settle


def score_sheet(match: Match, names: tuple[str, str]) -> list[str]:
    """Return a line for each hand, then the account, or the score if the match isn't over."""
    ends = account(match, names, joined=True) if match.finished else _standing(match, names)
    return [*hand_lines(match, names), *ends]


def hand_lines(match: Match, names: tuple[str, str]) -> list[str]:
    """Return one line for each hand. In a series, also say where games begin and end."""
    lines = []
    for hand, (before, after) in enumerate(match.stages(), 1):
        game = after.played_game
        if has_several_games(match.rules) and game.hands == 1:
            lines.append(f"Game {game.number}.")
        result = after.results[-1]
        told = [result_text(result, names), game_score(game, names)]
        if len(game.columns) > 1 and result.winner is not None:
            told.insert(1, f"It counts in {_places(before.game, result.winner)}.")
        lines.append(f"Hand {hand}, dealt by {inside(names[before.dealer])}: {' '.join(told)}")
        if has_several_games(match.rules) and game.over:
            lines.append(_game_over(after, names))
    return lines


def score_line(match: Match, names: tuple[str, str], *, short: bool = False) -> str:
    """Return the score after a hand: "Score after 3 hands: Ann 45, Bob 20; the match goes to 100."
    After the last hand of a game, say who won the game. With *short*, in a match of a single game
    for points, return "After hand 3: Ann 45, Bob 20; playing to 100.", and leave out empty columns.
    """
    game, rules, several = match.played_game, match.rules, has_several_games(match.rules)
    if short and not several and rules.hands is None:
        after, to = f"After hand {game.hands}", f"playing to {rules.target}"
        if len(game.columns) == 1:
            return f"{after}: {by_name(game.scores, names)}; {to}."
        begun = (
            f"Column {at}: {_column_score(column, names, short=True)}."
            for at, column in enumerate(game.columns, 1)
            if any(column.hands_won)
        )
        return " ".join([f"{after}, {to}.", *begun])
    if several and game.over:
        return _game_over(match, names)
    of_all = f" of {rules.hands}" if rules.hands is not None else ""
    of_game = f" of game {game.number}" if several else ""
    hands = "hand" if (rules.hands or game.hands) == 1 else "hands"
    after = f"Score after {game.hands}{of_all} {hands}{of_game}"
    if len(game.columns) > 1:
        return f"{after}. {game_score(game, names)} Each column goes to {rules.target}."
    if rules.target is None:
        return f"{after}: {by_name(game.scores, names)}."
    what = "game" if several else "match"
    return f"{after}: {by_name(game.scores, names)}; the {what} goes to {rules.target}."


def game_score(game: Game, names: tuple[str, str]) -> str:
    """Return the points from hands: "Ann 45, Bob 20.", or the same for each column."""
    if len(game.columns) == 1:
        return f"{by_name(game.scores, (at_start(names[0]), names[1]))}."
    return " ".join(
        f"Column {at}: {_column_score(column, names)}." for at, column in enumerate(game.columns, 1)
    )


def _column_score(column: Column, names: tuple[str, str], *, short: bool = False) -> str:
    if not any(column.hands_won):
        return "empty"
    if short and column.over:
        return f"won by {winner_name(column, names)}"
    won = f", won by {winner_name(column, names)}" if column.over else ""
    return f"{by_name(column.points, names)}{won}"


def _game_over(match: Match, names: tuple[str, str]) -> str:
    game = match.played_game
    return (
        f"Game {game.number} to {winner_name(game, names)}: {by_name(game.totals, names)}. "
        f"{_games_score(match, names)}"
    )


def _games_score(match: Match, names: tuple[str, str]) -> str:
    if match.rules.multi_match is not None:
        return (
            f"All games so far: {by_name(match.credits, names)}; "
            f"the match goes to {match.rules.multi_match}."
        )
    needed = match.rules.best_of // 2 + 1
    return f"Games won: {by_name(match.games_won, names)}; the first to {needed} wins the match."


# --- the score so far -------------------------------------------------------------------


def _standing(match: Match, names: tuple[str, str]) -> list[str]:
    game, rules = match.game, match.rules
    lines = []
    if has_several_games(match.rules):
        if not game.hands:
            lines.append(f"Game {game.number}.")
        lines.append(_games_score(match, names))
    if len(game.columns) == 1:
        holds = (_holds(game.columns[0], seat) for seat in (0, 1))
        lines += [f"{at_start(name)}: {held}." for name, held in zip(names, holds, strict=True)]
    else:
        for at, column in enumerate(game.columns, 1):
            if not column.over:
                lines += [
                    f"Column {at}, {inside(name)}: {_holds(column, seat)}."
                    for seat, name in enumerate(names)
                ]
        for seat, name in enumerate(map(inside, names)):
            wins = "you win" if name == "you" else f"{name} wins"
            lines.append(f"If {wins} the next hand, it counts in {_places(game, seat)}.")
    if rules.hands is not None:
        lines.append(f"Hands played: {game.hands} of {rules.hands}.")
    return lines


def _holds(column: Column, seat: int) -> str:
    points, boxes = column.points[seat], column.hands_won[seat]
    noun = "point" if points == 1 else "points"
    held = f"{number(points)} {noun} and {plural(boxes, 'box', 'boxes')}"
    target = column.rules.target
    return held if target is None else f"{held}, {max(target - points, 0)} to go"


def _places(game: Game, winner: int) -> str:
    """Return the columns that the next hand would count in: "column 1", "columns 1 and 2"."""
    columns = [str(at + 1) for at in game.columns_for(winner)]
    return f"column{'s' if len(columns) > 1 else ''} {listed(columns)}"


# --- the result of a hand (RULES 7, 8) --------------------------------------------------


def result_text(result: HandResult, names: tuple[str, str]) -> str:
    if result.kind is Outcome.VOID or result.knocker is None:
        return "The hand is void: nobody scores."
    knocker, against = names[result.knocker], f"against {result.defender_deadwood}"
    doubled = ", doubled for spades" if result.doubled else ""
    if result.kind is Outcome.MAHJONG:
        other = names[1 - result.knocker]
        return (
            f"{does(knocker, 'go')} gin {against} and {verb(knocker, 'score')} {result.points}; "
            f"{inside(other)} {verb(other, 'score')} {number(result.other_points)}{doubled}."
        )
    if result.kind in (Outcome.GIN, Outcome.BIG_GIN):
        ends = f"{does(knocker, 'go')} {result.kind.value} {against}"
    else:
        ends = f"{does(knocker, 'knock')} with {result.knocker_deadwood} {against}"
    if result.winner is None:
        return f"{ends}: a tie, and nobody scores."
    winner = names[result.winner]
    scores = f"{verb(winner, 'score')} {result.points}{doubled}"
    if result.winner == result.knocker:
        return f"{ends} and {scores}."
    if not result.points:
        return f"{ends}: a tie, and {inside(winner)} {verb(winner, 'win')} the hand without points."
    return f"{ends}: an undercut, and {inside(winner)} {scores}."


def brief_result(result: HandResult, names: tuple[str, str]) -> str:
    """Return "7 against 32: you score 25.", for a player who has just read the rest."""
    plain = result.kind not in (Outcome.VOID, Outcome.MAHJONG) and not result.doubled
    if not plain or result.winner is None or not result.points:
        return result_text(result, names)
    knocker, defender = result.knocker_deadwood, result.defender_deadwood
    match result.kind:
        case Outcome.KNOCK:
            against = f"{knocker} against {defender}"
        case Outcome.UNDERCUT:
            against = f"Undercut, {defender} against {knocker}"
        case kind:
            against = f"{capital(kind.value)} against {defender}"
    winner = names[result.winner]
    return f"{against}: {inside(winner)} {verb(winner, 'score')} {result.points}."


# --- the final account ------------------------------------------------------------------


def account(match: Match, names: tuple[str, str], *, joined: bool = False) -> list[str]:
    """Return the account of a finished match, beginning with who won. *joined*: one line for each
    player in each column, instead of one for each entry."""
    settlement = match.settlement()
    lines = []
    if match.resigned is not None:
        lines.append(f"{at_start(names[match.resigned])} resigned.")
    single = not has_several_games(match.rules) and match.rules.columns == 1
    why = _why(match.game.columns[0], names) if single else ""
    lines.append(f"{_outcome(match, settlement, names)}{why}.")
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            if not single:
                lines.append(f"{_heading(match, game, at)}, {_to(column, names)}:")
            for seat, name in enumerate(names):
                entries = [*account_entries(column.lines[seat], column.hands_won[seat])]
                if joined:
                    entries = [f"{', '.join(entries[:-1])}; {entries[-1]}"]
                lines += [f"{at_start(name)}: {entry}." for entry in entries]
        if has_several_games(match.rules) and len(game.columns) > 1:
            lines.append(f"Game {game.number}, totals: {by_name(game.totals, names)}.")
    if not single:
        lines.append(f"Grand totals: {by_name(settlement.totals, names)}.")
    if settlement.stake:
        lines.append(_stake(settlement, names))
    return lines


def short_account(match: Match, names: tuple[str, str]) -> list[str]:
    """Return the account in at most five lines, without zeros: who won, how, and who owes what.
    Don't mention a resignation, because its own entry has just been shown."""
    settlement = match.settlement()
    outcome = _outcome(match, settlement, names)
    games = settlement.games
    columns = [(game, at, column) for game in games for at, column in enumerate(game.columns, 1)]
    lines = []
    if len(columns) == 1:
        column = columns[0][2]
        outcome += _why(column, names)
        for seat, name in enumerate(names):
            *parts, total = account_entries(column.lines[seat], column.hands_won[seat])
            told = ", ".join(part for part in parts if not part.startswith("0 "))
            if told:
                lines.append(f"{at_start(name)}: {told}; {total}.")
    elif len(columns) <= _MOST_COLUMNS:
        lines = [
            f"{_heading(match, game, at)}, {_to(column, names)}: "
            f"{by_name((column.lines[0].total, column.lines[1].total), names)}."
            for game, at, column in columns
        ]
    stake = [_stake(settlement, names)] if settlement.stake else []
    return [f"{outcome}.", *lines, *stake]


_MOST_COLUMNS = 3  # columns or games that a short account lists; the score sheet lists all


def has_several_games(rules: RuleSet) -> bool:
    return rules.best_of > 1 or rules.multi_match is not None


def by_name(numbers: tuple[int, int], names: tuple[str, str]) -> str:
    """Return both numbers with their names: "Ann 45, Bob minus 5"."""
    return f"{names[0]} {number(numbers[0])}, {inside(names[1])} {number(numbers[1])}"


def winner_name(game: Game | Column, names: tuple[str, str]) -> str:
    """Return the winner's name for use within a sentence; "nobody" if nobody has won."""
    return "nobody" if game.winner is None else inside(names[game.winner])


def final_result(settled: Settle, names: tuple[str, str]) -> str:
    """Return who won a match and its score, for use within a sentence: "you won 153 to 0"."""
    totals, winner = (settled.host_total, settled.guest_total), int(settled.winner)
    if winner not in (0, 1):
        return f"nobody won, {score(*totals)}"
    return f"{inside(names[winner])} won {score(totals[winner], totals[1 - winner])}"


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
    """Return the heading of a column, "Game 2, column 1". Leave out what these rules don't need."""
    which = [f"game {game.number}"] if has_several_games(match.rules) else []
    if len(game.columns) > 1:
        which.append(f"column {at}")
    return ", ".join(which).capitalize()


def _to(column: Column, names: tuple[str, str]) -> str:
    how = "won by" if column.resigned is None else "conceded to"
    return f"{how} {winner_name(column, names)}{_why(column, names)}"


def _why(column: Column, names: tuple[str, str]) -> str:
    """Say why the player with fewer points from hands has won (RULES 13.4)."""
    winner = column.winner
    if winner is None or column.resigned is not None:
        return ""
    loser, led = names[1 - winner], column.points[1 - winner] > column.points[winner]
    return f", because {inside(loser)} led by exactly {FATAL_LEAD}" if led else ""


def account_entries(line: ScoreLine, won: int) -> Iterator[str]:
    """Yield the entries of one side's account, the total last. *won*: how many hands it has won."""
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
            f"The stake is {stake} a point; a player who resigns is owed nothing, so "
            f"{inside(winner)} {verb(winner, 'owe')} nothing for the "
            f"{plural(abs(settlement.margin), 'point')}."
        )
    if debtor is None:
        return f"The stake is {stake} a point; the totals are equal, and nobody owes anything."
    owes = f"{inside(names[debtor])} {verb(names[debtor], 'owe')} {inside(names[1 - debtor])}"
    return (
        f"The stake is {stake} a point; {owes} {stake} times {abs(settlement.margin)}, "
        f"which is {settlement.payment}."
    )
