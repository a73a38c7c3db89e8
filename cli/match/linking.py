"""A link between two tables: a program beside the one at the table, and its friend's at the other.

# Rule 1: what is shown of ours is in logs that are marked (cli.match.sharing). The marks are looked
#         at each time before anything is sent.
# Rule 2: what comes of the other table is judged here, and so are our own logs, a few entries in a
#         turn: this program has all the time that the one at the table has not.
# Rule 3: one friend for each link. What the other one's program does wrong ends it; a connection
#         that is lost is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cli.words.partnership import (
    LINK_IS_LOST,
    LINK_LEFT,
    NOTHING_PLAYED,
    WAITING,
    friend_is_there,
    standing_lines,
)
from cli.words.whose_keys import whose_keys
from ginpeer.names.nicknames import KnownNames
from ginpeer.net.handshake import OTHER_TABLE
from ginpeer.net.interfaces import Clock, Closed, PeerInfo, Timer
from ginpeer.net.session import Session, SessionOver, Side
from ginpeer.partnership.link_seat import LinkSeat
from ginpeer.partnership.other_tables import OtherTables
from ginpeer.partnership.own_tables import OwnTables
from ginpeer.partnership.standing import standing_of
from ginpeer.store import Home, StoreError, UnreadableLog, read_own_log
from ginpeer.store.shown_logs import shown_logs
from ginpeer.store.told_standing import write_standing
from protocol.crypto.identity import IdentityKey
from protocol.frames import Consent, Pause

EVENING = 12 * 3600.0
"""Seconds for which a consent counts: that of another evening shows nothing."""

EVERY = 2.0
"""Seconds between two looks at our own logs."""

_AT_ONCE = 8
"""Entries that are judged in one turn; the longest takes a third of a second."""

_WAITED_OUT = frozenset(
    ("connection-lost", "peer-silent", "peer-not-reading", "peer-came-back", "tls-failed")
)


@dataclass(frozen=True, slots=True)
class Teams:
    """How the score is kept, as `ginpeer tally` has it."""

    team: Sequence[str] | None = None
    tedesco: bool = False
    target: int | None = None


class Link:
    """The end of a link that one home has. ``again`` is called when the connection was lost, and
    ``ended`` when there is nothing to wait for, with the exit status."""

    def __init__(
        self,
        home: Home,
        identity: IdentityKey,
        clock: Clock,
        *,
        now: Callable[[], float],
        known: KnownNames,
        teams: Teams,
        software: str,
        tell: Callable[..., None],
    ) -> None:
        """*now*: seconds since 1970. *tell*: shows lines."""
        self.again: Callable[[], None] = lambda: None
        self.ended: Callable[[int], None] = lambda status: None
        self.met = False
        self._home = home
        self._identity = identity
        self._clock = clock
        self._now = now
        self._known = known
        self._teams = teams
        self._software = software
        self._tell = tell
        self._own = OwnTables()
        self._others: OtherTables | None = None
        self._introduced: set[bytes] = set()  # tables whose players' keys were told
        self._session: Session | None = None
        self._read: dict[str, float] = {}  # when each log of ours had grown last
        self._said: list[str] = []
        self._trouble = ""
        self._joins = False
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Look at our own logs, now and every while."""
        self._turn()

    def stop(self) -> None:
        """Look no more, and leave."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
        if self._session is not None:
            self._session.leave()

    @property
    def session(self) -> Session | None:
        """The one that lasts, or was the last."""
        return self._session

    def side(self, *, joins: bool) -> Side:
        """What we bring to a connection."""
        self._joins = joins
        return Side(
            identity=self._identity,
            software=self._software,
            seat_for=self._seat_for,
            player_for=self._player_for,
            journal=_NoJournal(),
            joins=joins,
            extensions=lambda: (OTHER_TABLE,),
        )

    # --- our own tables ------------------------------------------------------------------

    def _turn(self) -> None:
        if self._own.waiting:
            ended = self._own.judge(_AT_ONCE)
        else:
            self._look()
            ended = not self._own.waiting
        if ended:
            self._send()
            self._say()
        self._timer = self._clock.callLater(0.0 if self._own.waiting else EVERY, self._turn)

    def _look(self) -> None:
        marked: dict[str, Sequence[bytes]] = {}
        try:
            for log in shown_logs(self._home, self._now() - EVENING):
                grown = self._read.get(log.name) != log.modified
                marked[log.name] = read_own_log(log.path).entries if grown else ()
                self._read[log.name] = log.modified
        except (StoreError, UnreadableLog) as error:
            self._complain(f"{error.sentence} ({error.code})")
        self._own.look(marked)

    def _complain(self, sentence: str) -> None:
        """Once, however often it comes in a row."""
        if sentence != self._trouble:
            self._trouble = sentence
            self._tell(sentence)

    def _send(self) -> None:
        """What may be shown and was not yet. The marks are looked at once more."""
        self._look()
        session = self._session
        if session is not None and session.ending is None:
            session.play(None)

    # --- the other one -------------------------------------------------------------------

    def _seat_for(self, peer: PeerInfo) -> LinkSeat:
        if self._others is None:
            self._others = OtherTables(self._identity.public, peer.key)
        self._look()
        return LinkSeat(
            lambda: self._own.shown, self._others, is_link=OTHER_TABLE in peer.extensions
        )

    def _player_for(self, session: Session) -> _Watcher:
        self._session = session
        session.done.addCallback(self._over)
        return _Watcher(self)

    def there(self, peer: PeerInfo) -> None:
        """The friend's program has proven its key."""
        if not self.met:
            friend = self._known.met.get(peer.key)
            self._tell(friend_is_there("" if friend is None else friend.called, peer.fingerprint))
        self.met = True
        self._say()

    def news(self) -> None:
        """Of the other table."""
        for table, log in () if self._others is None else self._others.logs.items():
            if table not in self._introduced:
                self._introduced.add(table)
                self._introduce(log)
        self._say()

    def _introduce(self, log: Any) -> None:
        """Whose keys play there."""
        (place,) = standing_of((), (log,)).theirs or (None,)
        if place is not None:
            self._tell(*whose_keys(place.logs, self._known))

    def _over(self, closed: Closed) -> None:
        refused = self._others is not None and self._others.refused is not None
        if self._timer is None:
            self.ended(0)
        elif closed.code in _WAITED_OUT:
            self._tell(LINK_IS_LOST)
            self.again()
        elif not (self._joins or refused):  # our door stands open, for the same friend
            self._tell(LINK_LEFT if closed.code == "peer-left" else told(closed), WAITING)
        elif closed.code == "peer-left":
            self._tell(LINK_LEFT)
            self.ended(0)
        else:
            self._tell(told(closed))
            self.ended(1)

    # --- what both come to ---------------------------------------------------------------

    def _say(self) -> None:
        """How the tables stand, here and for the one at the table, if that is news."""
        standing = standing_of(
            self._own.shown.values(),
            () if self._others is None else self._others.logs.values(),
            team=self._teams.team,
            tedesco=self._teams.tedesco,
            target=self._teams.target,
            known=self._known,
        )
        lines = standing_lines(standing, self._known)
        if lines == self._said:
            return
        self._said = lines
        self._tell("", *lines)
        try:
            write_standing(self._home, lines)
        except StoreError as error:
            self._complain(f"{error.sentence} ({error.code})")


def told(closed: Closed) -> str:
    """Why a connection ended."""
    return f"{closed.sentence} ({closed.code})"


class _Watcher:
    """Stands where a player stands at a table, and only looks."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def connected(self, peer: PeerInfo) -> None:
        if OTHER_TABLE in peer.extensions:
            self._link.there(peer)

    def show(self, event: OtherTables) -> None:
        self._link.news()

    def consider(self, offer: object) -> None:
        raise SessionOver(NOTHING_PLAYED)  # the seat has none

    def choose(self, view: object) -> None:
        raise SessionOver(NOTHING_PLAYED)

    def chat(self, text: str) -> None:
        """There is no one here to talk to; that is done at a table."""

    def pause(self, word: Pause) -> None:
        """The session declines it: there is nothing to pause."""

    def proposed(self, rules: str) -> None:
        """No extension for that holds here."""

    def consent(self, word: Consent) -> None:
        """No extension for that holds here."""

    def closed(self, reason: Closed) -> None:
        """The link waits for the session's own end."""


class _NoJournal:
    """Nothing that comes over a link is kept; whoever wants a log asks its players for it."""

    def persist_seed(self, table: bytes, hand: int, seed: bytes) -> None:
        raise SessionOver(NOTHING_PLAYED)

    def persist(self, table: bytes, entry: bytes) -> None:
        raise SessionOver(NOTHING_PLAYED)

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...]) -> None:
        raise SessionOver(NOTHING_PLAYED)
