"""A player with a modified client, and recorded matches to cheat in.

The cheat owns only its own keys and seeds. It signs whatever it wants, wherever it wants, and
proves anything it likes with the prover that honest seats use. Both ends are real. A recorded match
is one that two honest seats played; `referee_at` and `seat_at` return a real referee or seat just
before entry k, without playing the match again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from ginpeer.referee.referee import Admitted, Referee
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.transitions import MalformedEntry, RefusedEntry, Violation
from ginpeer.rules import moves
from ginpeer.rules.cards import Card, cards_of, parse_card, parse_set
from ginpeer.rules.match import View
from ginpeer.rules.melds import ORDINARY
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.score import Outcome
from ginpeer.seat.seat import MATCH_SEED, Close, PersistEvidence, Seat, Send
from protocol import messages as m
from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.group import Element
from protocol.crypto.identity import IdentityKey
from protocol.deck import prover
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import Deck, ProofContext
from protocol.entry import RawEntry, sign_entry
from tests.matches.table_pair import Performer, TablePair, seeded_rng
from tests.protocol.deck_pair import read_hand
from tests.toy_group import cached_by_group, is_toy

SHORT = parse_ruleset("standard target=10")
ONE_HAND = parse_ruleset("standard target=1")
"""A match that one hand decides, unless that hand is void."""


def steady(view: View) -> moves.Move:
    """Play simply and reproducibly: discard the costliest card, and knock as soon as possible."""
    legal = view.sensible_moves()
    knocks = [move for move in legal if isinstance(move, moves.Knock)]
    if knocks:
        return min(knocks, key=lambda knock: ORDINARY.deadwood(knock.deadwood))
    discards = [move for move in legal if isinstance(move, moves.Discard)]
    if discards:
        cards = view.cards
        return min(
            discards,
            key=lambda d: (ORDINARY.deadwood(cards ^ d.card.bit), -d.card.pips, int(d.card)),
        )
    if moves.TakeUpcard() in legal and view.hand.upcard is not None:
        with_upcard = view.cards | view.hand.upcard.bit
        best = min(ORDINARY.deadwood(with_upcard ^ card.bit) for card in cards_of(view.cards))
        if best <= ORDINARY.deadwood(view.cards) - 4:
            return moves.TakeUpcard()
    return next(move for move in legal if move != moves.TakeUpcard())


@dataclass(frozen=True)
class RecordedMatch:
    """A match between two honest seats: everything that they signed, and all their secrets."""

    identities: tuple[IdentityKey, IdentityKey]
    seeds: tuple[Mapping[int, bytes], Mapping[int, bytes]]
    entries: tuple[bytes, ...]
    steps: tuple[Admitted, ...]

    @classmethod
    def of(cls, pair: TablePair) -> RecordedMatch:
        events = [event for event in pair.host.shown if isinstance(event, Admitted)]
        match = cls(
            pair.identities,
            (dict(pair.host.seeds), dict(pair.guest.seeds)),
            tuple(pair.host.seat.entries),
            tuple(events),
        )
        # It's kept for the whole session, so no garbage collection needs to examine it again.
        gc.collect()
        gc.freeze()
        return match

    def __len__(self) -> int:
        return len(self.entries)

    def table_at(self, k: int) -> Table:
        """Return the table that receives entry k."""
        return self.steps[k].before if k < len(self.steps) else self.steps[-1].after

    def referee_at(self, k: int) -> Referee:
        """Return a referee that has admitted the entries before k.

        States are immutable, so reusing the recorded one is the same as admitting them all again,
        and a hundred times faster.
        """
        referee = Referee()
        referee.table = self.table_at(k)
        referee.entries = list(self.entries[:k])
        return referee

    def seat_at(self, seat: int, k: int, rng: Callable[[int], bytes] | None = None) -> Seat:
        """Return the seat as it was before entry k, like `Seat.restore` but faster."""
        restored = Seat(
            seat=seat,
            identity=self.identities[seat],
            name=("Ada", "Ben")[seat],
            rng=rng or seeded_rng(f"restored {seat} {k}"),
            now=lambda: 1_700_000_001,
            peer_key=self.identities[1 - seat].public,
            consents=True,
        )
        restored._seeds = self.seeds_at(seat, k)
        restored._referee = self.referee_at(k)
        restored._table_id = self.table_at(k).table_id or restored._table_id
        return restored

    def seeds_at(self, seat: int, k: int) -> dict[int, bytes]:
        """Return the seeds that a seat had stored before entry k: the match seed from its first
        entry on, and those that entries commit to."""
        made = {MATCH_SEED} if k > seat else set()
        made |= {r.number for r in self.table_at(k).records if r.players[seat] is not None}
        return {number: self.seeds[seat][number] for number in made}

    def find(
        self, kind: type[m.Message], where: Callable[[Admitted], bool] = lambda _: True
    ) -> int:
        """Return the number of the first entry of this kind that satisfies *where*."""
        return next(
            step.sequence for step in self.steps if type(step.message) is kind and where(step)
        )

    def has(
        self, kind: type[m.Message], where: Callable[[Admitted], bool] = lambda _: True
    ) -> bool:
        return any(type(step.message) is kind and where(step) for step in self.steps)

    def cheat(self, seat: int) -> Cheat:
        return Cheat(seat, self.identities[seat], self.seeds[seat])

    def author(self, k: int) -> Cheat:
        """Return the player who owes entry k, as a cheat."""
        return self.cheat(self.steps[k].author)


def record(
    seed: str, rules: RuleSet = SHORT, disclosure: m.Disclosure = m.Disclosure.AFTER_MATCH
) -> RecordedMatch:
    """Return a match of two steady players."""
    return RecordedMatch.of(TablePair(seed, rules, disclosure).play(steady))


def _known(
    numbers: tuple[int, int], fits: Callable[[RecordedMatch], bool], rules: RuleSet = SHORT
) -> RecordedMatch:
    """Return a match that *fits*. *numbers*: the numbers of such matches in the real group and in
    the toy group. Every process plays the matches it needs, so this searches for another number
    only if that match no longer fits."""
    number = numbers[is_toy()]
    match = record(f"m{number}", rules)
    if fits(match):
        return match
    other = next(n for n in range(1000) if fits(record(f"m{n}", rules)))
    raise AssertionError(f"match m{number} fits no more; m{other} does")


@cached_by_group
def one_hand() -> RecordedMatch:
    """Return a match of one hand with everything in it: both players pass, stock and upcard are
    drawn, somebody knocks."""

    def fits(match: RecordedMatch) -> bool:
        passes = sum(type(step.message) is m.Pass for step in match.steps)
        last = match.table_at(len(match))
        return last.hand_number == 1 and passes == 2 and match.has(m.TakeUpcard)

    return _known((4, 9), fits)


TINY = 21
"""The number of entries of `tiny`, for tests that need it before the match is played."""


@cached_by_group
def tiny() -> RecordedMatch:
    """Return a hand that ends after a turn or two."""
    return _known((35, 110), lambda match: len(match) == TINY, ONE_HAND)


@cached_by_group
def two_hands() -> RecordedMatch:
    """Return a match in which each player won a hand."""

    def fits(match: RecordedMatch) -> bool:
        last = match.table_at(len(match))
        return last.hand_number == 2 and all(last.match.scores)

    return _known((15, 3), fits)


@cached_by_group
def gin() -> RecordedMatch:
    """Return a match whose last hand ended with gin."""
    return _known((32, 31), lambda match: _last_result(match) is Outcome.GIN)


@cached_by_group
def laid_off() -> RecordedMatch:
    """Return a match in which the defender laid off a card."""
    return _known((0, 0), lambda match: match.has(m.Spread, lambda s: bool(s.message.layoffs)))


def _last_result(match: RecordedMatch) -> Outcome:
    final = match.table_at(len(match)).match
    assert final is not None
    return final.results[-1].kind


@dataclass(frozen=True)
class Cheat:
    """A modified client. A real opponent can do everything that this class can."""

    seat: int
    identity: IdentityKey
    seeds: Mapping[int, bytes]

    def sign(self, at: Table, message: m.Message, /, **lies: object) -> bytes:
        """Return an entry for the next place at this table; *lies* replace fields of the body."""
        body = m.Body(at.table_id or bytes(32), at.sequence, at.head, message)
        return sign_entry(self.identity, replace(body, **lies))  # type: ignore[arg-type]

    def sign_bytes(self, body: bytes) -> bytes:
        """Return an entry with arbitrary bytes as its body."""
        entry = RawEntry(body, b"")
        return body + self.identity.sign(entry.signed_message)

    def secrets(self, table: Table) -> HandSecrets:
        return HandSecrets(self.seeds[table.hand_number])

    def context(self, table: Table) -> ProofContext:
        return table.context(self.seat)

    def prove_deck(
        self,
        table: Table,
        after: tuple[Ciphertext, ...],
        secrets: HandSecrets | None = None,
        deck: Deck | None = None,
        context: ProofContext | None = None,
    ) -> tuple[bytes, bytes]:
        """Present *after*, any 52 cards, as the result of the cheat's own shuffle. Return the cards
        and the best argument for them."""
        deck = deck or table.deck
        assert deck is not None
        secrets = secrets or self.secrets(table)
        if self.seat == deck.dealer:
            key, before = deck.key(deck.nondealer) + secrets.public_key, prover.open_deck()
        else:
            key, before = deck.joint_key, deck.cards
        argument = shuffle.prove(
            (context or self.context(table)).transcript("shuffle"),
            key,
            before,
            after,
            secrets.deal_shuffle(key, before),
        )
        return encode_ciphertexts(after), argument.encoded

    def prove_hand(
        self, table: Table, after: tuple[Ciphertext, ...], context: ProofContext | None = None
    ) -> tuple[bytes, bytes]:
        """Present *after*, any cards, as the result of the cheat's own riffle. Return the cards and
        the best argument for them."""
        deck, secrets = table.deck, self.secrets(table)
        assert deck is not None
        before = deck.hands[self.seat]
        argument = shuffle.prove(
            (context or self.context(table)).transcript("shuffle"),
            secrets.public_key,
            before,
            after,
            secrets.riffle(before),
        )
        return encode_ciphertexts(after), argument.encoded

    def riffled(self, table: Table) -> tuple[tuple[Ciphertext, ...], tuple[int, ...], bytes]:
        """Riffle honestly. Return the riffled hand, its cards and the argument."""
        deck, secrets = table.deck, self.secrets(table)
        assert deck is not None
        riffle = prover.riffle(deck, self.seat, secrets, self.context(table))
        return riffle.cards, read_hand(riffle.cards, secrets), riffle.argument

    def knock(
        self,
        table: Table,
        melds: Iterable[tuple[int, ...]],
        discard: int | None,
        claimed: Sequence[int] | None = None,
    ) -> m.Knock:
        """Return a knock with any melds, and the best opening of the cheat's own riffled hand.
        *claimed*: cards to show in place of the real ones."""
        hand, own, argument = self.riffled(table)
        cards = own if claimed is None else tuple(claimed)
        opening = self.opening(table, list(zip(hand, cards, strict=True)))
        return m.Knock(encode_ciphertexts(hand), argument, cards, discard, tuple(melds), opening)

    def discard(
        self, table: Table, card: int, claimed: int | None = None, place: int | None = None
    ) -> m.Discard:
        """Return a discard: a riffle, and the best opening of *card*, discarded as *claimed* from
        *place*."""
        hand, cards, argument = self.riffled(table)
        place = cards.index(card) if place is None else place
        claimed = card if claimed is None else claimed
        opening = self.opening(table, [(hand[place % 11], claimed)])
        return m.Discard(encode_ciphertexts(hand), argument, place, claimed, opening)

    def hand(self, table: Table) -> tuple[int, ...]:
        """Return the cheat's own cards, in the order of the ciphertexts."""
        assert table.deck is not None
        return read_hand(table.deck.hands[self.seat], self.secrets(table))

    def opening(self, table: Table, cards: list[tuple[Ciphertext, int]]) -> bytes:
        """Return the best proof that these ciphertexts hold these cards, true or not."""
        return prover.opening(cards, self.secrets(table), self.context(table))


def refused(
    match: RecordedMatch, k: int, raw: bytes, kind: type[RefusedEntry], code: str, *, by: int
) -> RefusedEntry:
    """Assert that *raw*, sent by seat *by* in place of entry k, is refused with all consequences.

    This checks the class and the code; that there is a sentence; that log and table are unchanged;
    that the honest seat sends and stores no entry; and that the honest entry k is still accepted
    afterwards. For a Violation, the named player is the sender, and the evidence agrees.
    """
    referee = match.referee_at(k)
    before, log = referee.table, list(referee.entries)
    with pytest.raises(RefusedEntry) as caught:
        referee.admit(raw)
    error = caught.value
    assert (type(error), error.code) == (kind, code)
    assert error.sentence[0].isupper() or not error.sentence[0].isalpha()
    assert error.sentence.endswith((".", "!", "?"))
    assert referee.table is before
    assert list(referee.entries) == log
    if isinstance(error, Violation):
        assert error.seat == by
        assert error.entry <= k
    seat_refuses(match, k, raw, error, by)
    if k < len(match):
        referee.admit(match.entries[k])
        assert referee.table.sequence == k + 1
    return error


def seat_refuses(match: RecordedMatch, k: int, raw: bytes, error: RefusedEntry, by: int) -> None:
    """Check that the honest seat neither stores, shows nor answers the entry, that it closes, and
    that it keeps evidence of class B."""
    seat = match.seat_at(1 - by, k)
    before = seat.table
    effects = list(seat.receive(raw))
    *evidence, close = effects
    failure = "B" if isinstance(error, Violation) else "A"
    assert close == Close(error.code, error.sentence, failure)
    if failure == "B":
        assert evidence == [PersistEvidence(before.table_id, (*match.entries[:k], raw))]
    else:
        assert evidence == []
    assert seat.table is before
    assert tuple(seat.entries) == match.entries[:k]
    assert list(seat.receive(raw)) == [], "a closed seat listens to nothing"
    assert not any(isinstance(effect, Send) for effect in seat.start())


def violation(match: RecordedMatch, k: int, raw: bytes, code: str, *, by: int) -> Violation:
    """Assert a refusal of class B: signed but illegal."""
    error = refused(match, k, raw, Violation, code, by=by)
    assert isinstance(error, Violation)
    return error


def garbled(match: RecordedMatch, k: int, raw: bytes, code: str, *, by: int) -> None:
    """Assert a refusal of class A: nobody is blamed."""
    refused(match, k, raw, MalformedEntry, code, by=by)


def choices(match: RecordedMatch, awaiting: Awaiting) -> list[int]:
    """Return the numbers of the entries that players chose in this state."""
    return [step.sequence for step in match.steps if step.before.awaiting is awaiting]


def seated(host: Seat, guest: Seat) -> TablePair:
    """Return a pair of two seats that are already in the middle of a match."""
    pair = object.__new__(TablePair)
    pair.performers = (Performer(host), Performer(guest))
    for performer in pair.performers:
        performer.stored.extend(performer.seat.entries)
        performer.seeds.update(performer.seat._seeds)
    return pair


def catch_up(pair: TablePair) -> None:
    """Tell each side the other's log position, so that each sends what the other lacks, as a
    resumed session does."""
    positions = pair.host.seat.position, pair.guest.seat.position
    for performer, theirs in zip(pair.performers, reversed(positions), strict=True):
        performer.perform(performer.seat.meet(theirs))
    while pair.deliver():
        pass


class OtherKey(HandSecrets):
    """Secrets with a hand key unrelated to the seed."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.key += 1


# --- stacked decks --------------------------------------------------------------------------
#
# Two players who cheat together can deal anything: both shuffle into an order that they choose,
# and every proof is valid, because it is a shuffle. (The audit would detect that, so these
# matches are played without disclosure.) This shows the referee real hands that chance would
# hardly ever deal.


class Stacked(HandSecrets):
    """Secrets that shuffle the deck into a chosen order."""

    def __init__(self, seed: bytes, order: tuple[int, ...]) -> None:
        super().__init__(seed)
        self._order = order

    def deal_shuffle(self, key: Element, before: Sequence[Ciphertext]) -> shuffle.Shuffle:
        return replace(super().deal_shuffle(key, before), permutation=self._order)


def stacked(
    nondealer: str,
    dealer: str,
    upcard: str,
    stock: str = "",
    disclosure: m.Disclosure = m.Disclosure.NEVER,
    rules: RuleSet = ONE_HAND,
) -> TablePair:
    """Return a match in which every hand deals these cards."""
    hands = [[int(card) for card in _cards(text)] for text in (nondealer, dealer)]
    order = [card for pair in zip(*hands, strict=True) for card in pair]
    order += [int(card) for card in _cards(upcard + stock)]
    order += [card for card in range(52) if card not in order]
    assert sorted(order) == list(range(52))
    pair = TablePair("stacked", rules, disclosure)
    for performer in pair.performers:
        _stack(performer.seat, tuple(order))
    pair.settle()
    return pair


def mover(pair: TablePair) -> Performer:
    """Return the player to move."""
    performer = pair.to_choose()
    assert performer is not None
    return performer


def play(pair: TablePair, *texts: str) -> None:
    """Play these moves in order, each by the player to move."""
    for text in texts:
        performer = mover(pair)
        performer.perform(performer.seat.play(moves.parse_move(text)))
    pair.settle()


def numbers(text: str) -> tuple[int, ...]:
    """Return the cards in a string in ascending order, as messages list them."""
    return tuple(int(card) for card in cards_of(parse_set(text)))


def _cards(text: str) -> list[Card]:
    """Return the cards in a string in its order; spaces are only for readability."""
    text = text.replace(" ", "")
    return [parse_card(text[at : at + 2]) for at in range(0, len(text), 2)]


def _stack(seat: Seat, order: tuple[int, ...]) -> None:
    made: dict[int, HandSecrets] = {}

    def hand_secrets() -> HandSecrets:
        table = seat.table
        if table.hand_number not in made:
            assert table.deck is not None
            mine = tuple(range(52)) if seat.seat == table.deck.dealer else order
            made[table.hand_number] = Stacked(seat._seeds[table.hand_number], mine)
        return made[table.hand_number]

    seat._hand_secrets = hand_secrets  # type: ignore[method-assign]


def cheat_in(pair: TablePair, seat: int) -> Cheat:
    """Return one of the players of a pair as a cheat."""
    return Cheat(seat, pair.identities[seat], pair.performers[seat].seeds)
