"""A link between two tables: a program beside the one at the table, and its friend's at the other.

# Rule 1: what is shown of ours is in logs that are marked (cli.match.sharing). The marks are looked
#         at each time before anything is sent.
# Rule 2: what comes of the other table is judged here, and so are our own logs, a few entries in a
#         turn: this program has all the time that the one at the table has not.
# Rule 3: a friend for each end, with a door, and an invite, of its own. What a friend's program
#         sends that is not taken ends ours; a connection that is lost is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cli.failure import OUR_FAULT
from cli.text.partnership import LINK_IS_LOST, LINK_LEFT, NOTHING_PLAYED, WAITING, friend_is_there
from cli.text.players import key_lines
from cli.text.tally import link_standing_lines
from ginpeer.names.nicknames import KnownNames
from ginpeer.names.shown import isolated, safe
from ginpeer.net.handshake import OTHER_TABLE
from ginpeer.net.interfaces import Clock, Closed, PeerInfo, Timer
from ginpeer.net.own_faults import fault_of, log_fault
from ginpeer.net.session import Session, SessionOver, Side
from ginpeer.partnership.followed_log import FollowedLog
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
    """What one home shows, and is shown, over one or more connections. ``ended`` is called when
    there is nothing to wait for, with the exit status."""

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
        self.ended: Callable[[int], None] = lambda status: None
        self.identity = identity
        self.known = known
        self.software = software
        self.tell = tell
        self._home = home
        self._clock = clock
        self._now = now
        self._teams = teams
        self._own = OwnTables()
        self._ends: list[End] = []
        self._introduced: set[bytes] = set()  # tables whose players' keys were told
        self._read: dict[str, float] = {}  # when each log of ours had grown last
        self._said: list[str] = []
        self._trouble = ""
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Look at our own logs, now and every while."""
        self._timer = self._clock.callLater(0.0, self._guarded)

    def stop(self) -> None:
        """Look no more, and leave."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
        for end in self._ends:
            end.leave()

    def end(self, *, joins: bool) -> End:
        """One more friend: with *joins* we go there, else there is a door of its own for each."""
        self._ends.append(End(self, joins=joins))
        return self._ends[-1]

    @property
    def stopped(self) -> bool:
        """Whether nobody looks any more."""
        return self._timer is None

    @property
    def connected(self) -> bool:
        """Whether a connection lasts."""
        return any(end.lasts for end in self._ends)

    # --- our own tables ------------------------------------------------------------------

    def _guarded(self) -> None:
        """A fault of our own ends the link; else it would stand still without a word."""
        try:
            self._turn()
        except Exception as error:  # class C, of whatever kind
            log_fault(error, debug=False)
            self._timer = None
            self.tell(told(fault_of(error)))
            self.ended(OUR_FAULT)
        else:
            wait = 0.0 if self._own.waiting else EVERY
            self._timer = self._clock.callLater(wait, self._guarded)

    def _turn(self) -> None:
        if self._own.waiting:
            ended = self._own.judge(_AT_ONCE)
        else:
            self._look()
            ended = not self._own.waiting
        if ended:
            self._look()  # a mark may have gone while hands were judged
            for end in self._ends:
                end.send()
            self.say()

    def _look(self) -> None:
        """Which logs are marked, and what is new in them."""
        marked: dict[str, Sequence[bytes]] = {}
        try:
            logs = shown_logs(self._home, self._now() - EVENING)
        except StoreError as error:
            logs = ()
            self._complain(f"{error.sentence} ({error.code})")
        for log in logs:
            marked[log.name] = ()
            if self._read.get(log.name) == log.modified:
                continue
            try:
                marked[log.name] = read_own_log(log.path).entries
                self._read[log.name] = log.modified
            except UnreadableLog as error:
                self._complain(f"{error.sentence} ({error.code})")
        self._own.look(marked)

    def shown(self) -> dict[bytes, FollowedLog]:
        """What may be shown now, by table; the marks are looked at for it."""
        self._look()
        return self._own.shown

    def _complain(self, sentence: str) -> None:
        """Once, however often it comes in a row."""
        if sentence != self._trouble:
            self._trouble = sentence
            self.tell(sentence)

    # --- what all come to ----------------------------------------------------------------

    def news(self) -> None:
        """Of another table."""
        for log in self._others():
            places = standing_of((), (log,)).theirs
            if places and log.table.table_id not in self._introduced:
                self._introduced.add(log.table.table_id)
                self.tell(*key_lines(places[0].logs, self.known))
        self.say()

    def _others(self) -> list[FollowedLog]:
        return [log for end in self._ends for log in end.logs]

    def say(self) -> None:
        """How the tables stand, here and for the one at the table, if that is news."""
        standing = standing_of(
            self._own.shown.values(),
            self._others(),
            team=self._teams.team,
            tedesco=self._teams.tedesco,
            target=self._teams.target,
            known=self.known,
        )
        lines = link_standing_lines(standing, self.known)
        if lines == self._said:
            return
        self._said = lines
        self.tell("", *lines)
        try:
            write_standing(self._home, lines)
        except StoreError as error:
            self._complain(f"{error.sentence} ({error.code})")


class End:
    """Our end of the connections with one friend. ``again`` is called when one was lost; ``met``:
    whether there was one."""

    def __init__(self, link: Link, *, joins: bool) -> None:
        self.again: Callable[[], None] = lambda: None
        self.met = False
        self._link = link
        self._joins = joins
        self._others: OtherTables | None = None
        self._session: Session | None = None

    @property
    def side(self) -> Side:
        """What we bring to a connection."""
        return Side(
            identity=self._link.identity,
            software=self._link.software,
            seat_for=self._seat_for,
            player_for=self._player_for,
            journal=_NoJournal(),
            joins=self._joins,
            extensions=lambda: (OTHER_TABLE,),
        )

    @property
    def logs(self) -> tuple[FollowedLog, ...]:
        """What the friend has shown."""
        return () if self._others is None else tuple(self._others.logs.values())

    @property
    def lasts(self) -> bool:
        """Whether there is a connection now."""
        return self._session is not None and not self._session.done.called

    def send(self) -> None:
        """What may be shown and was not yet."""
        if self._session is not None and self._session.ending is None:
            self._session.play(None)

    def leave(self) -> None:
        """Say goodbye."""
        if self._session is not None:
            self._session.leave()

    def _seat_for(self, peer: PeerInfo) -> LinkSeat:
        if self._others is None:
            self._others = OtherTables(self._link.identity.public, peer.key)
        is_link = OTHER_TABLE in peer.extensions
        return LinkSeat(self._link.shown, self._others, is_link=is_link)

    def _player_for(self, session: Session) -> _Watcher:
        self._session = session
        session.done.addCallback(self._over)
        return _Watcher(self)

    def there(self, peer: PeerInfo) -> None:
        """The friend's program has proven its key."""
        if not self.met:
            friend = self._link.known.met.get(peer.key)
            name = "" if friend is None else friend.called
            self._link.tell(friend_is_there(name, peer.fingerprint))
        self.met = True

    def news(self) -> None:
        """Of the friend's table."""
        self._link.news()

    def _over(self, closed: Closed) -> None:
        refused = self._others is not None and self._others.refused is not None
        tell, ended = self._link.tell, self._link.ended
        if self._link.stopped:
            if not self._link.connected:
                ended(0)
        elif closed.code in _WAITED_OUT:
            tell(LINK_IS_LOST)
            self.again()
        elif not (self._joins or refused):  # our door stands open, for the same friend
            tell(LINK_LEFT if closed.code == "peer-left" else told(closed), WAITING)
        elif closed.code == "peer-left":
            tell(LINK_LEFT)
            ended(0)
        else:
            tell(told(closed))
            ended(1)


_LONGEST = 4_000  # characters; a guest that reaches no address is told of each


def why(code: str, sentence: str) -> str:
    """Why a connection ended, or there was none; it may quote a goodbye."""
    return f"{isolated(safe(sentence, limit=_LONGEST))} ({code})"


def told(closed: Closed) -> str:
    """Why a connection ended."""
    return why(closed.code, closed.sentence)


class _Watcher:
    """Stands where a player stands at a table, and only looks."""

    def __init__(self, end: End) -> None:
        self._end = end

    def connected(self, peer: PeerInfo) -> None:
        if OTHER_TABLE in peer.extensions:
            self._end.there(peer)

    def show(self, event: OtherTables) -> None:
        self._end.news()

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
