"""Several matches in one sitting: who stays for another one, and by which rules it is offered.

# Rule 1: a match is a table of its own. The next one begins on a new connection, with a new log,
# seeds and cut; nothing of the one before passes on but who sits there.
# Rule 2: a program stays only where the other side has said that it does, too (PROTOCOL 9.12), and
# each time anew. A person stays until they leave; a program plays as many as were asked for.
# Rule 3: only what both players have signed is counted, and each match once; what was over before
# they met is not, whichever of them names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cli.table.table import HumanTable
from cli.words.evening import (
    NOTHING_PROPOSED,
    another,
    cannot_be_played,
    declined,
    may_offer,
    other_rules,
    proposal,
    score_of_evening,
)
from ginpeer.keeper import TableKeeper
from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.interfaces import Closed, PeerInfo
from ginpeer.net.session import Session
from ginpeer.referee.table import GUEST
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Options

TIRED = 20
"""Offers that a program declines in a row, before it goes home."""


class Told(Protocol):
    """Who is told what is said between two matches."""

    def info(self, *lines: str) -> None: ...

    def refused(self, code: str, sentence: str) -> None: ...


class Evening:
    """The matches of this run of the program. ``played`` are those that are over."""

    def __init__(
        self,
        keeper: TableKeeper,
        voice: Told,
        seat: int,
        options: Options,
        limit: int | None,
        *,
        name: Callable[[], str],
        session: Callable[[], Session | None],
    ) -> None:
        """*seat*: ours. *limit*: so many matches are played; None: until our player leaves.
        *name*: what we call the other player. *session*: the one that lasts, or was the last."""
        self._keeper = keeper
        self._voice = voice
        self._seat = seat
        self._options = options
        self._limit = limit
        self._name = name
        self._session = session
        self._winners: dict[bytes, int | None] = {}  # by table
        self._declined = ""
        self._in_a_row = 0  # offers that were declined
        self._proposed: RuleSet | None = None  # by the guest, and not offered since

    @property
    def played(self) -> int:
        """How many matches are over."""
        return len(self._winners)

    def extensions(self) -> tuple[int, ...]:
        """What our side speaks on the next connection: whether it stays when this match is over."""
        stays = self._limit is None or self.played + 1 < self._limit
        return (ANOTHER_MATCH,) if stays else ()

    def has_counted(self) -> bool:
        """Whether the match at the table is one that was over before, in this sitting or in another
        one, and only its end was sent."""
        seat = self._keeper.live
        counted = seat is not None and seat.table.table_id in self._winners
        return counted or self._keeper.came_over

    def goes_on(self, closed: Closed, peer: PeerInfo | None) -> bool:
        """Whether both sides stay at the table after a session that has ended so."""
        if peer is None or ANOTHER_MATCH not in peer.extensions:
            return False
        if closed.code == "finished":
            return True
        # A program would offer the same again, and decline whatever comes for as long as it comes.
        again = self._seat == GUEST and self._in_a_row + 1 < TIRED
        return closed.code == "declined" and (again or self._keeper.asks)

    def next_match(self, closed: Closed, table: HumanTable | None) -> None:
        """The match is over: count it, and clear the table for another."""
        seat = self._keeper.live
        if closed.code == "finished" and seat is not None and seat.table.match is not None:
            match = seat.table.match
            self._winners[seat.table.table_id] = match.winner
            if self._keeper.asks:  # a program offers what it was begun with, whatever went on
                self._options = Options(match.rules, self._options.disclosure)
                self._keeper.offer_by(self._options)
            self._voice.info(
                score_of_evening(list(self._winners.values()), self._seat, self._name())
            )
            self._declined, self._in_a_row = "", 0
        else:
            self._in_a_row += 1
            self._declined = declined(self._name())
        self.clear(table)

    def clear(self, table: HumanTable | None) -> None:
        """Nobody sits at the table, and nothing lies on it."""
        self._keeper.play_another()
        if table is not None:
            table.clear()

    # --- before the next one is offered --------------------------------------------------

    def ask_before(self, table: HumanTable, besides: str | None) -> bool:
        """Both sit at the table again: a host's player is asked whether to offer another match, a
        guest's is told. Whether one is asked. *besides*: what else is to be known before."""
        if self._keeper.again and self._seat == GUEST and self._keeper.asks:
            seat = self._keeper.live
            if seat is not None and seat.agreed():  # and was only interrupted
                return False
            self._voice.info(may_offer(self._name()))
        if not (self._keeper.meets_again and self._keeper.waits_with_offer):
            return False
        wish = "" if self._proposed is None else proposal(self._name(), self._proposed)
        question = another(self._name(), self._options.rules)
        self._ask(table, self._declined, wish, besides or "", question)
        return True

    def proposed(self, text: str, table: HumanTable | None) -> None:
        """The guest says what it would like to play. What our player's yes means stays what it was:
        nobody may exchange it while it is typed."""
        try:
            wish = parse_ruleset(text)
            wish.check()  # else our own offer would break the rules
        except RulesError:
            self._voice.info(cannot_be_played(self._name()))
            return
        self._proposed = wish
        self._voice.info(proposal(self._name(), self._proposed))
        if table is not None:
            table.ask_again()

    def _change(self, rules: RuleSet | None, table: HumanTable) -> None:
        """Our player would rather offer these; None: what the guest has proposed."""
        wanted = rules or self._proposed
        if wanted is None:
            self._voice.refused("nothing-proposed", NOTHING_PROPOSED)
            table.ask_again()
            return
        self._options = Options(wanted, self._options.disclosure)
        self._keeper.offer_by(self._options)
        self._ask(table, other_rules(self._name(), wanted))
        table.seated()

    def _ask(self, table: HumanTable, *parts: str) -> None:
        table.ask_aside(
            " ".join(filter(None, parts)),
            self._offer,
            table.leave,
            by=lambda rules: self._change(rules, table),
        )

    def _offer(self) -> None:
        session = self._session()
        self._proposed = None
        if session is not None and session.ending is None:
            session.offer()
