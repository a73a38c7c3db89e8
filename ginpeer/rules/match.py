"""A match, its final account, and what one player sees of it (RULES 8, 13).

A match consists of one or more games. A game has one column or three (ginpeer.rules.score), and a
column collects hands. ``best_of`` and ``multi_match`` set how many games there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from ginpeer.rules.cards import Card, CardSet, Illegal, Unreadable, check_seat
from ginpeer.rules.hand import Hand
from ginpeer.rules.moves import Move
from ginpeer.rules.parameters import AfterVoid, KnockLimit, NextDealer
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.score import (
    SEATS,
    Column,
    Game,
    HandResult,
    Outcome,
    ScoreLine,
    check_result,
    greater,
    named,
    one_more,
    parse_result,
)


def cut_dealer(cards: tuple[Card, Card]) -> int:
    """Return the seat that cut the lower card and deals first (RULES 8.1). Suits decide between
    equal ranks: clubs are lowest, then diamonds, hearts, spades."""
    mine, theirs = ((card.rank, card.suit) for card in cards)
    if mine == theirs:
        raise Illegal("cut-twice", f"Both players can't cut {cards[0]}.")
    return 0 if mine < theirs else 1


@dataclass(frozen=True, slots=True)
class Settlement:
    """The final account: every game with its columns and lines, and the sums.

    ``print`` shows it as the end of a score sheet. ``winner`` is None if nobody has won.
    """

    winner: int | None
    games: tuple[Game, ...]
    stake: int  # the value of a point
    resigned: int | None = None  # the seat that resigned the match, or None

    def __str__(self) -> str:
        return _settlement_text(self, SEATS)

    @property
    def lines(self) -> tuple[ScoreLine, ScoreLine]:
        """The sums of each seat over all columns of all games."""
        return self._sum(0), self._sum(1)

    def _sum(self, seat: int) -> ScoreLine:
        lines = [column.lines[seat] for game in self.games for column in game.columns]
        return ScoreLine(*map(sum, zip(*map(astuple, lines), strict=True)))

    @property
    def totals(self) -> tuple[int, int]:
        host, guest = self.lines
        return host.total, guest.total

    @property
    def margin(self) -> int:
        """The winner's total minus the opponent's; if nobody has won, the difference of the totals.

        It can be negative, because the loser also gets boxes and the points of lost games (RULES
        8.7).
        """
        host, guest = self.totals
        if self.winner is None:
            return abs(host - guest)
        return host - guest if self.winner == 0 else guest - host

    @property
    def debtor(self) -> int | None:
        """The seat that pays: the one with the lower total, even if it has won. None if nothing is
        owed, for example to a player who has resigned (RULES 13.6)."""
        ahead = greater(self.totals)
        return None if ahead in (None, self.resigned) or not self.stake else 1 - ahead

    @property
    def payment(self) -> int:
        """The amount that the debtor owes the opponent (RULES 13.6)."""
        return 0 if self.debtor is None else abs(self.margin) * self.stake


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """A match: the hands played so far. Begin with ``Match.begin`` and add hands with ``record``.

    ``deal`` returns the next hand, with every card known. ``str`` writes the match in one line,
    which ``parse_match`` reads back; ``sheet`` returns the score sheet.

    The first four fields determine the rest, which are stored to save adding up the hands again.
    """

    rules: RuleSet
    first_dealer: int
    results: tuple[HandResult, ...]
    resigned: int | None
    games: tuple[Game, ...]
    """The games in order. The last one is being played, unless the match is finished."""
    games_won: tuple[int, int]
    credits: tuple[int, int]  # each seat's totals from the games that are over
    finished: bool
    dealer: int  # the seat that deals the current or the next hand
    last_winner: int | None  # the winner of the last hand that anybody won

    @classmethod
    def begin(cls, rules: RuleSet, dealer: int) -> Match:
        """Return a match in which this seat deals first. Raises what ``rules.check`` raises."""
        rules.check()
        check_seat(dealer)
        games = (Game.begin(rules),)
        return cls(rules, dealer, (), None, games, (0, 0), (0, 0), False, dealer, None)

    @property
    def game(self) -> Game:
        """The game being played, or the last one."""
        return self.games[-1]

    @property
    def played_game(self) -> Game:
        """The game of the last hand. It isn't ``game`` if that hand ended it and the match
        continues."""
        return self.games[-2] if self.results and not self.game.hands else self.game

    @property
    def scores(self) -> tuple[int, int]:
        """Each seat's points from hands in this game, without match bonuses."""
        return self.game.scores

    @property
    def hands_won(self) -> tuple[int, int]:
        """How many hands each seat has won in this game."""
        return self.game.hands_won

    @property
    def first_to_play(self) -> int:
        """The seat that plays first in the next hand: the non-dealer or, if a second deck's card
        sets the knock limit, the last seat to have won a hand, if any (RULES 10.4)."""
        if self.rules.knock_limit is KnockLimit.SECOND_DECK and self.last_winner is not None:
            return self.last_winner
        return 1 - self.dealer

    @property
    def winner(self) -> int | None:
        """The seat that has won the match; None before the end or if nobody has won."""
        if not self.finished:
            return None
        if self.resigned is not None:
            return 1 - self.resigned
        if self.rules.multi_match is not None:
            return greater(self.credits)
        if self.rules.best_of > 1:
            return greater(self.games_won)
        return self.game.winner

    def deal(self, *, seed: int | str | None = None, deck: Sequence[Card] | None = None) -> Hand:
        """Deal the next hand, with every card known; pass its ``result`` to ``record``. Raises as
        ``Hand.deal`` does, and Illegal if the match is finished."""
        self._check_unfinished()
        second_deck = self.rules.knock_limit is KnockLimit.SECOND_DECK
        first = self.first_to_play if second_deck else None
        return Hand.deal(self.rules, self.dealer, seed=seed, deck=deck, first=first)

    def stages(self) -> Iterator[tuple[Match, Match]]:
        """Yield the match before and after each hand that was played."""
        before = Match.begin(self.rules, self.first_dealer)
        for result in self.results:
            after = before._with(result)
            yield before, after
            before = after

    def sheet(self, names: tuple[str, str] = SEATS) -> str:
        """Return the score sheet as text: every hand with the score in its game, then the account
        if there is one."""
        rows: list[tuple[str, ...]] = [("hand", "dealer", *names, "result")]
        for number, (before, after) in enumerate(self.stages(), 1):
            result = after.results[-1]
            points = map(str, after.played_game.scores)
            rows.append((str(number), names[before.dealer], *points, named(result, names)))
        lines = _columns(rows, left=(1, 4))
        if self.finished:
            lines += ["", _settlement_text(self.settlement(), names)]
        return "\n".join([str(self.rules), *lines])

    def record(self, result: HandResult) -> Match:
        """Return the match after one more hand. Raises Illegal if the match is finished, or if a
        hand played by its rules can't have this result."""
        self._check_unfinished()
        check_result(self.rules, result)
        return self._with(result)

    def after(self, hand: Hand) -> Match:
        """Return the match after this finished hand. Unlike ``record``, this doesn't check the
        result: the rules computed it from the hand's moves, so a player can't be blamed for it.
        Raises Illegal if the match is finished."""
        if hand.result is None:
            raise ValueError("a hand is entered when it is over")
        self._check_unfinished()
        return self._with(hand.result)

    def _with(self, result: HandResult) -> Match:
        game = self.game.record(result)
        match = replace(
            self,
            results=(*self.results, result),
            games=(*self.games[:-1], game),
            dealer=self._next_dealer(result),
            last_winner=self.last_winner if result.winner is None else result.winner,
        )
        if not game.over:
            return match
        match = match._counting(game)
        if match._is_decided():
            return replace(match, finished=True)
        return replace(match, games=(*match.games, Game.begin(self.rules, game.number + 1)))

    def resign(self, seat: int) -> Match:
        """Return the match after this seat resigns it. Raises Illegal if it is already finished."""
        check_seat(seat)
        self._check_unfinished()
        game = self.game.resign(seat)
        match = replace(self, resigned=seat, games=(*self.games[:-1], game), finished=True)
        return match._counting(game)

    def settlement(self) -> Settlement:
        """Return the final account (RULES 8.4 to 8.8, 13). Raises Illegal before the end."""
        if not self.finished:
            raise Illegal("match-goes-on", "The match isn't finished, so nothing is settled yet.")
        return Settlement(self.winner, self.games, self.rules.stake, self.resigned)

    def _counting(self, game: Game) -> Match:
        """Return the match with this finished game added to the games won and the credits."""
        host, guest = game.totals
        return replace(
            self,
            games_won=one_more(self.games_won, game.winner),
            credits=(self.credits[0] + host, self.credits[1] + guest),
        )

    def _is_decided(self) -> bool:
        """Return whether the finished games decide the match (RULES 13.2, 13.3)."""
        if self.rules.multi_match is not None:
            return max(self.credits) >= self.rules.multi_match and greater(self.credits) is not None
        if self.rules.best_of > 1:
            return max(self.games_won) > self.rules.best_of // 2
        return True

    def _next_dealer(self, result: HandResult) -> int:
        """Return the next dealer: the deal rotates as if all games were one (RULES 8.2)."""
        if result.kind is Outcome.VOID:
            again = self.rules.after_void is AfterVoid.SAME_DEALER
            return self.dealer if again else 1 - self.dealer
        if self.rules.next_dealer is NextDealer.ALTERNATES:
            return 1 - self.dealer
        if result.winner is None:
            return self.dealer
        if self.rules.next_dealer is NextDealer.WINNER:
            return result.winner
        return 1 - result.winner

    def _check_unfinished(self) -> None:
        if self.finished:
            raise Illegal("match-over", "The match is finished.")

    def __str__(self) -> str:
        parts = [str(self.rules), f"first dealer {self.first_dealer}", *map(str, self.results)]
        if self.resigned is not None:
            parts.append(f"seat {self.resigned} resigned")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"parse_match({str(self)!r})"


def parse_match(text: str) -> Match:
    """Return the match that ``str`` wrote as this text. Raises Unreadable, Illegal, Unsupported."""
    rules, *parts = text.split("; ")
    dealers = {"first dealer 0": 0, "first dealer 1": 1}
    if not parts or parts[0] not in dealers:
        raise Unreadable("unreadable-match", "A match starts with rules and the first dealer.")
    match = Match.begin(parse_ruleset(rules), dealers[parts[0]])
    for part in parts[1:]:
        if part in ("seat 0 resigned", "seat 1 resigned"):
            match = match.resign(int(part[5]))
        else:
            match = match.record(parse_result(part))
    return match


# --- the score sheet ----------------------------------------------------------------------


def _settlement_text(settlement: Settlement, names: tuple[str, str]) -> str:
    """Return the account line by line, column by column, and the winner."""
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
    words = ("hands", "shutout", "game bonus", "boxes", "total")
    parts = ((*astuple(line), line.total) for line in column.lines)
    rows = zip(words, *parts, strict=True)
    kept = [(what, *map(str, points)) for what, *points in rows if any(points) or what == "total"]
    return [(which, *names), *kept]


def _columns(rows: list[tuple[str, ...]], *, left: tuple[int, ...]) -> list[str]:
    """Return the rows with their cells aligned to the right, or to the left in *left* columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


# --- what one player sees -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """The table and the player's own hand as one seat sees them, never the opponent's hand."""

    seat: int
    hand: Hand
    match: Match

    def __post_init__(self) -> None:
        check_seat(self.seat)
        if self.hand.hands[1 - self.seat] is not None or self.hand.stock is not None:
            object.__setattr__(self, "hand", self.hand.seen_by(self.seat))

    def __str__(self) -> str:
        return self.hand.board()

    @property
    def cards(self) -> CardSet:
        """The player's own hand. Raises Illegal ("hand-unknown") if the view lacks it."""
        return self.hand.hand_of(self.seat)

    @property
    def known(self) -> CardSet:
        """The player's own hand as far as it is known: without a drawn card whose share hasn't
        arrived yet, which can take as long as the opponent likes."""
        return self.hand.hands[self.seat] or 0

    @property
    def my_turn(self) -> bool:
        return self.hand.result is None and self.hand.to_move == self.seat

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every move that this player may make now; none if it isn't their turn."""
        return self.hand.legal_moves() if self.my_turn else ()

    def sensible_moves(self) -> tuple[Move, ...]:
        return self.hand.sensible_moves() if self.my_turn else ()
