"""The host's side of one connection: hear a hello, and let its guest in or send it away."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from twisted.logger import Logger

from ginpeer.net.connection import PeerConnection
from ginpeer.net.goodbyes import goodbye_for
from ginpeer.net.handshake import (
    ChannelBinding,
    GreetingRefused,
    choose_version,
    common_extensions,
    welcome_statement,
    with_bots,
)
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import Session
from ginpeer.net.tls import Secured
from protocol.entry import entry_hash
from protocol.frames import SIGNATURE_BYTES, EntryFrame, Hello, Position, Welcome

if TYPE_CHECKING:
    from ginpeer.net.hall import Acceptor

_log = Logger()

END_GIVEN = "end-given"
"""The code for a guest that wasn't let in but was sent the end of a match that is over here."""

_ENDS, _END_AGAIN = 10.0, 1 / 30
"""How often a guest whom we have met may ask for the end of a match: how many times at once, and
how many a second after that. All other guests share one such allowance."""


class HostConnection(PeerConnection):
    """A connection that somebody made to us."""

    def __init__(self, hall: Acceptor, origin: str, address: Any) -> None:
        """*origin*: see entrance.py. *address*: as Twisted knows it."""
        super().__init__(hall.side, hall.clock, hall.timing)
        self.origin = origin
        self.address = address
        self.has_invite = False  # but isn't let in
        self._hall = hall
        self._link: ChannelBinding | None = None
        self._took_table = False
        self._session_here: Session | None = None

    def greet(self, link: Secured) -> None:
        """The guest speaks first."""
        self._hall.secured(self)
        self._link = ChannelBinding(link.exporter, self._side.identity.public, link.peer_key)

    def greeted(self, frame: Hello | Welcome) -> None:
        """The guest has spoken: let it in or send it away."""
        link = self._link
        if link is None or not isinstance(frame, Hello):
            self.refuse_malformed("frame-unexpected", "The other side took itself for the host.")
            return
        if self._gives_end(frame, refused=False):
            return
        earlier = self._hall.seated(link.guest_key)
        if earlier is not None and self._clock.seconds() - earlier.begun >= self._timing.greeting:
            # The same guest comes back before we have noticed that it was gone. Not so soon after
            # it sat down: then it may be the slower of its attempts at our addresses (join.py),
            # which would take the table from the faster; it is told to try again.

            def free(closed: CloseReason) -> CloseReason:
                self._clock.callLater(0, self._guarded, self._let_in, frame)
                return closed

            earlier.done.addCallback(free)
            earlier.cut(
                CloseReason(
                    "peer-came-back", "The other player has come back by another connection.", "A"
                )
            )
            return
        self._let_in(frame)

    def _let_in(self, frame: Hello) -> None:
        link = self._link
        if link is None or not self.is_greeting:  # it has gone meanwhile
            return
        try:
            version = self._hall.door.let_in(frame, link)
        except GreetingRefused as refused:
            if self._gives_end(frame, refused=True):
                return
            self.has_invite = refused.has_invite
            _log.info("refused {address}: {code}", address=self.peer_address(), code=refused.code)
            closed = CloseReason(refused.code, refused.sentence, "A")
            self.refuse(closed, goodbye_for(refused.code, refused.sentence))
            return
        self._took_table = True
        side = self._hall.side_of(link.guest_key)
        self.sit_down(side)
        position = side.position_for(link.guest_key, frame.position)
        spoken = with_bots(side.extensions(), hosts=True, bot=side.bot)
        extensions = common_extensions(frame, spoken)
        self._welcome(frame, link, version, position, extensions)
        # Without a position of ours a new match begins, whatever the guest has stored. A guest that
        # has named another match than ours is sent all of ours.
        theirs = frame.position
        if position is None or (theirs is not None and theirs.table != position.table):
            theirs = None
        self._session_here = self.open(link.guest_key, frame.software, theirs, extensions)
        self._hall.seat(self, self._session_here)

    def _welcome(
        self,
        hello: Hello,
        link: ChannelBinding,
        version: int,
        position: Position | None,
        extensions: tuple[int, ...] = (),
    ) -> None:
        side, blank = self._side, bytes(SIGNATURE_BYTES)
        unsigned = Welcome(version, position, side.software, blank, extensions)
        signature = side.identity.sign(welcome_statement(link, hello, unsigned))
        self.send(replace(unsigned, signature=signature))

    def _gives_end(self, hello: Hello, *, refused: bool) -> bool:
        """Send a guest the end of the match that it names, if that match is over here. The guest
        doesn't sit down for that. Return whether it was sent. *refused*: the guest isn't let in."""
        link, side, theirs = self._link, self._hall.side, hello.position
        if link is None or theirs is None:
            return False
        now = self._clock.seconds()
        has_met = side.known is not None and side.known.name_of(link.guest_key) is not None
        whose = link.guest_key.hex() if has_met else "strangers"
        if not side.allowances.bucket(f"ends/{whose}", _ENDS, _END_AGAIN, now).take(now):
            return False  # before the log is read and judged, which takes time
        missing = side.end_for(link.guest_key, theirs, refused)
        if not missing:
            return False
        try:
            version = choose_version(hello, link)
        except GreetingRefused:
            return False  # the door tells the guest
        last = Position(theirs.table, theirs.sequence + len(missing), entry_hash(missing[-1]))
        self._log_bytes = inf
        self._welcome(hello, link, version, last)
        for entry in missing:
            self.send(EntryFrame(entry))
        sentence = "You have the end of the match now."
        self.refuse(CloseReason(END_GIVEN, sentence), goodbye_for("finished", sentence))
        return True

    @property
    def key(self) -> bytes | None:
        """Whose it is, once TLS has proven it."""
        return None if self._link is None else self._link.guest_key

    @property
    def session_here(self) -> Session | None:
        """What this connection carries, once its guest was let in."""
        return self._session_here

    def make_room(self) -> None:
        """Others have come, and there is room for so many only."""
        self.cut(
            CloseReason("crowded-out", "Too many others came before the greeting was over.", "A")
        )
        self.abort()  # whatever else it may have been closing for

    def ended(self) -> None:
        """The table is free again."""
        if self._took_table and self._link is not None:
            self._hall.free(self._link.guest_key)
        self._hall.leave(self)
