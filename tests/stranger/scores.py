"""Who deals, columns, games and the match (PROTOCOL 8.8, 8.9)."""

from collections.abc import Sequence

from .rule_text import Rules


def next_dealer(rules: Rules, dealer: int, winner: int | None, *, is_void: bool) -> int:
    """Who deals after a hand that this player has dealt (PROTOCOL 8.8)."""
    if is_void:
        return dealer if rules["after-void"] == "same-dealer" else 1 - dealer
    if rules["next-dealer"] == "alternates":
        return 1 - dealer
    if winner is None:
        return dealer
    return winner if rules["next-dealer"] == "winner" else 1 - winner


class Column:
    """Points and hands won, by seat."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.points, self.wins = [0, 0], [0, 0]
        self.is_over = False
        self.winner: int | None = None

    def enter(self, winner: int, points: Sequence[int]) -> None:
        self.points = [old + new for old, new in zip(self.points, points, strict=True)]
        self.wins[winner] += 1
        target = self.rules["target"]
        if target != "none" and max(self.points) >= target and self.points[0] != self.points[1]:
            self.close()

    def close(self) -> None:
        """Whoever has more points has won, but for the lead of fifty that loses."""
        self.is_over = True
        lead = self.points[0] - self.points[1]
        if lead:
            self.winner = 0 if lead > 0 else 1
            if self.rules["lead-of-fifty-loses"] == "yes" and abs(lead) == 50:
                self.winner = 1 - self.winner

    def resign(self, seat: int) -> None:
        self.is_over, self.winner = True, 1 - seat

    def totals(self) -> list[int]:
        rules, winner = self.rules, self.winner
        result = [self.points[seat] + rules["box"] * self.wins[seat] for seat in (0, 1)]
        if winner is None:
            return result
        result[winner] += rules["game-bonus"]
        loser = 1 - winner
        if rules["shutout"] == "double-hands" and self.wins[loser] == 0:
            result[winner] += max(self.points[winner], 0)
        if rules["shutout"] == "double-game-bonus" and self.points[loser] <= 0:
            result[winner] += rules["game-bonus"]
        return result


def _added(pairs: Sequence[Sequence[int]]) -> list[int]:
    return [sum(pair[seat] for pair in pairs) for seat in (0, 1)]


class Game:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.columns = [Column(rules) for _ in range(rules["columns"])]
        self.hands = 0

    def enter(self, winner: int | None, points: Sequence[int]) -> None:
        """A hand; a void one is won by nobody."""
        self.hands += 1
        if winner is not None:
            filling = [column for column in self.open_columns if column.wins[winner]]
            empty = [column for column in self.open_columns if not column.wins[winner]]
            for column in [*filling, *empty[:1]]:
                column.enter(winner, points)
        if self.hands == self.rules["hands"]:
            for column in self.open_columns:
                column.close()

    @property
    def open_columns(self) -> list[Column]:
        return [column for column in self.columns if not column.is_over]

    @property
    def is_over(self) -> bool:
        return all(column.is_over for column in self.columns)

    def totals(self) -> list[int]:
        return _added([column.totals() for column in self.columns])

    @property
    def winner(self) -> int | None:
        if len(self.columns) == 1:
            return self.columns[0].winner
        return _higher(self.totals())


def _higher(totals: Sequence[int]) -> int | None:
    return None if totals[0] == totals[1] else int(totals[1] > totals[0])


class Score:
    """All games of the match, the last one perhaps not over."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.games = [Game(rules)]
        self.is_over = False
        self.winner: int | None = None

    def enter(self, winner: int | None, points: Sequence[int]) -> None:
        self.games[-1].enter(winner, points)
        if self.games[-1].is_over:
            self._after_game()

    def _after_game(self) -> None:
        rules = self.rules
        if rules["multi-match"] != "none":
            totals = self.totals()
            self.winner = _higher(totals) if max(totals) >= rules["multi-match"] else None
            self.is_over = self.winner is not None
        elif rules["best-of"] > 1:
            winners = [game.winner for game in self.games]
            for seat in (0, 1):
                if winners.count(seat) == (rules["best-of"] + 1) // 2:
                    self.winner, self.is_over = seat, True
        else:
            self.winner, self.is_over = self.games[-1].winner, True
        if not self.is_over:
            self.games.append(Game(rules))

    def resign(self, seat: int) -> None:
        for column in self.games[-1].open_columns:
            column.resign(seat)
        self.winner, self.is_over = 1 - seat, True

    def totals(self) -> list[int]:
        """Of the match, for host and guest."""
        return _added([game.totals() for game in self.games])
