"""Whether the other table of a partnership may see ours, and what `tally` says at the table.

# Rule 1: the log is marked as one that may be shown only while both players consent, and on the
#         connection that lasts. Who shows it (cli.match.linking) is another program, and looks for
#         the mark each time.
# Rule 2: a connection that is lost takes nothing back; the next one begins without consent, and
#         each program says again what its player has said in this sitting.
# Rule 3: what the other player says counts at once. Our player hears of it every HEARD_AGAIN
#         seconds at most, and then how it stands: to give and take back again is no way to annoy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from cli.text.partnership import (
    LINK_ENDED,
    NOT_SHARED,
    NOTHING_SHOWN,
    WHAT_IS_SHOWN,
    YOU_TAKE_BACK,
    asks_consent,
    both_consent,
    no_link,
    takes_back,
    you_consent,
)
from ginpeer.net.handshake import SHARED_LOG
from ginpeer.net.interfaces import Clock, PeerInfo, Timer
from ginpeer.net.session import NoConsent, Session, SessionOver, TooFast
from ginpeer.partnership.consent import Consents
from ginpeer.store import Home, StoreError
from ginpeer.store.shown_logs import mark_shown, shown_logs, unmark_shown
from ginpeer.store.told_standing import read_standing
from protocol.frames import Consent

HEARD_AGAIN = 30.0
"""Seconds from one telling of what the other player says to the next."""


class Sharing:
    """The consent at one table, over all matches of a sitting."""

    def __init__(
        self,
        home: Home,
        command: str,
        *,
        log: Callable[[], Path | None],
        name: Callable[[], str],
        session: Callable[[], Session | None],
        trouble: Callable[[str], None],
        clock: Clock,
        late: Callable[[Sequence[str]], None],
    ) -> None:
        """*command*: how our player calls this program. *log*: that of the match at the table,
        once there is one. *name*: what we call the other player. *session*: the one that lasts, or
        was the last. *trouble*: told what could not be kept. *late*: told what is news of the
        other player's word, and could not be told when it came."""
        self._home = home
        self._command = command
        self._log = log
        self._name = name
        self._session = session
        self._trouble = trouble
        self._said = Consents()
        self._clock = clock
        self._late = late
        self._told = False  # whether our player has heard last that the other one consents
        self._told_at: float | None = None
        self._timer: Timer | None = None  # runs while there is something to be told late
        self._marked: set[Path] = set()

    def extensions(self) -> tuple[int, ...]:
        """What our side speaks: our player can be asked."""
        return (SHARED_LOG,)

    def met(self, peer: PeerInfo) -> None:
        """A connection begins, and its log is there if one goes on."""
        session, known = self._session(), self._said.meet(peer.key)
        if not known:
            self._told, self._told_at = False, None
        self._mark()
        if self._said.ours and session is not None:
            with suppress(NoConsent, TooFast, SessionOver):
                session.consent(Consent.GIVE)

    def agreed(self) -> None:
        """A match is agreed, so there is a log of it."""
        self._mark()

    # --- what the table asks -------------------------------------------------------------

    def standing(self) -> Sequence[str]:
        """How both tables stand, as the link of this home has found it."""
        kept = read_standing(self._home)
        if kept is None:
            return (self._state(), no_link(self._command))
        return (self._state(), *(() if kept.running else (LINK_ENDED,)), *kept.lines)

    def share(self, on: bool) -> Sequence[str]:
        """Our player's word. Raises SessionOver, NoConsent, TooFast."""
        session = self._session()
        if on:
            if session is None:
                raise SessionOver("Nobody sits at the table with you yet.")
            if not self._said.ours:
                session.consent(Consent.GIVE)
                self._said.say(Consent.GIVE)
                self._mark()
            self._told = self._said.theirs
            return (self._state(), WHAT_IS_SHOWN)
        self._unmark()  # of earlier runs of the program, too
        if not self._said.ours:
            return (NOT_SHARED,)
        self._said.say(Consent.TAKE_BACK)
        if session is not None:
            with suppress(SessionOver, NoConsent):  # who is away hears it by our saying nothing
                session.consent(Consent.TAKE_BACK)
        return (YOU_TAKE_BACK,)

    def heard(self, word: Consent) -> Sequence[str]:
        """The other player's word; what can be told of it now."""
        self._said.hear(word)
        if self._said.theirs:
            self._mark()
        else:
            self._unmark()
        return self._news()

    def _news(self) -> Sequence[str]:
        """What our player does not know of the other one's word, where it is to be told now."""
        if self._said.theirs == self._told:
            return ()
        now = self._clock.seconds()
        if self._told_at is not None and now - self._told_at < HEARD_AGAIN:
            if self._timer is None:
                wait = self._told_at + HEARD_AGAIN - now
                self._timer = self._clock.callLater(wait, self._tell_late)
            return ()
        self._told, self._told_at = self._said.theirs, now
        if not self._said.theirs:
            return (takes_back(self._name()),)
        if self._said.ours:
            return (both_consent(self._name()),)
        return (asks_consent(self._name()), WHAT_IS_SHOWN)

    def _tell_late(self) -> None:
        self._timer = None
        lines = self._news()
        if lines:
            self._late(lines)

    def _state(self) -> str:
        if self._said.both:
            return both_consent(self._name())
        if self._said.ours:
            return you_consent(self._name())
        return asks_consent(self._name()) if self._said.theirs else NOTHING_SHOWN

    # --- the mark ------------------------------------------------------------------------

    def _mark(self) -> None:
        """Of the log at the table, as both have said."""
        log = self._log()
        if log is None:
            return
        if not self._said.both:
            self._try(unmark_shown, log)
            self._marked.discard(log)
        elif log not in self._marked:
            self._marked.add(log)
            self._try(mark_shown, log)

    def _unmark(self) -> None:
        """Of all logs of this sitting, and of those with the same player before it."""
        log = self._log()
        for each in {*self._marked, *(() if log is None else (log,)), *self._marked_before()}:
            self._try(unmark_shown, each)
        self._marked.clear()

    def _marked_before(self) -> tuple[Path, ...]:
        """The marked logs with the player who is there, or was there last."""
        try:
            logs = shown_logs(self._home, 0.0)
        except StoreError as error:
            self._trouble(f"{error.sentence} ({error.code})")
            return ()
        known = ((log.path, self._home.notes(log)) for log in logs)
        return tuple(
            path for path, notes in known if notes is not None and notes.peer == self._said.peer
        )

    def _try(self, act: Callable[[Path], None], log: Path) -> None:
        try:
            act(log)
        except StoreError as error:
            self._trouble(f"{error.sentence} ({error.code})")
