"""The score of several tables as lines to be read aloud, and as one JSON document (RULES 14).

What is said is worked out in two steps: the hands are entered (ginpeer.rules.team), and then every
number is said with a name before it. Both forms are made of the same entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cli.words.grammar import number, plural
from cli.words.tally_tables import Key, Row, TableLog, Teams, Turns, display
from ginpeer.rules.game import Column, Line
from ginpeer.rules.score import HandResult
from ginpeer.rules.team import TeamMatch, ThreePlayers
from protocol.crypto.identity import fingerprint

# --- teams ------------------------------------------------------------------------------


class TeamSheet:
    """Two teams' hands and account."""

    def __init__(self, teams: Teams, *, tedesco: bool, target: int | None) -> None:
        """Raises Illegal for a target out of range."""
        self.teams = teams
        self.tedesco = tedesco
        self.player = display([log for row in teams.rows for log in row.logs])
        self.team = tuple(_and([self.player[key] for key in teams.team(at)]) for at in (0, 1))
        match = TeamMatch.begin(teams.rules, len(teams.rows), tedesco=tedesco, target=target)
        self._stages = [match]
        for at, results in enumerate(zip(*(row.hands for row in teams.rows), strict=True)):
            played = [result for result in results if result is not None]
            if len(played) == len(results):
                match = match.record(played)
            else:
                match = match.resign({team for team, _, _ in self._leavers(at)})
            self._stages.append(match)
        self.match = match

    @property
    def winner(self) -> int | None:
        return self.match.winner

    def lines(self) -> list[str]:
        size = len(self.teams.rows)
        target = self.match.game.rules.target
        to = f"three columns to {target}, by Tedesco's rules" if self.tedesco else f"to {target}"
        lines = [
            f"Teams of {size} at {size} tables, {to}. The tables' rules: {self.teams.rules}.",
            f"One team: {self.team[0]}. The other: {self.team[1]}.",
        ]
        for at, row in enumerate(self.teams.rows, 1):
            one, other = (self.player[key] for key in row.players)
            logs = ", ".join(log.name for log in row.logs)
            lines.append(f"Table {at}: {one} against {other} ({logs}).")
        return [*lines, "", *self._hands(), "", *self._end()]

    # hand by hand

    def _hands(self) -> Iterator[str]:
        for at, (before, after) in enumerate(zip(self._stages, self._stages[1:], strict=False)):
            yield f"Hand {at + 1}: {self._hand(at, before, after)}"

    def _hand(self, at: int, before: TeamMatch, after: TeamMatch) -> str:
        if before.over:
            return "not counted, for the game was over."
        if (hand := after.hands[-1]) is None:
            return f"not scored. {' '.join(self._given_up(at, after))}"
        told = "; ".join(self._at_table(row, at) for row in self.teams.rows)
        if hand.winner is None:
            scored = "No team scores"
        else:
            bonus = hand.bonus[hand.winner]
            extra = f", {bonus} of them because all its players won" if bonus else ""
            scored = f"{self.team[hand.winner]} score {hand.points}{extra}"
        return f"{told}. {scored}. {self._standing(after)}"

    def _at_table(self, row: Row, at: int) -> str:
        result = row.hands[at]
        names = [self.player[key] for key in row.players]
        if result is None or result.winner is None:
            return f"nobody scores between {names[0]} and {names[1]}"
        return ", ".join(
            f"{name} {number(result.points_of(seat))}" for seat, name in enumerate(names)
        )

    def _leavers(self, at: int) -> Iterator[tuple[int, Key, TableLog]]:
        """Team and player who resigned, for each table that lacks this hand."""
        per_log = self.teams.rules.hands or 1
        for row in self.teams.rows:
            log = row.logs[at // per_log]
            if row.hands[at] is None and log.match.resigned is not None:
                leaver = log.keys[log.match.resigned]
                yield row.players.index(leaver), leaver, log

    def _given_up(self, at: int, after: TeamMatch) -> Iterator[str]:
        """Who resigned in the place of this hand, and who has lost by that."""
        for _, leaver, log in self._leavers(at):
            yield f"It is not in {log.name}: {self.player[leaver]} resigned."
        if after.winner is None:
            yield "Both teams have given up the game, and neither has won."
        else:
            yield f"{self.team[1 - after.winner]} have lost the game by that."

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
            f"{name} {number(points)}" for name, points in zip(self.team, numbers, strict=True)
        )

    # the end

    def _end(self) -> Iterator[str]:
        game = self.match.game
        for at, column in enumerate(game.columns, 1):
            which = f"Column {at}, " if len(game.columns) > 1 else ""
            for team, name in enumerate(self.team):
                yield f"{which}{name}: {self._account(column, team)}."
        if not game.over:
            given_up = "Nobody has won, for both teams have given up."
            yield given_up if self.match.over else "Nobody has won yet."
            return
        totals = f"{self._both(game.totals)}"
        if self.winner is None:
            yield f"No team wins: {totals}."
        elif self.match.resigned:
            yield f"{self.team[self.winner]} win, for the other team has given up: {totals}."
        else:
            yield f"{self.team[self.winner]} win: {totals}."
        yield from self._stake(game.totals)

    def _account(self, column: Column, team: int) -> str:
        if column.over:
            return account(column.lines[team], column.hands_won[team])
        target = column.rules.target or 0
        points = column.points[team]
        return f"{number(points)} from hands, {target - points} short of {target}"

    def _stake(self, totals: tuple[int, int]) -> Iterator[str]:
        owing, paid = sorted((0, 1), key=lambda team: totals[team])
        if self.teams.rules.stake and paid in self.match.resigned and totals[0] != totals[1]:
            yield unpaid_line(self.team[owing], self.team[paid], self.teams.rules.stake)
        elif self.teams.rules.stake:
            yield stake_line(
                self.team[owing],
                self.team[paid],
                abs(totals[0] - totals[1]),
                self.teams.rules.stake,
            )

    def document(self) -> dict[str, Any]:
        """The keys that are described at the head of cli.commands.tally."""
        game = self.match.game
        return {
            "kind": "teams",
            "tedesco": self.tedesco,
            "rules": str(self.teams.rules),
            "target": game.rules.target,
            "players": [
                _player(key, self.player[key], at) for at in (0, 1) for key in self.teams.team(at)
            ],
            "tables": [[log.name for log in row.logs] for row in self.teams.rows],
            "hands": [
                {
                    "number": at,
                    "counted": hand is not None,
                    "points": None if hand is None else [hand.points_of(0), hand.points_of(1)],
                    "bonus": None
                    if hand is None
                    else sum(hand.bonus)
                    if hand.winner in (0, 1)
                    else 0,
                    "tables": [_result(row.hands[at - 1]) for row in self.teams.rows],
                }
                for at, hand in enumerate(self.match.hands, 1)
            ],
            "columns": [
                {
                    "over": column.over,
                    "winner": column.winner,
                    "score": [
                        _line(column.lines[team], column.hands_won[team], column.over)
                        for team in (0, 1)
                    ],
                }
                for column in game.columns
            ],
            "over": self.match.over,
            "winner": self.winner,
            "resigned": sorted(self.match.resigned),
            "totals": list(game.totals) if game.over else None,
        }


# --- three players ----------------------------------------------------------------------


class TurnsSheet:
    """Three players' hands and account."""

    def __init__(self, turns: Turns, *, target: int) -> None:
        self.turns = turns
        self.player = display(turns.logs)
        self.names = tuple(self.player[key] for key in turns.players)
        state = ThreePlayers(turns.rules, target)
        self._given_up: TableLog | None = None  # in which the game was resigned
        self._played: list[tuple[TableLog, tuple[int, int], HandResult, ThreePlayers | None]] = []
        for log, bout in zip(turns.logs, turns.bouts, strict=True):
            for result in bout.results:
                over = state.winner is not None
                state = state if over else state.record(bout.players, result)
                self._played.append((log, bout.players, result, None if over else state))
            if log.match.resigned is not None and state.winner is None:
                state = state.resign(bout.players, log.match.resigned)
                self._given_up = log
        self.state = state

    def lines(self) -> list[str]:
        lines = [
            f"Three players, {_and(self.names)}, to {self.state.target}. "
            f"The rules of each hand: {self.turns.rules}.",
            "",
        ]
        for log in self.turns.logs:
            lines += [
                f"Hand {at}, {log.name}: {self._hand(players, result, state)}"
                for at, (of, players, result, state) in enumerate(self._played, 1)
                if of is log
            ]
            if log.match.resigned is not None:
                lines.append(self._resignation(log, self.player[log.keys[log.match.resigned]]))
        return [*lines, "", *self._end()]

    def _hand(
        self, players: tuple[int, int], result: HandResult, state: ThreePlayers | None
    ) -> str:
        one, other = (self.names[player] for player in players)
        out = next(name for at, name in enumerate(self.names) if at not in players)
        if state is None:
            return "not counted, for the game was over."
        if result.winner is None:
            scored = "nobody scores"
        else:
            scored = ", ".join(
                f"{self.names[player]} {number(result.points_of(seat))}"
                for seat, player in enumerate(players)
            )
        return f"{one} against {other}, {out} sits out: {scored}. {self._score(state)}"

    def _score(self, state: ThreePlayers) -> str:
        return f"Score: {self._all(state.points)}."

    def _all(self, numbers: Sequence[int]) -> str:
        return ", ".join(
            f"{name} {number(points)}" for name, points in zip(self.names, numbers, strict=True)
        )

    def _resignation(self, log: TableLog, leaver: str) -> str:
        if log is not self._given_up:
            return f"{leaver} resigned in {log.name}; not counted, for the game was over."
        return f"{leaver} resigned in {log.name} and has lost the game; that hand is nobody's."

    def _end(self) -> Iterator[str]:
        state = self.state
        if state.winner is None:
            for name, points in zip(self.names, state.points, strict=True):
                short = max(state.target - points, 0)
                yield f"{name}: {number(points)} from hands, {short} short of {state.target}."
            yield "Nobody has won yet."
            return
        totals = [line.total for line in state.lines]
        for name, line, won in zip(self.names, state.lines, state.hands_won, strict=True):
            yield f"{name}: {account(line, won)}."
        why = "" if state.resigned is None else f", for {self.names[state.resigned]} has resigned"
        yield f"{self.names[state.winner]} wins{why}: {self._all(totals)}."
        if self.turns.rules.stake:
            yield from self._stakes(state.winner, totals)

    def _stakes(self, winner: int, totals: list[int]) -> Iterator[str]:
        """The winner settles with each of the others."""
        for player, name in enumerate(self.names):
            if player != winner:
                margin = totals[winner] - totals[player]
                pair = (name, self.names[winner])
                if margin < 0 and player == self.state.resigned:
                    yield unpaid_line(self.names[winner], name, self.turns.rules.stake)
                    continue
                owing, paid = pair if margin >= 0 else pair[::-1]
                yield stake_line(owing, paid, abs(margin), self.turns.rules.stake)

    def document(self) -> dict[str, Any]:
        """The keys that are described at the head of cli.commands.tally."""
        state = self.state
        over = state.winner is not None
        return {
            "kind": "rotation",
            "tedesco": False,
            "rules": str(self.turns.rules),
            "target": state.target,
            "players": [_player(key, self.player[key], None) for key in self.turns.players],
            "tables": [[log.name] for log in self.turns.logs],
            "hands": [
                {
                    "number": at,
                    "counted": after is not None,
                    "points": None
                    if after is None
                    else [
                        result.points_of(players.index(player)) if player in players else 0
                        for player in range(3)
                    ],
                    "bonus": None if after is None else 0,
                    "tables": [_result(result)],
                }
                for at, (_, players, result, after) in enumerate(self._played, 1)
            ],
            "columns": [
                {
                    "over": over,
                    "winner": state.winner,
                    "score": [
                        _line(line, won, over)
                        for line, won in zip(state.lines, state.hands_won, strict=True)
                    ],
                }
            ],
            "over": over,
            "winner": state.winner,
            "resigned": [] if state.resigned is None else [state.resigned],
            "totals": [line.total for line in state.lines] if over else None,
        }


# --- words and values of both -----------------------------------------------------------


def account(line: Line, won: int) -> str:
    """ "125 from hands, 100 game bonus, 40 for 2 boxes, total 265"."""
    parts = [f"{number(line.hand_points)} from hands"]
    if line.shutout:
        parts.append(f"{line.shutout} for the shutout")
    if line.game_bonus:
        parts.append(f"{line.game_bonus} game bonus")
    if won:
        parts.append(f"{line.boxes} for {plural(won, 'box', 'boxes')}")
    return f"{', '.join(parts)}, total {number(line.total)}"


def stake_line(owing: str, paid: str, margin: int, stake: int) -> str:
    """What the stake comes to, as it is said after a match of two."""
    if not margin:
        return f"The stake is {stake} a point; {owing} and {paid} are even."
    return (
        f"The stake is {stake} a point: from {owing} to {paid} {stake} times {margin}, "
        f"that is {stake * margin}."
    )


def unpaid_line(owing: str, paid: str, stake: int) -> str:
    """Where the greater total is that of who resigned (RULES 13.6)."""
    owed = f"nothing from {owing} to {paid}, for who resigns is owed nothing"
    return f"The stake is {stake} a point: {owed}."


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _player(key: Key, name: str, team: int | None) -> dict[str, Any]:
    return {"name": name, "key": key.hex(), "fingerprint": fingerprint(key), "team": team}


def _result(result: HandResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "result": result.kind.value.replace(" ", "-"),
        "points": [result.points_of(seat) if result.winner is not None else 0 for seat in (0, 1)],
    }


def _line(line: Line, won: int, over: bool) -> dict[str, int | None]:
    return {
        "hand_points": line.hand_points,
        "hands_won": won,
        "shutout": line.shutout if over else None,
        "game_bonus": line.game_bonus if over else None,
        "boxes": line.boxes if over else None,
        "total": line.total if over else None,
    }
