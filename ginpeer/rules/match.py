"""A match: one game, or a series of games, and the final account (RULES 8, 13).

A match is a row of games, a game has one column or three (ginpeer.rules.game), and a column
collects hands. How many games there are, ``best_of`` and ``multi_match`` say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ginpeer.rules.boards import SEATS, settlement_text, sheet_text
from ginpeer.rules.cards import Card, Illegal, Unreadable, check_seat
from ginpeer.rules.game import Game, ScoreLine, greater, one_more
from ginpeer.rules.hand import Hand
from ginpeer.rules.parameters import AfterVoid, KnockLimit, NextDealer
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.score import HandResult, Outcome, check_result, parse_result


def cut_dealer(cards: tuple[Card, Card]) -> int:
    """The seat that deals first: the one that cut the lower card (RULES 8.1).

    Equal ranks are decided by suit: clubs, diamonds, hearts, spades, clubs the lowest.
    """
    mine, theirs = ((card.rank, card.suit) for card in cards)
    if mine == theirs:
        raise Illegal("cut-twice", f"Both players cannot cut {cards[0]}.")
    return 0 if mine < theirs else 1


@dataclass(frozen=True, slots=True)
class Settlement:
    """The final account: every game with its columns and their lines, and what they add up to.
    ``print`` shows it as a score sheet ends.

    ``winner`` is None where nobody has won.
    """

    winner: int | None
    games: tuple[Game, ...]
    stake: int
    """What a point is worth."""
    resigned: int | None = None
    """Who gave the match up."""

    def __str__(self) -> str:
        return settlement_text(self)

    @property
    def lines(self) -> tuple[ScoreLine, ScoreLine]:
        """Each seat's sums over all columns of all games."""
        return self._sum(0), self._sum(1)

    def _sum(self, seat: int) -> ScoreLine:
        lines = [column.lines[seat] for game in self.games for column in game.columns]
        return ScoreLine(
            sum(line.hand_points for line in lines),
            sum(line.shutout for line in lines),
            sum(line.game_bonus for line in lines),
            sum(line.boxes for line in lines),
        )

    @property
    def totals(self) -> tuple[int, int]:
        host, guest = self.lines
        return host.total, guest.total

    @property
    def margin(self) -> int:
        """The winner's total less the other's; where nobody has won, the difference of the totals.

        It can be negative: boxes and the points of lost games go to both (RULES 8.7).
        """
        host, guest = self.totals
        if self.winner is None:
            return abs(host - guest)
        return host - guest if self.winner == 0 else guest - host

    @property
    def debtor(self) -> int | None:
        """Who pays: the seat with the lesser total, even if it has won; None where nothing is
        owed, as to a player who has resigned (RULES 13.6)."""
        ahead = greater(self.totals)
        return None if ahead in (None, self.resigned) or not self.stake else 1 - ahead

    @property
    def payment(self) -> int:
        """What the debtor owes the other (RULES 13.6)."""
        return 0 if self.debtor is None else abs(self.margin) * self.stake


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """The hands played so far. Begin with ``Match.begin``, and add hands with ``record``; ``deal``
    makes the next one where all cards may be known. ``str`` is the whole of it in one line, which
    ``parse_match`` reads back; ``sheet`` is the score sheet.

    >>> from random import Random
    >>> from ginpeer.rules import STANDARD, Match
    >>> match, choice = Match.begin(STANDARD, dealer=0), Random(2).choice
    >>> for number in range(3):
    ...     hand = match.deal(seed=number)
    ...     while not hand.over:
    ...         hand = hand.apply(choice(hand.sensible_moves()))
    ...     match = match.record(hand.result)
    >>> print(match.sheet())  # doctest: +ELLIPSIS
    standard
    hand  dealer  seat 0  seat 1  result
    ...

    All but the first four fields follows
    from those, and is carried along so that no question adds up the hands again."""

    rules: RuleSet
    first_dealer: int
    results: tuple[HandResult, ...]
    resigned: int | None
    games: tuple[Game, ...]
    """In order; the last is being played, unless the match is finished."""
    games_won: tuple[int, int]
    credits: tuple[int, int]
    """The totals of the games that are over."""
    finished: bool
    dealer: int
    """Who deals the hand being played, or the next one."""
    last_winner: int | None
    """Who won the last hand that anybody won."""

    @classmethod
    def begin(cls, rules: RuleSet, dealer: int) -> Match:
        """A match in which this seat deals first. Raises what ``rules.check`` raises, and
        Unreadable for what is no seat."""
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
        """The game in which the last hand was played. It is not ``game`` when that hand ended it
        and the match goes on."""
        return self.games[-2] if self.results and not self.game.hands else self.game

    @property
    def scores(self) -> tuple[int, int]:
        """The points from hands in this game, each hand once, without any bonus of the match."""
        return self.game.scores

    @property
    def hands_won(self) -> tuple[int, int]:
        """The hands won in this game."""
        return self.game.hands_won

    @property
    def first_to_play(self) -> int:
        """Who begins the next hand: the non-dealer; where a card of a second deck sets the knock
        limit, who won the last hand that anybody won, if somebody did (RULES 10.4)."""
        if self.rules.knock_limit is KnockLimit.SECOND_DECK and self.last_winner is not None:
            return self.last_winner
        return 1 - self.dealer

    @property
    def winner(self) -> int | None:
        """Who has won the match; None while it goes on, and where nobody has won."""
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
        """The next hand, of which everything is known, from a seed or a deck (``Hand.deal``); its
        ``result`` is for ``record``. Raises what ``Hand.deal`` raises, and Illegal when the match
        is finished."""
        self._check_goes_on()
        second_deck = self.rules.knock_limit is KnockLimit.SECOND_DECK
        first = self.first_to_play if second_deck else None
        return Hand.deal(self.rules, self.dealer, seed=seed, deck=deck, first=first)

    def stages(self) -> Iterator[tuple[Match, Match]]:
        """For each hand that was played the match as it stood before and after it."""
        before = Match.begin(self.rules, self.first_dealer)
        for result in self.results:
            after = before._with(result)
            yield before, after
            before = after

    def sheet(self, names: tuple[str, str] = SEATS) -> str:
        """The score sheet, to print: every hand, the running score, and the account at the end."""
        return sheet_text(self, names)

    def record(self, result: HandResult) -> Match:
        """The match after one more hand. Raises Illegal when it is finished, and for a result that
        no hand by its rules can have."""
        self._check_goes_on()
        check_result(self.rules, result)
        return self._with(result)

    def after(self, hand: Hand) -> Match:
        """The match after this hand, which is over. Its result is what the rules made of its moves,
        and is not asked whether it can be: nobody is blamed for a sum of ours. Raises Illegal when
        the match is finished."""
        if hand.result is None:
            raise ValueError("a hand is entered when it is over")
        self._check_goes_on()
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
        """The match given up by this seat. Raises Illegal when it is finished, and Unreadable for
        what is no seat."""
        check_seat(seat)
        self._check_goes_on()
        game = self.game.resign(seat)
        match = replace(self, resigned=seat, games=(*self.games[:-1], game), finished=True)
        return match._counting(game)

    def settlement(self) -> Settlement:
        """The final account (RULES 8.4 to 8.8, 13). Raises Illegal before the match is finished."""
        if not self.finished:
            raise Illegal("match-goes-on", "The match is not finished; nothing is settled yet.")
        return Settlement(self.winner, self.games, self.rules.stake, self.resigned)

    def _counting(self, game: Game) -> Match:
        """With this game, which is over, among those won and in the credits."""
        host, guest = game.totals
        return replace(
            self,
            games_won=one_more(self.games_won, game.winner),
            credits=(self.credits[0] + host, self.credits[1] + guest),
        )

    def _is_decided(self) -> bool:
        """Whether the games that are over decide the match (RULES 13.2, 13.3)."""
        if self.rules.multi_match is not None:
            return max(self.credits) >= self.rules.multi_match and greater(self.credits) is not None
        if self.rules.best_of > 1:
            return max(self.games_won) > self.rules.best_of // 2
        return True

    def _next_dealer(self, result: HandResult) -> int:
        """Who deals after this hand, also if it ended a game: the deal goes on as if all games
        were one row of hands (RULES 8.2)."""
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

    def _check_goes_on(self) -> None:
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
    """The match of a text as ``str`` writes it. Raises Unreadable, Illegal or Unsupported."""
    rules, *parts = text.split("; ")
    dealers = {"first dealer 0": 0, "first dealer 1": 1}
    if not parts or parts[0] not in dealers:
        raise Unreadable("unreadable-match", "A match begins with rules and the first dealer.")
    match = Match.begin(parse_ruleset(rules), dealers[parts[0]])
    for part in parts[1:]:
        if part in ("seat 0 resigned", "seat 1 resigned"):
            match = match.resign(int(part[5]))
        else:
            match = match.record(parse_result(part))
    return match
