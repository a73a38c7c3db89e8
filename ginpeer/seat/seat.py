"""Our side of a match: it turns received entries and chosen moves into effects.

The seat yields effects one at a time, and its caller performs each before requesting the next. A
Persist is complete only when the bytes are durable. If it fails, the seat is ahead of the store and
does nothing more. To continue, restore a new seat from the store.

House rules

1. The seat judges nothing. Every entry, including its own, goes through Referee.admit first. An
   entry that the referee refuses is never sent.
2. Everything is stored before it is sent: PersistSeed comes before anything made from a seed,
   Persist before Send. Sending again means sending the stored bytes, never a second signature for
   the same place in the log.
3. The seat gives a share only for the card for which the referee says it owes one. There is no way
   to request any other share.
4. Everything private can be recomputed from the identity key, the stored seeds and the log.
   Nothing else is kept, so `restore` can return a seat to any earlier state.
5. All secrets of a match come from one random value, the match seed, which is stored before our
   first entry. Our half of the cut and our hand seeds derive from it and from the hash of the
   history before them; proofs derive from the hand seeds without any randomness. So a seat that
   continues from an older copy of its store and signs a position again signs the same bytes,
   unless the player chooses differently: then the two entries convict the player. Only the
   acceptance differs each time, because a guest who is offered one match twice must not play two
   matches with the same secrets. Two acceptances convict nobody (PROTOCOL 7.1).
6. The other side may send us our own entries only while the two logs are compared. At any other
   time, if we owe the next entry, such an entry is refused: it is old, perhaps a declined offer,
   and could begin a match without our player's consent.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Literal

from ginpeer.referee.referee import Admitted, Referee
from ginpeer.referee.table import HOST, Awaiting, Table, message_for_move, required
from ginpeer.referee.transitions import PROTOCOL_VERSION, MalformedEntry, Violation, final_score
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, Card, Illegal, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match, View
from ginpeer.rules.ruleset import STANDARD, RuleSet
from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import require_constant_time
from protocol.crypto.hashing import SEED_BYTES, RandomSource, derive_seed
from protocol.crypto.identity import IdentityKey
from protocol.deck import prover
from protocol.deck.secrets import HandSecrets, cut_commitment, read_card, seed_commitment
from protocol.deck.state import Deck, ProofContext, take_open_cards
from protocol.entry import (
    CAPACITY,
    Capacity,
    LogSize,
    NotAnEntry,
    RawEntry,
    entry_hash,
    sign_entry,
)
from protocol.frames import Position

FailureClass = Literal["A", "B", "C"]
"""A: malformed, blame nobody. B: signed but illegal. C: a fault of our own machine."""


@dataclass(frozen=True, slots=True)
class PersistSeed:
    """Store a hand's seed before anything made from it is shown to anyone."""

    table: bytes
    hand: int
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Persist:
    """Append an entry to the table's log."""

    table: bytes
    entry: bytes


@dataclass(frozen=True, slots=True)
class PersistEvidence:
    """Store entries beside the log, as evidence against the author of the last entry. ``table`` is
    empty if the offer itself is illegal, because there is no table yet."""

    table: bytes
    entries: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Send an entry that is already stored, byte for byte."""

    entry: bytes


@dataclass(frozen=True, slots=True)
class Show:
    """Show our own player what happened."""

    event: object


@dataclass(frozen=True, slots=True)
class Close:
    """End the session. ``failure`` is None if nothing went wrong.

    By default, a fault of our own machine ends the session silently, because we can't know what
    still works. If ``notified``, the other side is told of it, after everything already sent.
    """

    code: str
    sentence: str
    failure: FailureClass | None
    notified: bool = False


Effect = PersistSeed | Persist | PersistEvidence | Send | Show | Close


# --- comparing two logs of one match (WIRE 9.6) ---------------------------------------
#
# Each side says how many entries it has, and the hash of the last one. The side with more entries
# can tell whether the other side's log is the beginning of its own, because an entry's hash covers
# all entries before it. The side with fewer entries finds out from the entries that it receives.


class LogRelation(Enum):
    """How our log relates to the other side's."""

    EVEN = auto()  # the same entries
    AHEAD = auto()  # the other side's log is the beginning of ours
    BEHIND = auto()  # the other side says that it has more entries
    APART = auto()  # the two logs differ somewhere
    ELSEWHERE = auto()  # the other side's log belongs to a different table


def compare(entries: Sequence[bytes], table: bytes, theirs: Position | None) -> LogRelation:
    """Return how our log of this table relates to the other side's, which ends at *theirs* (None
    if it has no entries)."""
    if theirs is None:
        return LogRelation.AHEAD if entries else LogRelation.EVEN
    if not entries:
        return LogRelation.BEHIND
    if theirs.table != table:
        return LogRelation.ELSEWHERE
    if theirs.sequence >= len(entries):
        return LogRelation.BEHIND
    if entry_hash(entries[theirs.sequence]) != theirs.head:
        return LogRelation.APART
    return LogRelation.EVEN if theirs.sequence == len(entries) - 1 else LogRelation.AHEAD


def position_of(entries: Sequence[bytes], table: bytes) -> Position | None:
    """Return the position of our log for the other side; None before the first entry."""
    if not entries:
        return None
    return Position(table, len(entries) - 1, entry_hash(entries[-1]))


# --- the seat -------------------------------------------------------------------------

MATCH_SEED = 0
"""The match seed, which is never disclosed, is stored among the hand seeds under this number."""

_SEEDED = frozenset(
    {
        Awaiting.OFFER,
        Awaiting.ACCEPT,
        Awaiting.CUT_COMMIT,
        Awaiting.CUT_VALUE,
        Awaiting.DEAL_COMMIT,
        Awaiting.DEAL_KEY,
    }
)
"""The states in which we owe an entry that needs the match seed or something derived from it."""

_CHOICES = frozenset(
    {Awaiting.UPCARD, Awaiting.DRAW, Awaiting.DISCARD, Awaiting.LAST_CHANCE, Awaiting.SPREAD}
)
"""The states in which the player has to decide. The seat handles all other states by itself."""

_DEAL_MESSAGES: dict[Awaiting, Callable[[Deck, HandSecrets, ProofContext], m.Message]] = {
    Awaiting.DEAL_COMMIT: prover.deal_commit,
    Awaiting.DEAL_KEY: prover.deal_key,
    Awaiting.DEAL_DECK: prover.deal_deck,
    Awaiting.DEAL_SHUFFLE: prover.deal_shuffle,
    Awaiting.DEAL_SHARES: prover.deal_shares,
    Awaiting.SHARE: prover.share,
}


@dataclass(frozen=True, slots=True)
class Options:
    """The options that the host offers."""

    rules: RuleSet = STANDARD
    disclosure: m.Disclosure = m.Disclosure.AFTER_MATCH


class NotNow(Illegal):
    """The player asked for something that this seat can't do at this moment."""


class SeedLost(ValueError):
    """The match can't continue: a seed that this seat has used isn't stored."""

    code = "seed-lost"


class Seat:
    """One player's seat at one table. *now* returns seconds since 1970 for the offer."""

    def __init__(
        self,
        *,
        seat: int,
        identity: IdentityKey,
        name: str,
        rng: RandomSource,
        now: Callable[[], int],
        options: Options | None = None,
        peer_key: bytes | None = None,
        consents: bool = False,
        offers: bool = True,
        holds: Callable[[bytes], bool] = lambda table: False,
        capacity: Capacity = CAPACITY,
    ) -> None:
        """Take a seat before the first entry. Raises NoConstantTimeGroup if the group would leak
        secrets through its timing.

        *peer_key* is the key that the transport has authenticated; the log must name the same key.
        If *consents*, the guest accepts any offer without asking its player. If *offers*, the host
        offers its match at once, without waiting for ``offer``. *holds* returns whether a match
        with this table id is already stored, so that a new match isn't mistaken for an old one.
        *capacity* limits the length of the log.
        """
        require_constant_time()
        self.seat = seat
        self._identity = identity
        self._name = m.clean_name(name)
        self._rng = rng
        self._now = now
        self._options = options or Options()
        self._consents = consents
        self._offers = offers
        self._holds = holds
        self._capacity = capacity
        keys = (identity.public, peer_key) if seat == HOST else (peer_key, identity.public)
        self._referee = Referee(expected=keys)
        self._table_id = rng(32) if seat == HOST else b""
        self._seeds: dict[int, bytes] = {}
        self._read: dict[Ciphertext, int] = {}
        self._closed = False
        self._unstored = False
        self._comparing = False  # while the two logs are being compared, nothing is signed
        self._lacks_up_to: int | None = None  # while comparing: the other side's last entry
        self._repeated: int | None = None  # how many of our entries the other side has sent back
        self._may_lack = False  # the other side named no log when connecting, but may have entries
        self._convicted = False  # somebody signed something illegal: the match can't continue

    # --- the public interface ----------------------------------------------------------

    @property
    def table(self) -> Table:
        return self._referee.table

    @property
    def entries(self) -> Sequence[bytes]:
        return self._referee.entries

    def start(self) -> Iterator[Effect]:
        """Submit what we owe at the start of a match (the host's offer) or after a restore."""
        yield from self._submit_owed()

    @property
    def position(self) -> Position | None:
        """The position of our log, for the other side to compare; None before the first entry."""
        return position_of(self.entries, self.table.table_id)

    def meet(self, theirs: Position | None) -> Iterator[Effect]:
        """Synchronise our log with that of the other side, which has just connected. *theirs* is
        the position of its log (WIRE 9.6).

        Send the entries that it lacks, byte for byte as they are stored, and wait for those that we
        lack. Nothing is signed before both sides have the same entries. Malformed entries on an
        earlier connection no longer matter: they were never part of the match.
        """
        if self._unstored or self._convicted:
            return
        self._closed = False
        self._comparing, self._lacks_up_to, self._repeated = False, None, 0
        self._may_lack = bool(self.entries) and theirs is None
        match compare(self.entries, self.table.table_id, theirs):
            case LogRelation.EVEN:
                yield from self._submit_owed()
            case LogRelation.AHEAD:
                first = 0 if theirs is None else theirs.sequence + 1
                yield from map(Send, tuple(self.entries[first:]))
                yield from self._submit_owed()
            case LogRelation.BEHIND if theirs is not None:
                self._comparing, self._lacks_up_to = True, theirs.sequence
            case LogRelation.APART:
                # The other side can't know this yet. We send our whole log, and it answers with the
                # first entry that differs. Then both have the proof of who signed twice.
                self._comparing = True
                yield from map(Send, tuple(self.entries))
            case _:
                self._closed = True
                yield Close("other-match", "The other side is continuing a different match.", "A")

    def receive(self, raw: bytes) -> Iterator[Effect]:
        """Judge an entry from the other player. Then submit what we owe, up to our player's next
        choice."""
        if self._is_over() or self._passes_over(raw):
            return
        try:
            if self._owes() and not self._may_lack and self._has_signed(raw):
                raise MalformedEntry("duplicate", "The other side sent an old entry of yours.")
            admitted = self._referee.admit(raw)
        except Violation as error:
            self._closed = self._convicted = True
            # If the offer is illegal, there is no table yet. The offer isn't stored under the id
            # that it names, which could belong to another match.
            yield PersistEvidence(self.table.table_id, (*self._referee.entries, raw))
            if self._comparing and error.entry < len(self.entries):
                yield Send(self.entries[error.entry])  # the other side gets both entries, too
            yield self._close_for(error)
            return
        except MalformedEntry as error:
            self._closed = True
            yield Close(error.code, error.sentence, "A")
            return
        self._repeated = None
        if admitted.before.sequence == 0 and self._holds(self.table.table_id):
            # This offer is neither stored nor answered: two matches with the same id would need
            # two logs with the same name.
            self._unstored = True
            yield Close(
                "other-match",
                "The other side offered a new match with the number of a match already stored "
                "here. A new offer needs a new number.",
                "A",
            )
            return
        yield from self._recover_seed(admitted)
        self._forget_last_hand(admitted)
        if not (yield from self._persist(raw)):
            return
        yield Show(admitted)
        if self._comparing and self.table.sequence - 1 == self._lacks_up_to:
            self._comparing, self._lacks_up_to = False, None
            self._check_seeds()  # an older copy of our store may lack some seeds
        yield from self._submit_owed()

    def sync_pending(self) -> int | None:
        """Return the number of our entries while the logs are being compared and we are waiting for
        the other side's entries; None at other times."""
        return len(self.entries) if self._comparing and not self._is_over() else None

    def agreed(self) -> bool:
        """Return whether both players have agreed to this match by signing the offer and the
        acceptance."""
        return self.table.accept is not None

    def owes_next(self) -> bool | None:
        """Return True if we owe the next entry in our log, False if the other side does, and None
        if no entry is due or our log is empty. What the other side says about its own log doesn't
        matter."""
        owed_by = self.table.owed_by if self.entries else None
        return None if owed_by is None else owed_by == self.seat

    def owes_choice(self) -> bool:
        """Return whether the match is waiting for our player's decision."""
        return not self._is_over() and self._owes() and self.table.awaiting in _CHOICES

    def offer_to_consider(self) -> m.Offer | None:
        """Return the offer awaiting our player's consent, or None."""
        asks = self.table.awaiting is Awaiting.ACCEPT and self._owes() and not self._consents
        return self.table.offer if asks and not self._is_over() else None

    def can_continue(self) -> bool:
        """Return whether this match has been agreed to and can still continue."""
        return self.agreed() and not (self.table.finished or self._convicted or self.is_full())

    def is_full(self) -> bool:
        """Return whether the match has to stop because its log has no room for it to continue."""
        return self.table.is_full(LogSize.of(self.entries), self._capacity)

    def hands_left(self) -> int | None:
        """Return roughly how many more hands fit into the log; None until it is nearly full."""
        if self.table.match is None or self.table.match.finished:
            return None
        begun = self.table.awaiting is not Awaiting.DEAL_COMMIT
        hands = self.table.hand_number - (not begun)
        return self._capacity.hands_left(LogSize.of(self.entries), hands)

    def can_come_back(self) -> bool:
        """Return whether a disconnected player may return to this table."""
        return not self.table.finished and not self._convicted

    def offer(self) -> Iterator[Effect]:
        """Make the offer, if the seat was created without *offers*. Raises NotNow if it can't."""
        if self.seat != HOST or self._offers or self._is_over():
            raise NotNow("nothing-to-offer", "There is no match to offer.")
        self._offers = True
        return self._submit_owed()

    def set_options(self, options: Options) -> None:
        """Set the options to offer, unless the match has already been offered."""
        if not self.entries:
            self._options = options

    def accept(self) -> Iterator[Effect]:
        """Accept the offered match. Raises NotNow if there is none."""
        if self.offer_to_consider() is None:
            raise NotNow("nothing-offered", "No match has been offered to you.")
        self._consents = True
        return self._submit_owed()

    def view(self) -> View:
        """Return what our player sees. Raises NotNow until the cards of a hand are dealt."""
        return View(self.seat, *self._hand_and_match())

    def drawn(self) -> Card | None:
        """Return the card that our player has just drawn from the stock; None unless that draw was
        the last move."""
        table = self.table
        if table.awaiting is not Awaiting.DISCARD or table.owed_by != self.seat:
            return None
        last = RawEntry.split(self.entries[-1]).decode().message
        return CARDS[self._own_cards()[-1]] if isinstance(last, m.Share) else None

    def play(self, move: moves.Move) -> Iterator[Effect]:
        """Make our player's move. Raises Illegal, and changes nothing, if it isn't allowed.

        The move is judged at once; its effects happen one by one as the caller iterates.
        """
        if not self.owes_choice():
            raise NotNow("not-your-turn", "It isn't your turn.")
        self._hand_and_match()[0].apply(move)
        return self._submit_and_continue(self._message_of(move))

    def resign(self) -> Iterator[Effect]:
        """Resign the match. Only a player who has to choose a move can resign, but not instead of a
        spread (RULES 8.8). Raises NotNow ("not-your-turn", "hand-counts")."""
        if not self.owes_choice():
            raise NotNow("not-your-turn", "You can resign only when it's your turn.")
        if self.table.awaiting is Awaiting.SPREAD:
            raise NotNow("hand-counts", "This hand still counts: lay down your cards, then resign.")
        return self._submit_and_continue(m.Resign())

    def restore(
        self,
        entries: Sequence[bytes],
        seeds: Mapping[int, bytes],
        *,
        verified: int = 0,
        table: Table | None = None,
    ) -> Seat:
        """Bring this new seat to its state after these stored entries, and return it.

        The first *verified* entries needn't be verified. *table* is the table after these entries,
        as a referee in this process has computed it; if it is None, the entries are judged again.

        Raises MalformedEntry or Violation if the entries aren't valid, and SeedLost if the seeds
        aren't those that the entries commit to.
        """
        self._seeds = dict(seeds)
        if table is not None:
            self._referee = Referee.continue_at(table, entries)
        else:
            self._referee.admit_all(entries, self._forget_last_hand, verified=verified)
        if entries:
            self._table_id = self.table.table_id
        self._check_seeds()
        return self

    # --- receiving ---------------------------------------------------------------------

    def _passes_over(self, raw: bytes) -> bool:
        """Return whether to ignore this entry because the other side is repeating our own log: it
        believes that ours differs or doesn't exist. The repetition must start at the first entry,
        be in order and precede anything new, so it happens at most once per connection. Any other
        repeated entry is a duplicate."""
        repeated = self._repeated
        if repeated is None or repeated >= len(self.entries) or raw != self.entries[repeated]:
            return False
        self._repeated = repeated + 1
        return True

    def _has_signed(self, raw: bytes) -> bool:
        try:
            return RawEntry.split(raw).is_signed_by(self._identity.public)
        except NotAnEntry:
            return False

    def _close_for(self, error: Violation) -> Close:
        if error.seat != self.seat:
            return Close(error.code, error.sentence, "B")
        return Close(
            "signed-twice",
            f"Your own key has signed two different entries with the number {error.entry}. That "
            "happens when a match continues from an old copy of its files. The match can't "
            "continue, and your opponent has the proof.",
            None,
        )

    def _owes(self) -> bool:
        return self.table.owed_by == self.seat and not self._comparing

    def _is_over(self) -> bool:
        """Return whether the seat is closed, or ahead of the store after a failed Persist."""
        return self._closed or self._unstored

    def _persist(self, raw: bytes) -> Generator[Effect, None, bool]:
        """Store the entry just admitted, and return whether it was stored. When the caller requests
        the next effect, the entry is durable. Don't store it if the log would become too long to
        read, which happens only if the peer didn't stop in time."""
        self._unstored = True
        if not self._capacity.can_store(LogSize.of(self.entries)):
            yield self._log_full()
            return False
        yield Persist(self.table.table_id, raw)
        self._unstored = False
        return True

    def _log_full(self) -> Close:
        return Close(
            "log-full",
            "The log of this match is full, so the match stops here, unfinished. What you played "
            "is kept.",
            "C",
            notified=True,
        )

    def _forget_last_hand(self, admitted: Admitted) -> None:
        """Forget our cards of the last hand when a new hand begins."""
        if admitted.after.hand_number != admitted.before.hand_number:
            self._read = {}

    # --- sending -----------------------------------------------------------------------

    def _submit(self, message: m.Message) -> Iterator[Effect]:
        table = self.table
        table_id = table.table_id or self._table_id
        raw = sign_entry(self._identity, m.Body(table_id, table.sequence, table.head, message))
        admitted = self._referee.admit(raw)
        self._forget_last_hand(admitted)
        if (yield from self._persist(raw)):
            yield Send(raw)
            yield Show(admitted)

    def _submit_and_continue(self, message: m.Message) -> Iterator[Effect]:
        yield from self._submit(message)
        yield from self._submit_owed()

    def _submit_owed(self) -> Iterator[Effect]:
        """Submit all entries that we owe and that need no choice by our player."""
        while not self._is_over() and self._owes() and self.table.awaiting not in _CHOICES:
            if self.offer_to_consider() is not None:
                return
            if self.table.awaiting is Awaiting.OFFER and not self._offers:
                return
            if self.is_full():
                break
            if self.table.awaiting in _SEEDED:
                yield from self._prepare_seeds()
            yield from self._submit(self._owed_message())
        if self._is_over() or self._comparing:
            return
        if self.table.finished:
            self._closed = True
            yield Close("finished", "The match is finished, and both players have signed it.", None)
        elif self.is_full():
            self._closed = True
            yield self._log_full()

    def _prepare_seeds(self) -> Iterator[Effect]:
        """Make the missing seeds for the entry that we owe. They are durable before they are used.
        Raises SeedLost if we have signed something in this match and its match seed is missing."""
        if MATCH_SEED not in self._seeds:
            first = self.table.offer if self.seat == HOST else self.table.accept
            if first is not None:
                raise SeedLost("Your seed for this match isn't stored; the match can't continue.")
            yield from self._store_seed(MATCH_SEED, self._rng(SEED_BYTES))
        table = self.table
        if table.hand_number and table.hand_number not in self._seeds:
            seed = self._hand_seed(table.hand_number, table.head)
            yield from self._store_seed(table.hand_number, seed)

    def _store_seed(self, number: int, seed: bytes) -> Iterator[Effect]:
        yield PersistSeed(self.table.table_id or self._table_id, number, seed)
        self._seeds[number] = seed

    def _hand_seed(self, hand: int, head: bytes) -> bytes:
        """Return our seed for a hand in which our commitment follows the entry with this hash."""
        return derive_seed(self._seeds[MATCH_SEED], "hand", hand.to_bytes(8, "big") + head)

    def _recover_seed(self, admitted: Admitted) -> Iterator[Effect]:
        """Recompute a seed from the match seed if the other side sends us our own commitment to it,
        because an older copy of our store may lack the seed."""
        hand, message = admitted.before.hand_number, admitted.message
        if not isinstance(message, m.DealCommit | m.DealKey) or admitted.author != self.seat:
            return
        if hand not in self._seeds and MATCH_SEED in self._seeds:
            seed = self._hand_seed(hand, admitted.before.head)
            if self._commitment_to(hand, seed) == message.commitment:
                yield from self._store_seed(hand, seed)

    def _cut_half(self) -> bytes:
        """Return our half of the cut for deal, which is different after each history.

        The host's half depends on the acceptance, and the guest's on the host's commitment. If a
        guest goes back to an old copy of its files and the host makes it cut again, the host gets a
        half that it hasn't seen.
        """
        before = self.entries[1 if self.seat == HOST else 2]
        return derive_seed(self._seeds[MATCH_SEED], "cut", entry_hash(before))

    def _owed_message(self) -> m.Message:
        table = self.table
        match table.awaiting:
            case Awaiting.OFFER:
                return self._offer()
            case Awaiting.ACCEPT:
                rules = required(table.offer).rules
                return m.Accept(self._identity.public, self._name, rules, self._rng(32))
            case Awaiting.CUT_COMMIT:
                return m.CutCommit(cut_commitment(table.table_id, self._cut_half()))
            case Awaiting.CUT_VALUE:
                return m.CutValue(self._cut_half())
            case Awaiting.CUT_REVEAL:
                return m.CutReveal(self._cut_half())
            case Awaiting.SETTLE:
                return final_score(table)
            case Awaiting.DISCLOSE:
                return m.Disclose(tuple(self._seeds[n] for n in table.disclosed_next(self.seat)))
            case _:
                make = _DEAL_MESSAGES[table.awaiting]
                return make(self._deck(), self._hand_secrets(), self._context())

    def _offer(self) -> m.Offer:
        return m.Offer(
            PROTOCOL_VERSION,
            self._identity.public,
            self._name,
            str(self._options.rules),
            self._options.disclosure,
            self._rng(32),
            min(max(self._now(), 0), m.MAX_STARTED),  # only a claim: a wrong clock mustn't matter
        )

    # --- playing -----------------------------------------------------------------------

    def _message_of(self, move: moves.Move) -> m.Message:
        """Return the message for this move, with its proofs."""
        message = message_for_move(move)
        match message:
            case m.Discard():
                shown, (place,), _ = self._opened(self._deck(), (message.card,))
                return replace(message, position=place, **shown)
            case m.Knock():
                shown, _, cards = self._opened(self._deck(), message.cards)
                return replace(message, cards=cards, **shown)
            case m.Spread():
                cards, hand = self._own_cards(), self._deck().hands[self.seat]
                opening = self._opening(tuple(zip(hand, cards, strict=True)))
                return replace(message, cards=cards, opening=opening)
            case m.Lay():
                return self._with_proofs(message, self._deck())
            case m.TakeDiscards():
                taken = required(self.table.hand).pile[-message.count :]
                deck = take_open_cards(self._deck(), self.seat, taken)
                return replace(message, lay=self._with_proofs(message.lay, deck))
            case _:
                return message

    def _with_proofs(self, lay: m.Lay, deck: Deck) -> m.Lay:
        """Return the lay with its proofs, made from our hand in this deck."""
        shown, places, cards = self._opened(deck, lay.cards)
        return replace(lay, positions=places, cards=cards, **shown)

    def _opened(
        self, deck: Deck, wanted: Sequence[int]
    ) -> tuple[dict[str, Any], tuple[int, ...], tuple[int, ...]]:
        """Riffle our hand in this deck, and open the wanted cards. Return the message's fields for
        the riffle and the opening, these cards' places after the riffle, and the cards in that
        order."""
        secrets, before = self._hand_secrets(), self._read_cards(deck.hands[self.seat])
        riffle = prover.riffle(deck, self.seat, secrets, self._context())
        cards = [before[j] for j in riffle.permutation]
        places = tuple(at for at, card in enumerate(cards) if card in wanted)
        opening = self._opening([(riffle.cards[at], cards[at]) for at in places])
        shown = {"hand": riffle.hand, "argument": riffle.argument, "opening": opening}
        return shown, places, tuple(cards[at] for at in places)

    def _opening(self, cards: Sequence[tuple[Ciphertext, int]]) -> bytes:
        return prover.opening(cards, self._hand_secrets(), self._context())

    # --- secrets -----------------------------------------------------------------------

    def _deck(self) -> Deck:
        return required(self.table.deck)

    def _context(self) -> ProofContext:
        return self.table.context(self.seat)

    def _hand_secrets(self) -> HandSecrets:
        return HandSecrets(self._seeds[self.table.hand_number])

    def _commitment_to(self, number: int, seed: bytes) -> bytes:
        return seed_commitment(self.table.table_id, number, self.seat, seed)

    def _check_seeds(self) -> None:
        """Raise SeedLost unless every seed that we still need is stored and fits its commitment."""
        table = self.table
        if self.seat == HOST and table.awaiting in (Awaiting.CUT_VALUE, Awaiting.CUT_REVEAL):
            kept = MATCH_SEED in self._seeds
            mine = cut_commitment(table.table_id, self._cut_half()) if kept else None
            if mine != table.cut_commitment:
                raise SeedLost("Your seed for the cut isn't stored; the match can't continue.")
        if table.finished:
            return
        # Early versions of this program stored the half of the cut itself under this number. That
        # half is in the log, so any reader could compute every seed that we derive from it.
        if cut_commitment(table.table_id, self._seeds.get(MATCH_SEED, b"")) == table.cut_commitment:
            raise SeedLost(
                "This match was started by an older version of ginpeer, which made its secrets "
                "differently; it can't continue."
            )
        never = table.disclosure is m.Disclosure.NEVER
        needed = (table.hand_number,) if never else table.undisclosed(self.seat)
        for record in table.records:
            player, seed = record.players[self.seat], self._seeds.get(record.number, b"")
            if player is None or record.number not in needed:
                continue
            if self._commitment_to(record.number, seed) != player.commitment:
                raise SeedLost(
                    f"Your seed for hand {record.number} isn't stored; the match can't continue."
                )

    def _hand_and_match(self) -> tuple[Hand, Match]:
        """Return the hand with our own cards, and its match. Raises NotNow before the deal."""
        table = self.table
        if table.hand is None or table.match is None:
            raise NotNow("no-hand", "No cards have been dealt yet.")
        cards = mask_of(CARDS[card] for card in self._own_cards())
        return table.hand.knowing(self.seat, cards), table.match

    def _own_cards(self) -> tuple[int, ...]:
        return self._read_cards(self._deck().hands[self.seat])

    def _read_cards(self, hand: Sequence[Ciphertext]) -> tuple[int, ...]:
        """Return the card in each of our own ciphertexts. Each is unmasked only once."""
        for ciphertext in hand:
            if ciphertext not in self._read:
                self._read[ciphertext] = read_card(ciphertext, self._hand_secrets())
        return tuple(self._read[ciphertext] for ciphertext in hand)
