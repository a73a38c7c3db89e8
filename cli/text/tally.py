"""Sentences about the score of several tables (RULES 14), which ginpeer.tally.totals computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from cli.text.grammar import capital, date_and_time, listed, number
from cli.text.score_sheet import account_entries
from cli.text.series import NOTHING_SHOWN
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.partnership import PartnershipStanding, TableProgress
from ginpeer.rules.score import Column
from ginpeer.rules.team import TeamMatch
from ginpeer.tally.tables import Key, Row, display
from ginpeer.tally.totals import HandOfTwo, TeamScore, TurnsScore, leavers


def tally_lines(score: TeamScore | TurnsScore, known: KnownNames = NO_KNOWN_NAMES) -> list[str]:
    if isinstance(score, TeamScore):
        return TeamSheet(score, known).lines()
    return TurnsSheet(score, known).lines()


# --- teams ------------------------------------------------------------------------------


class TeamSheet:
    def __init__(self, score: TeamScore, known: KnownNames) -> None:
        self._score = score
        self._teams = teams = score.teams
        self._player = display(teams.logs, known)
        self._team = tuple(listed([self._player[key] for key in teams.team(at)]) for at in (0, 1))

    def lines(self) -> list[str]:
        size = len(self._teams.rows)
        to = f"to {self._score.match.game.rules.target}"
        if self._score.tedesco:
            to = f"three columns {to}, by Tedesco's rules"
        lines = [
            f"Teams of {size} at {size} tables, {to}. The tables' rules: {self._teams.rules}.",
            f"One team: {self._team[0]}. The other: {self._team[1]}.",
        ]
        for at, row in enumerate(self._teams.rows, 1):
            one, other = (self._player[key] for key in row.players)
            logs = ", ".join(log.name for log in row.logs)
            lines.append(f"Table {at}: {one} against {other} ({logs}).")
        stages = enumerate(pairwise(self._score.stages))
        hands = (
            f"Hand {at + 1}: {self._hand(at, *both)}"
            for at, both in stages
            if not both[0].over or any(row.hands[at] for row in self._teams.rows)
        )
        return [*lines, "", *hands, "", *self._end()]

    def _hand(self, at: int, before: TeamMatch, after: TeamMatch) -> str:
        if before.over:
            return "not counted, because the game was over."
        if (hand := after.hands[-1]) is None:
            return f"not scored. {' '.join(self._given_up(at, after))}"
        told = "; ".join(self._at_table(row, at) for row in self._teams.rows)
        scored = "No team scores"
        if hand.winner is not None:
            scored = f"{self._team[hand.winner]} score {hand.points}"
            if bonus := hand.bonus[hand.winner]:
                scored += f", including a bonus of {bonus} because every player on the team won"
        return f"{told}. {scored}. {self._standing(after)}"

    def _at_table(self, row: Row, at: int) -> str:
        result = row.hands[at]
        names = [self._player[key] for key in row.players]
        if result is None or result.winner is None:
            return f"neither {names[0]} nor {names[1]} scores"
        return each_with(map(result.points_of, (0, 1)), names)

    def _given_up(self, at: int, after: TeamMatch) -> Iterator[str]:
        """Say who resigned instead of playing this hand, and which team has lost as a result."""
        for _, leaver, log in leavers(self._teams, at):
            yield f"It isn't in {log.name}, because {self._player[leaver]} resigned."
        if after.winner is None:
            yield "Both teams have resigned, so neither has won."
        else:
            yield f"{self._team[1 - after.winner]} have lost the game as a result."

    def _standing(self, match: TeamMatch) -> str:
        columns = match.game.columns
        if len(columns) == 1:
            return f"Score: {self._both(columns[0].points)}."
        return " ".join(
            f"Column {at}: {self._both(column.points)}{', over' if column.over else ''}."
            for at, column in enumerate(columns, 1)
        )

    def _both(self, numbers: tuple[int, int]) -> str:
        return "; ".join(
            f"{name} {number(points)}" for name, points in zip(self._team, numbers, strict=True)
        )

    def _end(self) -> Iterator[str]:
        match, game = self._score.match, self._score.match.game
        for at, column in enumerate(game.columns, 1):
            which = f"Column {at}, " if len(game.columns) > 1 else ""
            for team, name in enumerate(self._team):
                yield f"{which}{name}: {self._account(column, team)}."
        if not game.over:
            given_up = "Nobody has won, because both teams have resigned."
            yield given_up if match.over else "Nobody has won yet."
            return
        wins = "No team wins" if match.winner is None else f"{self._team[match.winner]} win"
        if match.winner is not None and match.resigned:
            wins += ", because the other team has resigned"
        yield f"{wins}: {self._both(game.totals)}."
        yield from self._stake(game.totals)

    def _account(self, column: Column, team: int) -> str:
        if column.over:
            account = ", ".join(account_entries(column.lines[team], column.hands_won[team]))
            lead = column.points[team] - column.points[1 - team]
            if lead > 0 and column.winner == 1 - team and column.resigned is None:
                return f"{account}; a lead of exactly {lead} loses"  # RULES 13.4
            return account
        target = column.rules.target or 0
        points = column.points[team]
        return f"{number(points)} from hands, {target - points} short of {target}"

    def _stake(self, totals: tuple[int, int]) -> Iterator[str]:
        stake, margin = self._teams.rules.stake, abs(totals[0] - totals[1])
        owing, paid = sorted((0, 1), key=lambda team: totals[team])
        if stake and margin and paid in self._score.match.resigned:
            yield unpaid_line(self._team[owing], self._team[paid], stake, "team that")
        elif stake:
            yield stake_line(self._team[owing], self._team[paid], margin, stake)


# --- three players ----------------------------------------------------------------------


class TurnsSheet:
    def __init__(self, score: TurnsScore, known: KnownNames) -> None:
        self._score = score
        self._turns, self._state = score.turns, score.state
        self._player = display(score.turns.logs, known)
        self._names = tuple(self._player[key] for key in score.turns.players)

    def lines(self) -> list[str]:
        lines = [
            f"Three players, {listed(self._names)}, to {self._state.target}. "
            f"The rules of each hand: {self._turns.rules}.",
            "",
        ]
        for log in self._turns.logs:
            lines += [
                f"Hand {at}, {log.name}: {self._hand(played)}"
                for at, played in enumerate(self._score.played, 1)
                if played.log is log
            ]
            if log.match.resigned is not None:
                leaver = self._player[log.keys[log.match.resigned]]
                follows = "; not counted, because the game was over"
                if log is self._score.given_up:
                    follows = " and has lost the game; nobody scores in that hand"
                lines.append(f"{leaver} resigned in {log.name}{follows}.")
        return [*lines, "", *self._end()]

    def _hand(self, played: HandOfTwo) -> str:
        if played.after is None:
            return "not counted, because the game was over."
        players, result = played.players, played.result
        one, other = (self._names[player] for player in players)
        out = next(name for at, name in enumerate(self._names) if at not in players)
        scored = "nobody scores"
        if result.winner is not None:
            scored = each_with(map(result.points_of, (0, 1)), (one, other))
        score = f"Score: {each_with(played.after.points, self._names)}."
        return f"{one} against {other}, {out} sits out: {scored}. {score}"

    def _end(self) -> Iterator[str]:
        state = self._state
        if state.winner is None:
            for name, points in zip(self._names, state.points, strict=True):
                short = max(state.target - points, 0)
                yield f"{name}: {number(points)} from hands, {short} short of {state.target}."
            yield "Nobody has won yet."
            return
        totals = [line.total for line in state.lines]
        for name, line, won in zip(self._names, state.lines, state.hands_won, strict=True):
            yield f"{name}: {', '.join(account_entries(line, won))}."
        why = ""
        if state.resigned is not None:
            why = f", because {self._names[state.resigned]} has resigned"
        yield f"{self._names[state.winner]} wins{why}: {each_with(totals, self._names)}."
        if self._turns.rules.stake:
            yield from self._stakes(state.winner, totals)

    def _stakes(self, winner: int, totals: list[int]) -> Iterator[str]:
        stake = self._turns.rules.stake
        for player, name in enumerate(self._names):
            margin, pair = totals[winner] - totals[player], (name, self._names[winner])
            if margin < 0 and player == self._state.resigned:
                yield unpaid_line(self._names[winner], name, stake)
            elif player != winner:
                yield stake_line(*(pair if margin >= 0 else pair[::-1]), abs(margin), stake)


# --- shared by both ---------------------------------------------------------------------


def each_with(numbers: Iterable[int], names: Iterable[str]) -> str:
    """Return each number after its name: "Ann 45, Ben minus 5, Cem 0"."""
    return ", ".join(f"{name} {number(each)}" for name, each in zip(names, numbers, strict=True))


def stake_line(owing: str, paid: str, margin: int, stake: int) -> str:
    if not margin:
        return f"The stake is {stake} a point; {owing} and {paid} are even."
    return (
        f"The stake is {stake} a point: {owing} should pay {paid} {stake} times {margin}, which is "
        f"{stake * margin}."
    )


def unpaid_line(owing: str, paid: str, stake: int, who: str = "player who") -> str:
    """Say that whoever resigned is owed nothing, even with more points (RULES 13.6)."""
    return (
        f"The stake is {stake} a point: {owing} needn't pay {paid} anything, because a {who} "
        "resigns is owed nothing."
    )


# --- while they play --------------------------------------------------------------------


def link_standing_lines(
    standing: PartnershipStanding, known: KnownNames, since: float = 0
) -> list[str]:
    """Say which hand each table has reached, and the score. *since*: also say when a match began,
    if it was before this time."""
    names = display(standing.logs, known)
    lines = [
        *_places(standing.ours, "Your table", names, since),
        *_places(standing.theirs, "The other table", names, since),
    ]
    if not standing.ours:
        lines.insert(0, NOTHING_SHOWN)
    if not standing.theirs and standing.score is None:
        lines.append("The other table hasn't sent anything yet.")
    lines += standing.sentences
    if standing.score is not None:
        lines += filter(None, tally_lines(standing.score, known))
    return lines


def _places(
    places: Sequence[TableProgress], which: str, names: dict[Key, str], since: float
) -> Iterator[str]:
    for place in places:
        one, other = (names[key] for key in place.logs[-1].keys)
        at = f"after hand {place.hands}" if place.hands else "before the first hand"
        old = (
            f" {capital(log.name)} began on {date_and_time(log.started)}, by its host's clock."
            for log in place.logs
            if log.started < since
        )
        yield f"{which}, {one} against {other}: {at}{_end(place, names)}.{''.join(old)}"


def _end(place: TableProgress, names: dict[Key, str]) -> str:
    """Say that a table's last match is over, and who resigned. Return "" if it isn't over."""
    last = place.logs[-1]
    if last.match.resigned is not None:
        return f"; {names[last.keys[last.match.resigned]]} has resigned"
    return "; the match is over" if place.over else ""
