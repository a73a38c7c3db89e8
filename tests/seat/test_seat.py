"""Our side of the table: what it stores before sending, and what it never reveals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from unittest.mock import patch

import pytest

from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import GUEST, HOST, Awaiting
from ginpeer.rules.cards import Illegal
from ginpeer.rules.moves import Discard, DrawStock, Knock, Pass
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import (
    MATCH_SEED,
    Close,
    Effect,
    NotNow,
    Persist,
    PersistEvidence,
    PersistSeed,
    Seat,
    Send,
    Show,
    position_of,
)
from protocol import messages as m
from protocol.crypto.elgamal import decode_elements
from protocol.crypto.group import encode_scalar
from protocol.crypto.identity import IdentityKey
from protocol.deck.secrets import HandSecrets
from protocol.entry import RawEntry
from tests.cheating.cheat import (
    SHORT,
    Cheat,
    RecordedMatch,
    choices,
    one_hand,
    seated,
    steady,
    tiny,
)
from tests.matches.table_pair import Performer, TablePair, seeded_rng
from tests.refusals import code_of
from tests.seat.support import new_seat

CHOICES = (Awaiting.UPCARD, Awaiting.DRAW, Awaiting.DISCARD, Awaiting.SPREAD)


def a_seat(seat: int, **changes: object) -> Seat:
    """Return a seat of the one-hand match that has no entries yet."""
    return new_seat(one_hand(), seat, **{"consents": True, **changes})


def effects_on_receipt(match: RecordedMatch) -> Iterator[Iterator[Effect]]:
    """Yield, for each entry of a match, the effects of the seat that receives it."""
    for k, step in enumerate(match.steps):
        yield match.seat_at(1 - step.author, k).receive(match.entries[k])


# --- the order of effects ---------------------------------------------------------------------


@cache
def effects_of_a_match() -> tuple[tuple[Effect, ...], tuple[Effect, ...]]:
    """Return the effects of each seat in a whole match, in order."""
    lists: tuple[list[Effect], list[Effect]] = ([], [])
    perform = Performer.perform

    def remember(performer: Performer, effects: Iterable[Effect]) -> None:
        for effect in effects:
            lists[performer.seat.seat].append(effect)
            perform(performer, [effect])

    with patch.object(Performer, "perform", remember):
        pair = TablePair("m4", SHORT).play(steady)
    assert pair.host.closed == pair.guest.closed
    return tuple(lists[HOST]), tuple(lists[GUEST])


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_every_entry_is_stored_before_it_is_sent_or_shown(seat: int) -> None:
    """A seat sends only its own entries, each of them once. The last effect of a match is Close."""
    match = one_hand()
    *effects, close = effects_of_a_match()[seat]
    stored: list[bytes] = []
    sent: list[bytes] = []
    for effect in effects:
        match effect:
            case Persist(_, entry):
                stored.append(entry)
            case Send(entry):
                assert entry == stored[-1]
                sent.append(entry)
            case Show(event):
                assert isinstance(event, Admitted)
                assert event.sequence == len(stored) - 1
            case other:
                assert not isinstance(other, Close | PersistEvidence)
    assert tuple(stored) == match.entries
    assert sent == [match.entries[step.sequence] for step in match.steps if step.author == seat]
    assert isinstance(close, Close)
    assert (close.code, close.failure) == ("finished", None)


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_every_seed_is_stored_before_anything_made_from_it(seat: int) -> None:
    stored: set[int] = set()
    for effect in effects_of_a_match()[seat]:
        match effect:
            case PersistSeed(table, hand, seed):
                assert hand not in stored, "a seed is drawn once"
                assert table == one_hand().table_at(1).table_id
                assert len(seed) == 32
                stored.add(hand)
            case Persist(_, entry):
                message = RawEntry.split(entry).decode().message
                match message:
                    case m.Offer() | m.Accept():
                        author = HOST if isinstance(message, m.Offer) else GUEST
                        assert author != seat or stored == {MATCH_SEED}
                    case m.DealCommit() | m.DealKey() | m.DealDeck() | m.DealShuffle():
                        dealer = one_hand().table_at(9).match.dealer
                        author = (
                            dealer if isinstance(message, m.DealCommit | m.DealDeck) else 1 - dealer
                        )
                        assert author != seat or 1 in stored
    assert stored == {MATCH_SEED, 1}


@pytest.mark.parametrize(
    ("clock", "said"), [(-1, 0), (0, 0), (2**53 - 1, 2**53 - 1), (2**53, 2**53 - 1)]
)
def test_a_host_can_host_with_any_clock(clock: int, said: int) -> None:
    """A board without a battery starts with a clock before 1970."""
    host = a_seat(HOST, now=lambda: clock)
    sent = [effect for effect in host.start() if isinstance(effect, Send)]
    assert len(sent) == 1
    assert host.table.offer is not None
    assert host.table.offer.started == said


# --- a store that fails -----------------------------------------------------------------------


class DiskFull(OSError):
    """The error of a performer whose store fails."""


def perform_until(effects: Iterator[Effect], kind: type[Effect]) -> list[Effect]:
    """Perform effects until the first one of *kind*, which fails. Return those performed before
    it."""
    done: list[Effect] = []
    with pytest.raises(DiskFull):  # noqa: PT012 - the loop is the performer
        for effect in effects:
            if isinstance(effect, kind):
                raise DiskFull
            done.append(effect)
    return done


def poke(seat: Seat, match: RecordedMatch, k: int) -> list[Effect]:
    """Ask a seat whose store has failed for everything that a careless caller might."""
    effects = list(seat.start())
    for raw in match.entries[k : k + 2]:
        effects += seat.receive(raw)
    for ask in (lambda: seat.play(Pass()), lambda: seat.play(DrawStock()), seat.resign):
        try:
            effects += ask()
        except Illegal:
            continue
    return effects


def test_nothing_is_sent_after_storing_failed() -> None:
    """The test covers each entry that a seat receives, and each of its answers."""
    match = one_hand()
    for effects in effects_on_receipt(match):
        assert perform_until(effects, Persist) == []
    for k in range(len(match)):
        receiver = 1 - match.steps[k].author
        seat = match.seat_at(receiver, k)
        perform_until(seat.receive(match.entries[k]), Persist)
        assert not seat.owes_choice()
        assert poke(seat, match, k + 1) == []


def answered(match: RecordedMatch) -> list[int]:
    """Return the number of each entry that its receiver answers without asking the player."""
    by_choice = {k for awaiting in CHOICES for k in choices(match, awaiting)}
    return [
        k
        for k in range(len(match) - 1)
        if match.steps[k].author != match.steps[k + 1].author and k + 1 not in by_choice
    ]


def test_an_own_entry_that_was_not_stored_is_not_sent_later() -> None:
    """The received entry is stored, but storing the answer fails."""
    match = one_hand()
    assert len(answered(match)) > 10
    for k in answered(match):
        seat = match.seat_at(match.steps[k + 1].author, k)
        effects = iter(seat.receive(match.entries[k]))
        assert isinstance(next(effects), Persist)
        done = perform_until(effects, Persist)
        assert not any(isinstance(effect, Send) for effect in done)
        assert poke(seat, match, k + 1) == []


def test_a_move_that_was_not_stored_is_not_sent_later() -> None:
    match = one_hand()
    for k in choices(match, Awaiting.DISCARD):
        seat = match.seat_at(match.steps[k].author, k)
        assert perform_until(seat.play(steady(seat.view())), Persist) == []
        assert not seat.owes_choice()
        assert poke(seat, match, k + 1) == []


def test_a_seed_that_was_not_stored_is_not_used() -> None:
    match = one_hand()
    for k, seat_number in (
        (match.find(m.DealCommit) - 1, match.steps[match.find(m.DealCommit)].author),
        (match.find(m.DealKey) - 1, match.steps[match.find(m.DealKey)].author),
    ):
        if match.steps[k].author == seat_number:
            seat = match.seat_at(seat_number, k + 1)
            effects = seat.start()
        else:
            seat = match.seat_at(seat_number, k)
            effects = seat.receive(match.entries[k])
        done = perform_until(effects, PersistSeed)
        assert not any(isinstance(effect, Send) for effect in done)
        assert 1 not in seat._seeds


def test_a_table_that_is_already_stored_is_not_played_again() -> None:
    """A host offers a table id of which the guest already has a log: two acceptances would be two
    entries in one place. The store refuses the offer, and nothing is signed."""
    seat = a_seat(GUEST)
    assert perform_until(seat.receive(one_hand().entries[0]), Persist) == []
    assert poke(seat, one_hand(), 1) == []


def test_a_stored_table_is_not_accepted_on_a_later_connection_either() -> None:
    seat = a_seat(GUEST, holds=lambda table: True)
    (close,) = seat.receive(one_hand().entries[0])
    assert isinstance(close, Close)
    assert (close.code, close.failure) == ("other-match", "A")
    host = position_of(one_hand().entries[:1], seat.table.table_id)
    for theirs in (host, None):
        assert list(seat.meet(theirs)) == []
        assert poke(seat, one_hand(), 1) == []


def test_the_table_being_played_is_stored_and_continues() -> None:
    """An entry of a table that is already stored is refused only if it is an offer."""
    stored: list[bytes] = []
    guest = a_seat(GUEST, holds=lambda table: table in stored)
    host = a_seat(HOST, rng=seeded_rng("another host"))
    (offer,) = (effect.entry for effect in host.start() if isinstance(effect, Send))
    (accept,) = (effect.entry for effect in guest.receive(offer) if isinstance(effect, Send))
    stored.append(guest.table.table_id)
    (commit,) = (effect.entry for effect in host.receive(accept) if isinstance(effect, Send))
    answer = [effect.entry for effect in guest.receive(commit) if isinstance(effect, Send)]
    assert [type(RawEntry.split(raw).decode().message) for raw in answer] == [m.CutValue]


# --- shares -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_share_is_given_for_the_card_just_drawn_and_no_other(seat: int) -> None:
    """The test opens every share with its sender's own key, to see which card it is for."""
    match = one_hand()
    secrets = HandSecrets(match.seeds[seat][1])
    given: list[int] = []
    for effect in effects_of_a_match()[seat]:
        if not isinstance(effect, Send):
            continue
        message = RawEntry.split(effect.entry).decode().message
        if isinstance(message, m.Share | m.DealShares | m.DealShuffle):
            shares = message.share if isinstance(message, m.Share) else message.shares
            k = match.entries.index(effect.entry)
            cards = match.table_at(k + 1).deck.cards
            for share in decode_elements(shares, len(shares) // 32):
                given.append([secrets.key * card.c1 for card in cards].index(share))
    dealer = match.table_at(9).match.dealer
    theirs = range(0, 20, 2) if seat == dealer else range(1, 20, 2)
    draws = [
        step.before.deck.drawn
        for step in match.steps
        if isinstance(step.message, m.Share) and step.author == seat
    ]
    assert given == [*theirs, 20, *(21 + drawn for drawn in draws)]
    assert len(set(given)) == len(given)
    assert draws


# --- what may be asked ------------------------------------------------------------------------


@pytest.mark.parametrize("role", [HOST, GUEST])
def test_an_empty_log_does_not_say_who_owes_an_entry(role: int) -> None:
    """The opponent may be in another match, so the player isn't told that they owe an entry."""
    assert a_seat(role).owes_next() is None


def test_there_is_no_view_before_the_deal() -> None:
    assert code_of(NotNow, a_seat(GUEST).view) == "no-hand"
    dealing = one_hand().seat_at(GUEST, one_hand().find(m.DealDeck))
    assert dealing.table.match is not None
    assert code_of(NotNow, dealing.view) == "no-hand"


@pytest.mark.parametrize("restored", [False, True])
def test_a_guest_signs_nothing_before_it_is_told_to(restored: bool) -> None:
    match = one_hand()
    offer = match.entries[0]
    seat = a_seat(GUEST, consents=False)
    effects = list(seat.receive(offer))
    assert [type(effect) for effect in effects] == [Persist, Show]
    if restored:
        seat = a_seat(GUEST, consents=False).restore((offer,), {})
        assert list(seat.start()) == []
    assert seat.offer_to_consider() == match.table_at(1).offer
    assert not seat.owes_choice()
    for ask in (lambda: seat.play(Pass()), seat.resign):
        with pytest.raises(NotNow):
            ask()
    assert [type(effect) for effect in seat.accept()] == [PersistSeed, Persist, Send, Show]
    assert isinstance(RawEntry.split(seat.entries[-1]).decode().message, m.Accept)
    assert code_of(NotNow, seat.accept) == "nothing-offered"


def test_no_match_is_offered_over_a_closed_connection() -> None:
    """A late answer of the host's player has no effect, and the guest may reconnect."""
    seat = a_seat(HOST, offers=False)
    assert list(seat.meet(None)) == []
    (close,) = seat.receive(b"no entry")
    assert isinstance(close, Close)
    assert code_of(NotNow, seat.offer) == "nothing-to-offer"
    assert list(seat.meet(None)) == []
    assert any(isinstance(effect, Send) for effect in seat.offer())


def test_a_guest_never_offers_a_match() -> None:
    assert code_of(NotNow, lambda: a_seat(GUEST, offers=False).offer()) == "nothing-to-offer"


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_nobody_plays_or_resigns_out_of_turn(seat: int) -> None:
    match = one_hand()
    for k in range(len(match) + 1):
        table = match.table_at(k)
        mine = match.seat_at(seat, k)
        if mine.owes_choice():
            assert table.owed_by == seat
            continue
        for ask in (lambda: mine.play(Pass()), mine.resign):  # noqa: B023 - called at once
            assert code_of(NotNow, ask) == "not-your-turn"
        assert mine.table is table


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_match_can_continue_from_its_acceptance_to_its_end(seat: int) -> None:
    """Until the end, a player who was disconnected may return, even before the acceptance."""
    match = one_hand()
    agreed = match.find(m.Accept) + 1
    for k in range(len(match) + 1):
        assert match.seat_at(seat, k).can_continue() is (agreed <= k < len(match))
        assert match.seat_at(seat, k).can_come_back() is (k < len(match))


def test_a_match_with_a_cheat_cannot_continue_and_no_player_comes_back() -> None:
    match = one_hand()
    k = match.find(m.Discard)
    seat = match.seat_at(match.steps[k].author, k)
    assert seat.can_continue()
    list(seat.receive(match.cheat(1 - seat.seat).sign(match.table_at(k), m.Resign())))
    assert not seat.can_continue()
    assert not seat.can_come_back()


def test_an_illegal_move_changes_nothing() -> None:
    match = one_hand()
    k = match.find(m.Discard)
    seat = match.seat_at(match.steps[k].author, k)
    held = seat.view().cards
    stranger = next(card for card in seat.view().hand.pile)
    for move in (Pass(), DrawStock(), Discard(stranger), Knock(None, (), held)):
        with pytest.raises(Illegal):
            seat.play(move)
    assert seat.owes_choice()
    assert tuple(seat.entries) == match.entries[:k]
    sent = [e for e in seat.play(steady(seat.view())) if isinstance(e, Send)]
    assert len(sent) == 1


def test_a_seat_sees_its_own_cards_only() -> None:
    match = one_hand()
    for k in (match.find(m.Pass), match.find(m.Discard), match.find(m.Knock)):
        for seat in (HOST, GUEST):
            view = match.seat_at(seat, k).view()
            assert view.hand.hands[1 - seat] is None
            assert view.hand.hands[seat] is not None


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_player_can_see_the_card_just_drawn_until_the_discard(seat: int) -> None:
    match = one_hand()
    draws = 0
    for k in range(len(match) + 1):
        told = match.seat_at(seat, k).drawn()
        last = match.steps[k - 1] if k else None
        if last is None or type(last.message) is not m.Share or last.author == seat:
            assert told is None
            continue
        before, after = (match.seat_at(seat, at).view().hand.hands[seat] for at in (k - 1, k))
        assert before is not None
        assert after == before | told.bit != before
        draws += 1
    assert draws


def test_a_closed_seat_does_nothing() -> None:
    match = one_hand()
    for kind in (m.Discard, m.Share, m.DrawStock, m.Settle):
        k = match.find(kind)
        seat = match.seat_at(match.steps[k].author, k)
        other = match.cheat(1 - seat.seat)
        *_, close = seat.receive(other.sign(match.table_at(k), m.Resign()))
        assert close.code == "out-of-turn"
        assert poke(seat, match, k) == []
        assert not seat.owes_choice()


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_resigning_ends_in_a_settled_match(seat: int) -> None:
    """A player resigns at each kind of choice, and real seats play on to the settlement."""
    match = one_hand()
    for awaiting in (Awaiting.UPCARD, Awaiting.DRAW, Awaiting.DISCARD):
        owed = [k for k in choices(match, awaiting) if match.steps[k].author == seat]
        for k in owed[:1]:
            pair = seated(match.seat_at(HOST, k), match.seat_at(GUEST, k))
            loser = pair.performers[seat]
            loser.perform(loser.seat.resign())
            pair.settle()
            assert pair.host.closed == pair.guest.closed
            assert pair.host.closed.code == "finished"
            assert pair.host.stored == pair.guest.stored
            assert pair.host.seat.table.match.winner == 1 - seat


def test_a_player_cannot_resign_after_a_knock() -> None:
    """The defender may resign only after their spread, when the knock's points count."""
    pair = TablePair("knocked", parse_ruleset("standard hands=2"))
    turns = pair.turns(steady)
    while not any(awaits(performer, Awaiting.SPREAD) for performer in pair.performers):
        next(turns)
    defender = pair.to_choose()
    assert defender is not None
    stored = len(defender.stored)
    assert code_of(NotNow, defender.seat.resign) == "hand-counts"
    assert len(defender.stored) == stored
    assert defender.seat.owes_choice()
    while pair.to_choose() is not defender or awaits(defender, Awaiting.SPREAD):
        next(turns)
    defender.perform(defender.seat.resign())
    pair.settle()
    match = pair.host.seat.table.match
    assert match.finished
    assert (match.resigned, len(match.results)) == (defender.seat.seat, 1)


def awaits(performer: Performer, awaiting: Awaiting) -> bool:
    return performer.seat.owes_choice() and performer.seat.table.awaiting is awaiting


# --- the other end --------------------------------------------------------------------------


def test_a_host_who_signs_with_another_key_is_not_answered() -> None:
    guest = a_seat(GUEST, peer_key=IdentityKey(bytes(32)).public)
    effects = list(guest.receive(one_hand().entries[0]))
    assert [type(effect) for effect in effects] == [Close]
    assert (effects[0].code, effects[0].failure) == ("unexpected-key", "A")
    assert guest.entries == []
    assert guest.table.offer is None


def test_a_guest_who_signs_with_another_key_is_not_answered() -> None:
    host = a_seat(HOST)
    list(host.start())
    mallory = Cheat(GUEST, IdentityKey(bytes(32)), {})
    accept = m.Accept(mallory.identity.public, "Ben", "standard", bytes(32))
    effects = list(host.receive(mallory.sign(host.table, accept)))
    assert [(e.code, e.failure) for e in effects] == [("unexpected-key", "A")]
    assert len(host.entries) == 1


def test_a_reflected_offer_is_not_accepted() -> None:
    """Here, the peer's key isn't known. Nobody can play against their own key."""
    match = one_hand()
    guest = a_seat(GUEST, identity=match.identities[HOST], peer_key=None)
    effects = list(guest.receive(match.entries[0]))
    assert [(e.code, e.failure) for e in effects] == [("same-key", "A")]
    assert guest.entries == []


def test_an_illegal_offer_is_not_kept_under_the_table_that_it_names() -> None:
    """The id could be that of another match, whose evidence the offer would replace."""
    match = one_hand()
    offer = match.steps[0].message
    changed = m.Offer(1, offer.key, "Ada", "standard target=100", offer.disclosure, bytes(32), 0)
    raw = match.cheat(HOST).sign(match.table_at(0), changed, table=b"\x07" * 32)
    evidence, close = a_seat(GUEST).receive(raw)
    assert evidence == PersistEvidence(b"", (raw,))
    assert (close.code, close.failure) == ("rules-not-canonical", "B")


# --- secrets ----------------------------------------------------------------------------------


def spellings(secret: bytes) -> list[str]:
    """Return the ways in which a secret could be written as text."""
    number = int.from_bytes(secret, "little")
    return [secret.hex(), repr(secret)[2:-1], repr(list(secret))[1:-1], str(number), f"{number:x}"]


def secrets_of(match: RecordedMatch) -> list[str]:
    found = []
    for seat in (HOST, GUEST):
        found += spellings(match.identities[seat].secret_seed)
        seed = match.seeds[seat][1]
        found += spellings(seed) + spellings(encode_scalar(HandSecrets(seed).key))
    return found


def effects_before(match: RecordedMatch, kind: type[m.Message]) -> str:
    """Return the text of all effects of both seats before the first entry of this kind."""
    texts = []
    for effects in effects_of_a_match():
        for effect in effects:
            if isinstance(effect, Persist) and effect.entry == match.entries[match.find(kind)]:
                break
            texts += [repr(effect), str(effect)]
    return "\n".join(texts)


def test_no_text_of_a_seat_contains_a_secret() -> None:
    """The test checks repr and str of seats, effects, events, exceptions and hand secrets, up to
    the point where the seeds are deliberately disclosed."""
    match = one_hand()
    texts = [effects_before(match, m.Disclose)]
    for seat in (HOST, GUEST):
        at = match.seat_at(seat, match.find(m.Knock))
        texts += [repr(at), str(at), repr(at.view()), repr(match.identities[seat])]
        texts += [repr(HandSecrets(match.seeds[seat][1])), str(HandSecrets(match.seeds[seat][1]))]
        texts += list(_exceptions(match, seat))
    everything = "\n".join(texts)
    assert len(everything) > 100_000
    for secret in secrets_of(match):
        assert secret not in everything


def test_the_hosts_half_of_the_cut_is_hidden_until_it_is_opened() -> None:
    match = one_hand()
    before = effects_before(match, m.CutReveal)
    assert "PersistSeed" in before
    half = match.steps[match.find(m.CutReveal)].message.value
    for secret in (*spellings(half), *spellings(match.seeds[HOST][MATCH_SEED])):
        assert secret not in before


def _exceptions(match: RecordedMatch, seat: int) -> Iterator[str]:
    k = next(k for k in choices(match, Awaiting.DISCARD) if match.steps[k].author == seat)
    mine = match.seat_at(seat, k)
    for move in (Pass(), Discard(mine.view().hand.pile[0]), Knock(None, (), 0)):
        with pytest.raises(Illegal) as caught:
            mine.play(move)
        yield f"{caught.value!r} {caught.value} {caught.value.args}"
    with pytest.raises(ValueError, match="32 bytes") as wrong:
        HandSecrets(match.seeds[seat][1][:31])
    yield f"{wrong.value!r}"


def test_the_end_of_a_match_asks_the_players_nothing() -> None:
    match = tiny()
    k = match.find(m.Spread)
    pair = seated(match.seat_at(HOST, k), match.seat_at(GUEST, k))
    performer = pair.performers[match.steps[k].author]
    performer.perform(performer.seat.play(steady(performer.seat.view())))
    pair.settle()
    assert pair.host.closed.code == pair.guest.closed.code == "finished"
