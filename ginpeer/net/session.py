"""A session: one match between our seat and a peer's, over any wire.

Rule 1: effects are performed in order, one at a time, as the seat yields them. If storing fails,
no later effect is performed and nothing more is sent.
Rule 2: any error in our own code (seat, journal, player) ends the session as a class C failure:
the wire is cut, the player gets one sentence, the log is kept. No exception escapes from a
session into the reactor.
Rule 3: the first reason to close is the final one. After it nothing is received, sent or shown
until the wire reports that it is gone. Then the player is notified once, and `done` fires.
Rule 4: the player may play from within choose() or at any later time. Calls don't nest: the next
choose() waits until this one returns. The same applies to consider(), which an offer triggers
before we sign anything.
Rule 5: a pause needs both players. The peer's pause messages are shown, but they end our program
only if our player has asked for a pause or agrees to one.
Rule 6: while two logs are compared, we sign nothing. So a peer that withholds entries that it
claims to have, but still answers pings, could stop the match forever. To prevent that, it has only
SYNC_TIMEOUT seconds for each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from twisted.internet.defer import Deferred

from ginpeer.names import in_quotes
from ginpeer.net.address import (
    Address,
    AddressError,
    BadEncoding,
    check_usable,
    decode_addresses,
    encode_addresses,
    is_onion,
)
from ginpeer.net.close_reasons import (
    SAID,
    code_of,
    fault_of,
    goodbye_for,
    is_out_of_memory,
    log_fault,
    said_by,
)
from ginpeer.net.handshake import ANOTHER_MATCH, SHARED_LOG
from ginpeer.net.interfaces import (
    Clock,
    CloseReason,
    JournalPort,
    KnownPeersPort,
    PeerInfo,
    PlayerPort,
    SeatPort,
    Timer,
    Wire,
    cancel,
)
from ginpeer.net.limits import Allowances, TokenBucket
from ginpeer.net.own_addresses import addresses_to_keep
from ginpeer.net.timing import TAKES_UP, TimeGrid
from ginpeer.seat.seat import (
    Close,
    Effect,
    FailureClass,
    Persist,
    PersistEvidence,
    PersistSeed,
    Send,
    Show,
)
from protocol.codes import CodedError
from protocol.crypto.identity import IdentityKey
from protocol.frames import (
    PAUSED,
    AddressUpdate,
    Chat,
    Consent,
    EntryFrame,
    Frame,
    Goodbye,
    Pause,
    Position,
    Proposal,
)

# How often our player may chat. A peer allows much more (connection.py): after the network has hung
# for a minute, a minute's lines arrive all at once.
CHAT_BURST = 5
CHAT_RATE = 1.0  # lines a second

# Repeated requests for a pause would be annoying. We ask at most once a minute. Requests that come
# within half of that time are declined without being shown: no network delay could explain them.
PAUSE_ASKED_EVERY = 60.0  # seconds
PAUSE_HEARD_EVERY = 30.0

TELL_EVERY = 60.0  # seconds between messages about our addresses, which may change often

SYNC_TIMEOUT = 120.0
"""How many seconds a peer that claims to have more of the log may take to send the next entry. The
longest frame, 128 KB, takes about that long at 1 KB a second."""


@dataclass(frozen=True)
class Side:
    """Our side of a session: our key, seat, player, journal and known peers. ``seat_for`` and
    ``player_for`` are called only once a peer has been admitted. ``position_for`` is given the
    peer's key and the position of its log, if it sent one. If there is a match to continue, it
    returns the position of our log of that match."""

    identity: IdentityKey
    software: str
    seat_for: Callable[[PeerInfo], SeatPort]
    player_for: Callable[[Session], PlayerPort]
    journal: JournalPort
    known: KnownPeersPort | None = None
    own_addresses: Callable[[], tuple[Address, ...]] = tuple
    """Returns the addresses at which the other side may reach us another time."""
    on_peer_addresses: Callable[[tuple[Address, ...]], None] = lambda addresses: None
    """Called with the addresses at which the other side says it can be reached."""
    position_for: Callable[[bytes, Position | None], Position | None] = lambda key, claimed: None
    missing_entries: Callable[[bytes, Position, bool], Sequence[bytes]] = (
        lambda key, claimed, refused: ()
    )
    """Returns the entries of a match that a guest lacks; none unless the match is over in our log.
    Arguments: the guest's key, the position it names, and whether it is refused."""
    joins: bool = False  # whether we are the guest
    extensions: Callable[[], tuple[int, ...]] = tuple
    """Returns the protocol extensions for the next connection, except those about bots."""
    bot: bool = False  # whether a bot plays for us; we tell the other side
    unfinished: Callable[[], bool] = lambda: True
    """Returns whether an unfinished match with this peer can continue here. A host may prefer that
    match to a new one."""
    debug: bool = False  # whether our own faults are logged with a traceback
    caught: Callable[[BaseException], None] = lambda error: None
    """Called with every fault of our own before it is handled, since memory may be short."""
    allowances: Allowances = field(default_factory=Allowances)
    """What a peer may still send, over this connection and later ones."""

    def log_fault(self, error: Exception) -> None:
        """Log a fault of our own that is being handled."""
        self.caught(error)
        log_fault(error, self.debug)


def position_to_continue(ours: Position | None, theirs: Position | None) -> Position | None:
    """Return a guest's position if it is in the match that we continue, otherwise None. A guest
    that has named a different match gets our whole log. If we have no position, a new match begins,
    whatever the guest has stored."""
    same_match = ours is not None and theirs is not None and theirs.table == ours.table
    return theirs if same_match else None


class SessionOver(Exception):
    """The session has ended; nothing can be played or sent in it any more."""

    code = "session-over"


class PauseRefused(CodedError, ValueError):
    """A pause can't be requested or declined now."""


class ConsentUnsupported(ValueError):
    """The other side's program doesn't support shared logs."""

    code = "no-shared-log"


class TooFast(ValueError):
    """Our player has sent chat, proposals or consent messages faster than a peer would accept."""

    code = "chat-too-fast"


class Session:
    """One match between our seat and a peer's, as our player uses it. ``done`` fires once, with a
    CloseReason, when the connection is really gone. ``ending`` is that reason as soon as it is
    decided. ``begun`` is the clock time at which the peer was admitted. ``was_useful`` says whether
    the peer sent an entry that we lacked in an agreed match (mere offers cost a peer nothing), our
    player was asked about an offer and declined it, or the host continues the stored match
    instead."""

    def __init__(
        self, side: Side, peer: PeerInfo, wire: Wire, clock: Clock, grid: TimeGrid
    ) -> None:
        """*grid*: when a bot's moves are sent."""
        self.peer = peer
        self.done: Deferred[CloseReason] = Deferred()
        self.ending: CloseReason | None = None
        self.begun = clock.seconds()
        self.was_useful = False
        self._side = side
        self._wire = wire
        self._clock = clock
        self._seat: SeatPort | None = None
        self._player: PlayerPort | None = None
        self._chat = TokenBucket(CHAT_BURST, CHAT_RATE, clock.seconds())
        self._proposals = side.allowances.bucket("proposing", 5, 0.1, clock.seconds())
        self._consents = side.allowances.bucket("consenting", 5, 0.1, clock.seconds())
        self._performing = False
        self._choosing = False
        self._pause_wanted = False  # by our player, and not answered yet
        self._pause_asks = TokenBucket(1, 1 / PAUSE_ASKED_EVERY, clock.seconds())
        self._pause_offered = False  # by the other player, and not answered yet
        self._pause_hears = TokenBucket(1, 1 / PAUSE_HEARD_EVERY, clock.seconds())
        self._played = False
        self._seat_acted = False  # whether the seat has acted on the last entry
        self._gone = False
        self._grid = grid
        self._move: Any = None  # waiting for its moment on the time grid
        self._held: int | None = None  # our entry count when we last began to wait for more
        self._lacking: Timer | None = None
        self._told_at: float | None = None  # when we last sent our addresses
        self._telling: Timer | None = None

    # --- for the player ----------------------------------------------------------------

    def offer(self) -> None:
        """Make the offer that the seat has held back. Raises the seat's error if there is none."""
        self._ask_seat(lambda seat: seat.offer())

    def resume_stored(self) -> None:
        """End the session, so that the stored match continues instead of a new one. The guest's
        program reconnects by itself."""
        self.end_saying("takes-up-stored", "Your unfinished match continues.")

    def leave_stored(self, sentence: str) -> None:
        """End the session without offering a new match or continuing the stored one. Both players
        are shown *sentence*."""
        self.end_saying("kept", sentence)

    def accept(self) -> None:
        """Accept the offered match. Raises the seat's error if there is none."""
        self._ask_seat(lambda seat: seat.accept())

    def decline(self, because: str = "", *, asked: bool = False) -> None:
        """Refuse the offered match, and close. Our player has signed nothing. The other player is
        shown *because*, a whole sentence. *asked*: our player was asked, and said no."""
        if self.ending is not None or self._seat is None or not self._seat.offer_to_consider():
            raise SessionOver("No match has been offered.")
        self.was_useful = self.was_useful or asked
        sentence = "You declined the match." if asked else f"The match was declined. {because}"
        self.end(CloseReason("declined", sentence), goodbye_for("declined", because))

    def play(self, move: Any) -> None:
        """Make a move. If the seat refuses it, raises the seat's error and changes nothing."""
        self._ask_seat(lambda seat: seat.play(move))

    def play_in_time(self, move: Any) -> None:
        """Make a move at the next moment of the time grid, however long choosing it took. If the
        seat refuses the move, that is a fault of our own."""
        waits = self._move is not None
        self._move = move
        if not waits:
            self._in_time(self._play_chosen)

    def resign(self) -> None:
        """Resign the match. Raises the seat's error if it refuses."""
        self._ask_seat(lambda seat: seat.resign())

    def say(self, text: str) -> None:
        """Send a line of chat. Raises TooFast, or MalformedFrame if the line can't be sent."""
        self._check_open()
        chat = Chat(text)
        self._check_rate(self._chat)
        self._wire.send(chat)

    @property
    def pause_offered(self) -> bool:
        """Whether the other player has asked for a pause and our player hasn't answered."""
        return self._pause_offered and self.ending is None

    @property
    def pause_wanted(self) -> bool:
        """Whether our player has asked for a pause and the other player hasn't answered."""
        return self._pause_wanted and self.ending is None

    def pause(self) -> None:
        """Ask the other player for a pause, or agree to one. Raises SessionOver or PauseRefused."""
        seat = self._open_seat()
        if self._pause_offered:
            self._end_paused()
            return
        if self._pause_wanted:
            raise PauseRefused(
                "pause-open",
                "You have already asked for a pause; your opponent hasn't answered yet.",
            )
        if not seat.can_continue():
            raise PauseRefused("no-match", "There is no match to pause.")
        if not self._pause_asks.take(self._clock.seconds()):
            raise PauseRefused(
                "pause-too-soon", "You asked a moment ago; you can ask again in a minute."
            )
        self._pause_wanted = True
        self._wire.send(Pause.ASK)

    def decline_pause(self) -> None:
        """Decline the other player's pause request, or withdraw our own. Raises PauseRefused."""
        if not (self.pause_offered or self.pause_wanted):
            raise PauseRefused("nothing-asked", "Nobody has asked for a pause.")
        self._wire.send(Pause.DECLINE if self._pause_offered else Pause.WITHDRAW)
        self._pause_offered = self._pause_wanted = False

    @property
    def may_propose(self) -> bool:
        """Whether our player, as a guest, may still propose rules. A hosting bot offers only the
        rules that it was started with."""
        seat = self._seat
        return (
            self.ending is None
            and self._side.joins
            and ANOTHER_MATCH in self.peer.extensions
            and not self.peer.bot
            and seat is not None
            and not seat.agreed()
        )

    def propose(self, rules: str) -> None:
        """As a guest, propose rules. This declines an open offer. Raises SessionOver or TooFast."""
        seat = self._open_seat()
        if not self.may_propose:
            raise SessionOver("The session is over.")
        self._check_rate(self._proposals)
        self._wire.send(Proposal(rules))
        if seat.offer_to_consider() is not None:
            self.decline(asked=True)

    def consent(self, word: Consent) -> None:
        """Say whether our player consents to showing the log to another table. Raises SessionOver,
        ConsentUnsupported or TooFast. Withdrawing consent is never too fast, since consent must
        have been given before."""
        self._check_open()
        if not self.accepts_consent:
            raise ConsentUnsupported(
                "Your opponent's program doesn't support sharing the score; both need ginpeer "
                "1.1 or later, and both players must be people."
            )
        if word is Consent.GIVE:
            self._check_rate(self._consents)
        self._wire.send(word)

    def send_addresses(self) -> None:
        """Tell the other side our addresses, at most once in TELL_EVERY seconds. A guest that came
        through Tor to an onion address sends none."""
        if self.ending is not None or is_onion(self.peer.address.rpartition(":")[0]):
            return
        now = self._clock.seconds()
        if self._told_at is not None and now - self._told_at < TELL_EVERY:
            if self._telling is None:
                wait = self._told_at + TELL_EVERY - now
                self._telling = self._clock.callLater(wait, self.guard, self._tell_again)
            return
        addresses = self._side.own_addresses()
        if addresses:
            self._told_at = now
            self._wire.send(AddressUpdate(encode_addresses(addresses)))

    def _tell_again(self) -> None:
        # Don't check the time again: rounding could leave a wait of 0 seconds, again and again.
        self._telling = self._told_at = None
        self.send_addresses()

    def leave(self) -> None:
        """Leave the table. The log is kept, and the match can continue later."""
        self.end(
            CloseReason("left", "You left the table; the log is kept."),
            Goodbye("left", "Your opponent left the table."),
        )

    # --- for the wire ------------------------------------------------------------------

    def begin(self) -> None:
        if self.ending is None:
            self.guard(self._set_up)
            self._let_choose()
            self.guard(self._await_log)

    def receive(self, frame: Frame) -> None:
        """Handle a frame from the peer that the connection doesn't handle itself."""
        match frame:
            case EntryFrame(entry):
                self.receive_entry(entry)
            case Chat(text):
                self._tell_player(lambda player: player.chat(text))
            case Pause():
                self._tell_player(lambda player: self._receive_pause(frame, player))
            case AddressUpdate(encoded):
                self.receive_addresses(encoded)
            case Proposal(rules):
                if self._seat is not None and not self._seat.agreed():  # otherwise it's too late
                    self._tell_player(lambda player: player.proposed(rules))
            case Consent():
                self._tell_player(lambda player: player.consent(frame))
            case Goodbye():
                self.receive_goodbye(frame)

    def receive_entry(self, raw: bytes) -> None:
        seat = self._seat
        if self.ending is None and seat is not None:
            self._grid.begin()
            self._seat_acted = False
            self.guard(lambda: self._perform(seat.receive(raw)))
            if self._seat_acted:  # otherwise it was ignored, and our player has been asked already
                self.was_useful = self.was_useful or (self.ending is None and seat.agreed())
                self._let_choose()
            self.guard(self._await_log)

    @property
    def accepts_proposals(self) -> bool:
        """Whether the peer may propose rules. A guest may if both sides can stay for another
        match."""
        return not self._side.joins and ANOTHER_MATCH in self.peer.extensions

    @property
    def accepts_consent(self) -> bool:
        return SHARED_LOG in self.peer.extensions

    def receive_addresses(self, packed: bytes) -> None:
        """Store the addresses at which the peer claims to be reachable, for our own use only."""
        try:
            addresses = decode_addresses(packed)
            for address in addresses:
                check_usable(address)
            if encode_addresses(addresses) != packed:
                raise BadEncoding("an address isn't in the form that invites use")
        except (BadEncoding, AddressError) as error:
            sentence = f"The other side sent invalid addresses: {str(error).rstrip('.')}."
            self.end_saying("whereabouts-malformed", sentence, "A", more=" The log is kept.")
            return
        if self.ending is None:
            self.guard(lambda: self._keep_addresses(addresses))

    def receive_goodbye(self, goodbye: Goodbye) -> None:
        """End, because the peer is closing. Its sentence is quoted as the peer's, never as ours."""
        if goodbye.code == PAUSED and self._pause_wanted:
            closed = _PAUSED
        elif goodbye.code in ("left", PAUSED):
            closed = CloseReason("peer-left", "Your opponent left the table; the log is kept.")
        elif goodbye.code == "log-withheld":
            # Don't show its words: it may reconnect again and again, and a muted player must stay
            # muted.
            closed = CloseReason(
                "log-withheld", "The other side gave up waiting for part of your log.", "A"
            )
        elif goodbye.code in _NO_NEW_MATCH and self._side.joins and self._has_no_match():
            sentences = _NO_NEW_MATCH if self._side.unfinished() else _THE_HOST_SAYS
            closed = CloseReason(goodbye.code, sentences[goodbye.code])
            # Believe this promise three times, then once in ten minutes. Otherwise a host could
            # make us return every second, for ever.
            now = self._clock.seconds()
            promises = self._side.allowances.bucket("returning", 3, 1 / 600, now)
            awaited = goodbye.code == TAKES_UP and self._side.unfinished()
            self.was_useful = self.was_useful or (awaited and promises.take(now))
        elif goodbye.code == "declined" and self._can_be_declined():
            said = f"{SAID}{in_quotes(goodbye.sentence)}" if goodbye.sentence else ""
            closed = CloseReason("declined", f"Your opponent declined the match.{said}")
        else:
            closed = CloseReason(
                "peer-closed",
                f"The other side ended the match; the log is kept. It said: {said_by(goodbye)}",
            )
        self.end(closed, None)

    def end(self, closed: CloseReason, goodbye: Goodbye | None) -> None:
        if self.ending is None:
            self.ending = closed
            self._wire.part(goodbye)

    def end_saying(
        self, code: str, sentence: str, failure: FailureClass | None = None, *, more: str = ""
    ) -> None:
        """End, and tell the other side this sentence. Our player is also shown *more*."""
        self.end(CloseReason(code, sentence + more, failure), goodbye_for(code, sentence))

    def cut(self, closed: CloseReason) -> None:
        """Close immediately, for this reason, without sending anything more."""
        if self.ending is None:
            self.ending = closed
            self._wire.abort()

    def fault(self, error: Exception) -> None:
        """Close, because our own program has failed (class C)."""
        self._side.log_fault(error)
        self.cut(fault_of(error))

    def on_wire_lost(self) -> None:
        """Handle the loss of the wire: notify the player, and fire ``done``."""
        if self._gone:
            return
        self._gone = True
        self._grid.close()
        cancel(self._lacking, self._telling)
        if self.ending is None:
            self.ending = self._lost()
        ending, player = self.ending, self._player
        if player is not None:
            try:
                player.closed(ending)
            except Exception as error:  # a player's own fault must not keep `done` from firing
                self._side.log_fault(error)
        self.done.callback(ending)

    def _set_up(self) -> None:
        """Create the player and the seat, and start the seats' exchange."""
        self._player = self._side.player_for(self)
        if self._side.known is not None:
            self._side.known.remember(self.peer.key, self.peer.address)
        self._player.connected(self.peer)
        self._seat = self._side.seat_for(self.peer)
        self.send_addresses()
        self._grid.begin()
        if self.ending is None:
            self._perform(self._seat.meet(self.peer.position))

    def _tell_player(self, tell: Callable[[PlayerPort], None]) -> None:
        player = self._player
        if self.ending is None and player is not None:
            self.guard(lambda: tell(player))

    def _keep_addresses(self, claimed: tuple[Address, ...]) -> None:
        addresses = addresses_to_keep(claimed, self.peer.address)
        if self._side.known is not None:
            self._side.known.note_addresses(self.peer.key, tuple(map(str, addresses)))
        self._side.on_peer_addresses(addresses)

    def _in_time(self, call: Callable[[], None]) -> None:
        """Make this call at the next moment of the time grid, if the session is still open then."""
        self._grid.call(lambda: self.guard(call) if self.ending is None else None)

    def _play_chosen(self) -> None:
        move, self._move = self._move, None
        self.play(move)

    def _can_be_declined(self) -> bool:
        """Return whether the peer may decline: only as a guest, and only an open offer."""
        seat = self._seat
        if self._side.joins or (seat is not None and seat.owes_next() is None):
            return False  # otherwise one side could make the other start over again and again
        return seat is None or not seat.agreed()

    def _has_no_match(self) -> bool:
        """Return whether nobody has signed anything for this match."""
        seat = self._seat
        return seat is not None and not seat.agreed() and seat.owes_next() is None

    def _receive_pause(self, word: Pause, player: PlayerPort) -> None:
        match word:
            case Pause.ASK if self._pause_wanted:  # both ask, so both agree
                self._end_paused()
            case Pause.ASK if not self._pause_offered:
                seat, now = self._seat, self._clock.seconds()
                if seat is not None and seat.can_continue() and self._pause_hears.take(now):
                    self._pause_offered = True
                    player.pause(word)
                else:  # an immediate answer would reveal how long the last entry kept us busy
                    self._in_time(lambda: self._wire.send(Pause.DECLINE))
            case Pause.DECLINE if self._pause_wanted:
                self._pause_wanted = False
                player.pause(word)
            case Pause.WITHDRAW if self._pause_offered:
                self._pause_offered = False
                player.pause(word)

    def agree_to_pause_in_time(self) -> None:
        """Agree to a pause at the next moment of the time grid, unless the question has been
        withdrawn by then."""
        self._in_time(lambda: self._end_paused() if self._pause_offered else None)

    def _end_paused(self) -> None:
        self.end(_PAUSED, Goodbye(PAUSED, _PAUSED.sentence))

    def _check_open(self) -> None:
        if self.ending is not None:
            raise SessionOver("The session is over.")

    def _open_seat(self) -> SeatPort:
        if self.ending is not None or self._seat is None:
            raise SessionOver("The session is over.")
        return self._seat

    def _check_rate(self, bucket: TokenBucket) -> None:
        if not bucket.take(self._clock.seconds()):
            raise TooFast("You're sending faster than the other side can read; wait a moment.")

    def _ask_seat(self, ask: Callable[[SeatPort], Iterable[Effect]]) -> None:
        seat = self._open_seat()
        if self._performing:
            raise RuntimeError("a player may move in choose() or later, but not in show()")
        self._performing = True
        try:
            effects = iter(ask(seat))
            first = tuple(islice(effects, 1))
        except Exception as error:  # only a refusal has a code for the player
            if code_of(error) is not None:  # refused before anything happened
                raise
            self.fault(error)
            return
        finally:
            self._performing = False
        self._played = True
        self.guard(lambda: self._perform(chain(first, effects)))
        self._let_choose()

    def _perform(self, effects: Iterable[Effect]) -> None:
        self._performing = True
        try:
            for effect in effects:
                self._seat_acted = True
                self._perform_one(effect)
                if self.ending is not None:
                    return
        finally:
            self._performing = False

    def _perform_one(self, effect: Effect) -> None:
        journal = self._side.journal
        match effect:
            case PersistSeed(table, hand, seed):
                _stored(lambda: journal.persist_seed(table, hand, seed))
            case Persist(table, entry):
                _stored(lambda: journal.persist(table, entry))
            case PersistEvidence(table, entries):
                _stored(lambda: journal.persist_evidence(table, entries))
            case Send(entry):
                self._wire.send(EntryFrame(entry))
            case Show(event):
                if self._player is not None:
                    self._player.show(event)
            case Close(code, sentence, "C", notified=False):
                self.cut(CloseReason(code, sentence, "C"))
            case Close(code, sentence, failure):
                self.end_saying(code, sentence, failure)

    def _let_choose(self) -> None:
        """Ask the player for a move if one is due, and again after each move made immediately."""
        if self._choosing:
            return
        self._choosing = True
        try:
            self.guard(self._choose)
        finally:
            self._choosing = False

    def _await_log(self) -> None:
        """Restart the time limit of rule 6 when a missing entry arrives, and at no other time."""
        held = None if self._seat is None or self.ending is not None else self._seat.sync_pending()
        if held == self._held:
            return
        cancel(self._lacking)
        self._held = held
        if held is not None:
            self._lacking = self._clock.callLater(SYNC_TIMEOUT, self._log_withheld)

    def _log_withheld(self) -> None:
        sentence = "The other side says its log differs from yours, but hasn't sent it."
        self.end_saying("log-withheld", sentence, "A", more=" Your log is kept.")

    def _choose(self) -> None:
        seat, player = self._seat, self._player
        if seat is None or player is None:
            return
        self._played = True
        while self._played and self.ending is None:
            self._played = False
            offer = seat.offer_to_consider()
            if offer is not None:
                player.consider(offer)
            elif seat.owes_choice():
                player.choose(seat.view())

    def guard(self, call: Callable[[], None]) -> None:
        """Make a call. If it fails, end the session with a fault of our own."""
        try:
            call()
        except Exception as error:  # rule 2: class C; it goes no further
            self.fault(error)

    def _lost(self) -> CloseReason:
        owes: bool | None = False
        if self._seat is not None:
            try:
                owes = self._seat.owes_next()
            except Exception as error:  # the player still needs the closing sentence
                self._side.log_fault(error)
        whose = "your" if owes else "your opponent's"
        turn = "" if owes is None else f" It's {whose} turn."
        return CloseReason(
            "connection-lost", f"The connection was lost. The log is kept.{turn}", "A"
        )


_NO_NEW_MATCH = {
    "takes-up-stored": "No new match was started. Your unfinished match continues.",
    "kept": "No new match was started. Your unfinished match stays as it is.",
}
"""What a guest is shown when the host's player won't replace an unfinished match with a new one."""

_THE_HOST_SAYS = {
    "takes-up-stored": "The host didn't start a new match. It says your unfinished match "
    "continues, but this machine has no match with this host to continue.",
    "kept": "The host didn't start a new match. It says your unfinished match stays as it is, but "
    "this machine has no match with this host to continue.",
}
"""The same, but for a guest that doesn't have that match and has only the host's word for it."""

_PAUSED = CloseReason(PAUSED, "The match is paused; the log is kept.")


def _stored(store: Callable[[], None]) -> None:
    """Make this call to the journal. Turn an error without a code into a CodedError."""
    try:
        store()
    except Exception as error:
        if code_of(error) is not None or is_out_of_memory(error):
            raise
        raise CodedError(
            "store-failed",
            "The log couldn't be written, so nothing more was sent. What was stored is kept.",
        ) from error
