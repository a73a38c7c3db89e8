"""Unfinished matches: those that a new match shelves, and those that are found when players meet.

Rule 1: before a new match replaces an unfinished one, a person is asked: the host before the
offer, the guest together with it. A program has already said what it wants by how it was started.
A match that this program has found damaged can't continue, so its player is told only that.
Rule 2: nothing is lost by shelving. Each shelved match is named, with the command that resumes
it, when it is shelved and again at the end.
"""

from __future__ import annotations

from contextlib import suppress

from cli.match.contact import MatchPart
from cli.table.presenter import Presenter
from cli.table.table_state import OpenQuestion
from cli.text.shelved_match import (
    guest_is_asked,
    host_is_asked,
    host_is_told,
)
from ginpeer.match_store import KeeperNotices
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import StoreError
from protocol.frames import Position


class ShelvedMatches(MatchPart):
    """The unfinished matches with the other player, apart from the current one."""

    def warning(self) -> str | None:
        """Return what a host should know before it offers a new match in place of this one."""
        stored = self._keeper.replaces
        if stored is None:
            return None
        resume = f"{self._command} resume {stored.match.short}"
        return host_is_told(stored, resume, self._other.names)

    def ask_before(self) -> None:
        stored, table = self._keeper.replaces, self._table
        if stored is None or table is None:
            return
        name = f"{self._command} resume {stored.match.short}"
        if self._seat == GUEST:
            because = f"Our match {stored.match.short} isn't finished."
            told = guest_is_asked(stored, name, self._other.names)
            table.ask_aside(OpenQuestion(told, because=because))
        elif self._keeper.delays_offer:
            resumable = self._keeper.can_resume_unfinished
            table.ask_aside(
                OpenQuestion(
                    host_is_asked(stored, name, self._other.names),
                    self._offer_new,
                    self._keep_stored,
                    what="offer a new match",
                    otherwise="continue the unfinished one" if resumable else "end this session",
                )
            )

    def _offer_new(self) -> None:
        session = self._sessions.current
        if session is not None and session.ending is None:
            session.offer()

    def _keep_stored(self) -> None:
        stored, session = self._keeper.replaces, self._sessions.current
        if stored is None or session is None:
            return
        if self._keeper.resume_unfinished():
            session.resume_stored()
        else:
            session.leave_stored(
                f"Nothing was offered. The match {stored.match.short} stays as it is."
            )

    def on_agreement(self) -> None:
        stored = self._keeper.replaces
        if stored is not None:
            name = stored.match.short
            who = "You have" if self._seat == HOST else "The host has"
            self._presenter.show_shelved(
                name,
                f"{who} shelved the unfinished match {name}. To continue it another time, type "
                f"{self._command} resume {name}.",
            )

    def say_what_is_left(self, peer: bytes) -> None:
        with suppress(StoreError):
            found = [each.match.short for each in self._keeper.shelved_matches(peer)]
            names = ", ".join(found)
            if len(found) == 1:
                self._presenter.info(
                    f"You have a shelved match with this player: {names}. To continue it, type "
                    f"{self._command} resume {names}."
                )
            elif found:
                self._presenter.info(
                    f"You have {len(found)} shelved matches with this player: {names}. To continue "
                    f"one, type {self._command} resume and its name."
                )


_MANY_HANDS = 3
"""With this many hands or more, verifying the proofs again takes so long that we say so first."""


class StoredMatchNotices(KeeperNotices):
    """Tells our player what happens to stored matches."""

    def __init__(self, presenter: Presenter, command: str) -> None:
        self._presenter = presenter
        self._command = command
        self._missing: bytes | None = None

    def checking(self, hands: int) -> None:
        """Say that a log is being checked, which takes a few tenths of a second for each hand."""
        if hands >= _MANY_HANDS:
            self._presenter.info(f"Checking the log of {hands} hands.")

    def dropped(self) -> None:
        """Say that the host resumes a different match, which otherwise looks like a new one."""
        self._presenter.info(
            "The host is continuing a different match from yours. Yours is kept; to continue it, "
            f"run {self._command} resume and its name."
        )

    def damaged(self, why: StoreError) -> None:
        self._presenter.info(f"{why.sentence} ({why.code})")

    def missing(self, table: bytes | None, resumed: Position | None) -> None:
        """Say once that the other player's program asked for a match that isn't stored here."""
        if table is not None and table != self._missing:
            self._missing = table
            instead = "That match can't continue."
            if resumed is not None:
                instead = f"Instead, the match {resumed.table.hex()[:6]} continues."
            self._presenter.info(
                f"Your opponent's program named the match {table.hex()[:6]}, which isn't stored on "
                f"this machine. {instead}"
            )

    def other_rules(self, typed: RuleSet | None, played: RuleSet) -> None:
        """Say that a resumed match keeps its rules, if our player typed different ones."""
        if typed not in (None, played):
            self._presenter.info(
                "This match keeps its rules. For other rules, start a new match with "
                f"{self._command} host --new."
            )
