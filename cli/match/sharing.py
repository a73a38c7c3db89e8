"""Track whether the other table of a partnership may see ours, and answer `tally` at the table.

Rule 1: the log is marked as shareable only while both players consent, and only on the current
        connection. A separate program shows the log (cli.match.linking), and checks the mark each
        time.
Rule 2: a player who has said nothing on this connection hasn't consented. Our player's consent
        lasts as long as the same two players stay together: our program repeats it on the next
        connection, and forgets it when somebody else connects. The other program does the same.
Rule 3: the other player's answer takes effect at once. Our player is told at most once every
        HEARD_EVERY seconds, and only the latest state, so that nobody can pester our player by
        switching back and forth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from cli.match.contact import AnyMatch, MatchPart
from cli.table.table_state import Partnership
from cli.text.grammar import inside
from cli.text.series import (
    LINK_ENDED,
    NO_RESULT,
    NOTHING_SHOWN,
    WHAT_IS_SHOWN,
    asks_consent,
    both_consent,
    no_link,
)
from ginpeer.net.interfaces import PeerInfo, Timer
from ginpeer.net.session import ConsentUnsupported, SessionOver, TooFast
from ginpeer.store import StoreError
from ginpeer.store.partnership_files import cached_standing, mark_shared, shared_logs, unmark_shared
from protocol.frames import Consent

HEARD_EVERY = 30.0  # the fewest seconds between two reports of changes by the other player


class Sharing(MatchPart, Partnership):
    """Tracks which players let another table see the log, over all matches of a sitting."""

    def __init__(self, match: AnyMatch) -> None:
        super().__init__(match)
        self._ours = self._theirs = False  # whether each player consents
        self._peer: bytes | None = None  # the other player's key
        self._told = False  # whether the other player consents, as last shown
        self._told_at: float | None = None
        self._timer: Timer | None = None  # runs while news is being held back
        self._marked: set[Path] = set()

    def repeat_consent(self, peer: PeerInfo) -> None:
        """Repeat our player's consent on a new connection with the same player in this sitting."""
        session, self._theirs = self._sessions.current, False
        if peer.key != self._peer:
            self._ours, self._peer = False, peer.key
            self._told, self._told_at = False, None
        self.mark()
        if self._ours and session is not None:
            with suppress(ConsentUnsupported, SessionOver):
                try:
                    session.consent(Consent.GIVE)
                except TooFast:  # the peer lacks our consent, so ask our player again
                    self._ours = self._told = False

    def mark(self) -> None:
        """Mark the log of the current match if both players consent; otherwise remove its mark."""
        log = self._log
        if log is None:
            return
        if not self._both:
            self._try(unmark_shared, log)
            self._marked.discard(log)
        elif log not in self._marked and self._try(lambda log: mark_shared(log, time.time()), log):
            self._marked.add(log)

    # --- called by the table -------------------------------------------------------------

    def standing(self) -> Sequence[str]:
        kept = cached_standing(self._home, time.time())
        if kept is None:
            return (self._state(), no_link(self._command))
        ended = () if kept.running else (LINK_ENDED,)
        return (self._state(), *ended, *(kept.lines or (NO_RESULT,)))

    def share(self, on: bool) -> Sequence[str]:
        """Give or withdraw our player's consent, and return what to tell our player. Raises
        SessionOver, ConsentUnsupported, TooFast."""
        session = self._sessions.current
        if on:
            if session is None:
                raise SessionOver("Nobody has joined you yet.")
            if not self._ours:
                session.consent(Consent.GIVE)
                self._ours = True
            self.mark()
            self._told = self._theirs
            return (self._state(), WHAT_IS_SHOWN)
        removed = self._unmark()  # also marks from earlier runs of the program
        consented, self._ours = self._ours, False
        if consented and session is not None:
            # An absent player notices that our consent isn't repeated on the next connection.
            with suppress(SessionOver, ConsentUnsupported):
                session.consent(Consent.TAKE_BACK)
        if not removed:
            return ("The other table may still see this one. To try again, type tally off.",)
        if not consented:
            return ("The other table couldn't see this one anyway.",)
        return (
            "The other table won't see any more of this one, but it keeps what it has already "
            "seen.",
        )

    def on_consent(self, word: Consent) -> Sequence[str]:
        """Note the other player's answer, and return what to tell our player now."""
        self._theirs = word is Consent.GIVE
        if self._theirs:
            self.mark()
        else:
            self._unmark()
        return self._news()

    def _news(self) -> Sequence[str]:
        """Return news of the other player's consent, if there is any and it's time to show it."""
        if self._theirs == self._told:
            return ()
        now = self._clock.seconds()
        if self._told_at is not None and now - self._told_at < HEARD_EVERY:
            if self._timer is None:
                wait = self._told_at + HEARD_EVERY - now
                self._timer = self._clock.callLater(wait, self._tell_news)
            return ()
        self._told, self._told_at = self._theirs, now
        if not self._theirs:
            told = "no longer lets the other table see this one. Nothing more is shown."
            return (f"{self._name} {told}",)
        return (self._state(),) if self._ours else (self._state(), WHAT_IS_SHOWN)

    def _tell_news(self) -> None:
        self._timer = None
        lines = self._news()
        if lines:
            self._presenter.info(*lines)
            if self._table is not None:
                self._table.ask_again()

    @property
    def _both(self) -> bool:
        return self._ours and self._theirs

    def _state(self) -> str:
        if self._both:
            marked = self._log is None or self._log in self._marked
            return both_consent(self._name) if marked else NOTHING_SHOWN
        if self._ours:
            name = inside(self._name)
            return f"The other table can see this one once {name} types tally on too."
        return asks_consent(self._name) if self._theirs else NOTHING_SHOWN

    @property
    def _log(self) -> Path | None:
        return None if self._keeper.stored is None else self._keeper.stored.path

    # --- the mark ------------------------------------------------------------------------

    def _unmark(self) -> bool:
        """Remove the mark from all logs of this sitting, and from older ones with this player.
        Return whether all marks could be removed."""
        log = self._log
        marked = {*self._marked, *(() if log is None else (log,)), *self._marked_before()}
        removed = [self._try(unmark_shared, each) for each in marked]
        self._marked.clear()
        return all(removed)

    def _marked_before(self) -> tuple[Path, ...]:
        try:
            logs = shared_logs(self._home, 0.0)
        except StoreError as error:
            self._presenter.info(f"{error.sentence} ({error.code})")
            return ()
        known = ((log.path, self._home.notes(log)) for log in logs)
        return tuple(
            path for path, notes in known if notes is not None and notes.peer == self._peer
        )

    def _try(self, act: Callable[[Path], None], log: Path) -> bool:
        try:
            act(log)
        except StoreError as error:
            self._presenter.info(f"{error.sentence} ({error.code})")
            return False
        return True
