"""The referee: what it admits in which state, and whom it blames for what it refuses.

The tests generate case 21 of tests/campaign/cases.txt: every kind of message in every state of a
match, by either player. They also test the promise behind class B: the named player really did it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import GUEST, HOST, Awaiting, Table
from ginpeer.referee.transitions import (
    PROTOCOL_VERSION,
    TRANSITIONS,
    MalformedEntry,
    RefusedEntry,
    Violation,
    final_score,
)
from protocol import messages as m
from protocol.crypto.group import ORDER
from protocol.crypto.identity import IdentityKey
from protocol.entry import MAX_ENTRY, SIGNATURE_BYTES, RawEntry, entry_hash
from tests.cheating.cheat import (
    Cheat,
    RecordedMatch,
    garbled,
    one_hand,
    record,
    violation,
)
from tests.protocol import wire
from tests.refusals import code_of

# These tests are about who signs what when, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")

KINDS: tuple[type[m.Message], ...] = m.Message.__args__

# PROTOCOL 3.3, written independently of the referee's own table.
DEAL_AND_PLAY = {
    Awaiting.DEAL_COMMIT: {m.DealCommit},
    Awaiting.DEAL_KEY: {m.DealKey},
    Awaiting.DEAL_DECK: {m.DealDeck},
    Awaiting.DEAL_SHUFFLE: {m.DealShuffle},
    Awaiting.DEAL_SHARES: {m.DealShares},
    Awaiting.UPCARD: {m.Pass, m.TakeUpcard},
    Awaiting.DRAW: {m.DrawStock, m.TakeUpcard, m.TakeDiscards},
    Awaiting.SHARE: {m.Share},
    Awaiting.DISCARD: {m.Discard, m.Knock, m.Lay},
    Awaiting.LAST_CHANCE: {m.Pass, m.TakeUpcard},
    Awaiting.SPREAD: {m.Spread},
}
ALLOWED = {
    Awaiting.OFFER: {m.Offer},
    Awaiting.ACCEPT: {m.Accept},
    Awaiting.CUT_COMMIT: {m.CutCommit},
    Awaiting.CUT_VALUE: {m.CutValue},
    Awaiting.CUT_REVEAL: {m.CutReveal},
    **{awaiting: kinds | {m.Resign} for awaiting, kinds in DEAL_AND_PLAY.items()},
    Awaiting.SPREAD: {m.Spread},  # no resigning: a hand that was knocked counts
    Awaiting.SETTLE: {m.Settle},
    Awaiting.DISCLOSE: {m.Disclose},
    Awaiting.NOTHING: set(),
}


_LAY = m.Lay(b"hand", b"argument", (0, 1, 2), (0, 1, 2), ((0, 1, 2),), (), b"opening")
OF_OTHER_MATCHES: dict[type[m.Message], m.Message] = {
    m.Resign: m.Resign(),
    m.Lay: _LAY,
    m.TakeDiscards: m.TakeDiscards(2, _LAY),
}


def specimen(kind: type[m.Message]) -> m.Message:
    """Return a well-formed message of a kind: if possible, one that was signed in a match."""
    return OF_OTHER_MATCHES.get(kind) or one_hand().steps[one_hand().find(kind)].message


def states(match: RecordedMatch) -> range:
    """Return the numbers of the states: before each entry, and after the last."""
    return range(len(match) + 1)


# --- 21: every kind in every state ---------------------------------------------------------


def test_the_referee_allows_what_the_protocol_says() -> None:
    assert set(ALLOWED) == set(Awaiting)
    assert set(TRANSITIONS) == {
        (awaiting, kind) for awaiting, kinds in ALLOWED.items() for kind in kinds
    }


def test_the_match_visits_every_state_and_signs_every_kind() -> None:
    visited = {one_hand().table_at(k).awaiting for k in states(one_hand())}
    assert visited == set(Awaiting) - {Awaiting.LAST_CHANCE}
    signed = {type(step.message) for step in one_hand().steps}
    assert signed == set(KINDS) - set(OF_OTHER_MATCHES)


def test_a_kind_of_message_is_admitted_only_where_allowed_and_from_its_author() -> None:
    """In every state, one referee gets each kind from either player, and then the honest entry."""
    match = one_hand()
    for k, honest in enumerate(match.entries):
        table, referee = match.table_at(k), match.referee_at(k)
        for kind, seat in product(KINDS, (HOST, GUEST)):
            owes = seat == table.owed_by
            if owes and kind in ALLOWED[table.awaiting]:
                continue
            raw = match.cheat(seat).sign(table, specimen(kind))
            if table.keys[seat] is not None:
                code = "not-allowed-now" if owes else "out-of-turn"
                _refused(referee, raw, Violation, code, seat)
            elif owes or kind is m.Offer:  # a player's first entry must contain its key
                _refused(referee, raw, MalformedEntry, "bad-signature")
            assert referee.table is table
        assert referee.admit(honest).after.sequence == k + 1
        assert tuple(referee.entries) == match.entries[: k + 1]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_admitted_after_the_end(kind: type[m.Message]) -> None:
    match, message = one_hand(), specimen(kind)
    end = len(match)
    for seat in (HOST, GUEST):
        raw = match.cheat(seat).sign(match.table_at(end), message)
        violation(match, end, raw, "after-the-end", by=seat)
    stranger = Cheat(HOST, IdentityKey(bytes(range(32))), {})
    garbled(match, end, stranger.sign(match.table_at(end), message), "after-the-end", by=HOST)


def test_an_entry_signed_by_a_stranger_is_refused() -> None:
    for kind in (m.Offer, m.Accept, m.Discard):  # the first two contain a key
        match, message = one_hand(), specimen(kind)
        stranger = Cheat(HOST, IdentityKey(bytes(range(32))), {})
        for k in states(match)[:-1]:
            raw = stranger.sign(match.table_at(k), message)
            _refused(match.referee_at(k), raw, MalformedEntry, "bad-signature")


def test_every_entry_is_admitted_only_once() -> None:
    match = one_hand()
    for k in states(match):
        referee = match.referee_at(k)
        for raw in match.entries[:k]:
            _refused(referee, raw, MalformedEntry, "duplicate")
        assert referee.table is match.table_at(k)


def _refused(
    referee: Referee, raw: bytes, kind: type[RefusedEntry], code: str, seat: int | None = None
) -> None:
    with pytest.raises(RefusedEntry) as caught:
        referee.admit(raw)
    assert (type(caught.value), caught.value.code) == (kind, code)
    assert getattr(caught.value, "seat", None) == seat


# --- the chain ------------------------------------------------------------------------------


def middle(match: RecordedMatch | None = None) -> tuple[RecordedMatch, int, Cheat, Table]:
    """Return a match, the number of its first discard, the discard's author as the cheat, and the
    table before it."""
    match = match or one_hand()
    k = match.find(m.Discard)
    return match, k, match.author(k), match.table_at(k)


def test_an_entry_of_another_table_blames_nobody() -> None:
    match, k, cheat, table = middle()
    raw = cheat.sign(table, m.Resign(), table=bytes(32))
    garbled(match, k, raw, "wrong-table", by=cheat.seat)
    raw = match.cheat(1 - cheat.seat).sign(table, m.Resign(), table=bytes(32))
    garbled(match, k, raw, "wrong-table", by=1 - cheat.seat)


@pytest.mark.parametrize("ahead", [1, 2**32 - 1])
def test_an_entry_for_a_later_place_blames_nobody(ahead: int) -> None:
    match, k, _, table = middle()
    number = min(k + ahead, 2**32 - 1)
    for seat in (HOST, GUEST):
        raw = match.cheat(seat).sign(table, m.Resign(), sequence=number)
        garbled(match, k, raw, "wrong-sequence", by=seat)


def test_an_entry_that_follows_another_history_blames_nobody() -> None:
    """The author's opponent may have shown the author that history, and recorded this one."""
    match = one_hand()
    for k in (match.find(m.DealKey), match.find(m.Share), match.find(m.Settle)):
        for seat in (HOST, GUEST):
            raw = match.cheat(seat).sign(match.table_at(k), m.Resign(), previous=bytes(32))
            garbled(match, k, raw, "wrong-previous", by=seat)


def test_a_player_who_replaces_an_earlier_entry_is_convicted_by_the_replacement() -> None:
    """After TakeUpcard, the same player discards. An entry on top of another history proves nothing
    by itself; the different entry that must precede it does."""
    match = one_hand()
    k = match.find(m.TakeUpcard) + 1
    cheat, table = match.author(k), match.table_at(k)
    assert match.steps[k - 1].author == cheat.seat
    raw = cheat.sign(table, m.Resign(), previous=bytes(32))
    garbled(match, k, raw, "wrong-previous", by=cheat.seat)
    instead = cheat.sign(match.table_at(k - 1), m.Resign())
    violation(match, k, instead, "fork", by=cheat.seat)


def test_the_first_entry_must_not_follow_another() -> None:
    match = one_hand()
    cheat, offer = match.cheat(HOST), match.steps[0].message
    raw = cheat.sign(Table(), offer, previous=b"\1" * 32)
    violation(match, 0, raw, "wrong-previous", by=HOST)
    garbled(match, 0, cheat.sign(Table(), offer, sequence=1), "wrong-sequence", by=HOST)


@pytest.mark.parametrize("length", [0, SIGNATURE_BYTES, MAX_ENTRY + 1])
def test_bytes_of_an_impossible_length_are_not_an_entry(length: int) -> None:
    match, k, cheat, _ = middle()
    garbled(match, k, bytes(length), "not-an-entry", by=cheat.seat)
    garbled(match, 0, bytes(length), "not-an-entry", by=HOST)
    garbled(match, len(match), bytes(length), "not-an-entry", by=HOST)


@pytest.mark.parametrize("length", [SIGNATURE_BYTES + 1, MAX_ENTRY])
def test_noise_blames_nobody(length: int) -> None:
    match, k, cheat, _ = middle()
    garbled(match, k, b"\x5a" * length, "bad-signature", by=cheat.seat)
    garbled(match, 0, b"\x5a" * length, "not-canonical", by=HOST)
    garbled(match, 1, b"\x5a" * length, "not-canonical", by=GUEST)
    garbled(match, len(match), b"\x5a" * length, "after-the-end", by=HOST)


# --- newcomers --------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [HOST, GUEST])
@pytest.mark.parametrize(
    "key",
    [bytes(32), b"\xff" * 32, b"\x01" + bytes(31), b"\x02" + bytes(31)],
    ids=["small order", "not canonical", "identity", "not on the curve"],
)
def test_an_unusable_identity_key_is_refused(seat: int, key: bytes) -> None:
    match = one_hand()
    message = replace(match.steps[seat].message, key=key)
    raw = match.cheat(seat).sign(match.table_at(seat), message)
    garbled(match, seat, raw, "bad-public-key", by=seat)


@pytest.mark.parametrize("key", [bytes(32), b"\xff" * 32, b"\x02" + bytes(31)])
def test_an_unusable_key_matters_only_while_its_author_is_unknown(key: bytes) -> None:
    """If the author's key is known, the signature shows who signed it, and the entry is judged by
    its place, like one with a valid key (PROTOCOL 3.4). It convicts nobody else."""
    match = one_hand()
    offer, accept = (replace(match.steps[seat].message, key=key) for seat in (HOST, GUEST))
    table_id = match.table_at(1).table_id
    again = match.cheat(HOST).sign(Table(), offer, table=table_id)
    own_table = match.cheat(GUEST).sign(Table(), offer, table=table_id)
    accepted = match.cheat(GUEST).sign(match.table_at(1), accept)
    for k in (2, match.find(m.Discard), len(match)):
        violation(match, k, again, "fork", by=HOST)
        garbled(match, k, own_table, "wrong-table", by=GUEST)
        garbled(match, k, accepted, "duplicate", by=GUEST)
    violation(match, 1, match.cheat(HOST).sign(match.table_at(1), accept), "out-of-turn", by=HOST)
    for message in (offer, accept):
        k = match.find(m.Pass)
        cheat = match.author(k)
        raw = cheat.sign(match.table_at(k), message)
        violation(match, k, raw, "not-allowed-now", by=cheat.seat)


def test_there_is_no_version_zero() -> None:
    """Unlike a later version, zero only means that the field is missing."""
    match = one_hand()
    offer = match.steps[0].message
    object.__setattr__(offer := replace(offer), "version", 0)
    garbled(match, 0, match.cheat(HOST).sign(Table(), offer), "malformed", by=HOST)
    again = match.cheat(HOST).sign(Table(), offer, table=match.table_at(1).table_id)
    violation(match, 2, again, "malformed", by=HOST)


# Ed25519 verifiers disagree on these: R of small order, alone or added to a valid R.
SMALL_ORDER = {
    "order 1": bytes([1]) + bytes(31),
    "order 2": b"\xec" + b"\xff" * 30 + b"\x7f",
    "order 4": bytes(32),
    "order 8": bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
}


@pytest.mark.parametrize("name", SMALL_ORDER)
def test_a_signature_that_only_other_verifiers_accept_is_refused(name: str) -> None:
    """Only the key's owner can make such signatures. They convict nobody and never enter a log."""
    match = one_hand()
    for kind in (m.CutReveal, m.Pass, m.Settle):
        k = match.find(kind)
        author, entry = match.author(k), RawEntry.split(match.entries[k])
        r = SMALL_ORDER[name]
        seed = hashlib.sha512(author.identity.secret_seed).digest()[:32]
        secret = int.from_bytes(seed, "little") & ~7 & (1 << 254) - 1 | 1 << 254
        text = r + author.identity.public + entry.signed_message
        challenge = int.from_bytes(hashlib.sha512(text).digest(), "little")
        s = challenge * secret % ORDER
        twin = entry.unverified_body + r + s.to_bytes(32, "little")
        garbled(match, k, twin, "bad-signature", by=author.seat)


def test_an_offer_instead_of_the_acceptance_is_illegal_in_any_version() -> None:
    """Only the first entry says which version a match uses."""
    match = one_hand()
    offer = replace(match.steps[0].message, key=match.identities[GUEST].public)
    for version in (PROTOCOL_VERSION, PROTOCOL_VERSION + 1):
        raw = match.cheat(GUEST).sign(match.table_at(1), replace(offer, version=version))
        violation(match, 1, raw, "not-allowed-now", by=GUEST)


def test_the_guests_earlier_offer_of_another_table_is_not_a_fork() -> None:
    """Like every offer, it follows no entry, and a host may have reused that table's id."""
    match = one_hand()
    offer = replace(match.steps[0].message, key=match.identities[GUEST].public)
    table_id = match.table_at(1).table_id
    raw = match.cheat(GUEST).sign(Table(), offer, table=table_id)
    for k in (2, match.find(m.Discard), len(match)):
        garbled(match, k, raw, "wrong-table", by=GUEST)
    again = replace(match.steps[1].message, name="Benjamin")
    raw = match.cheat(GUEST).sign(match.table_at(1), again)
    garbled(match, match.find(m.Discard), raw, "duplicate", by=GUEST)
    other = match.cheat(GUEST).sign(match.table_at(1), m.Resign())
    violation(match, match.find(m.Discard), other, "fork", by=GUEST)


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_message_without_a_key_does_not_begin_a_match(seat: int) -> None:
    match = one_hand()
    referee = match.referee_at(seat)
    with pytest.raises(MalformedEntry, match="by a new player") as caught:
        referee.admit(match.cheat(seat).sign(match.table_at(seat), m.Resign()))
    assert caught.value.code == "bad-signature"
    assert referee.admit(match.entries[seat]).after.sequence == seat + 1


def test_a_player_cannot_play_against_its_own_key() -> None:
    """A host that accepts its own offer signs an entry that the guest owes."""
    match = one_hand()
    accept = replace(match.steps[1].message, key=match.identities[HOST].public)
    violation(match, 1, match.cheat(HOST).sign(match.table_at(1), accept), "out-of-turn", by=HOST)


@pytest.mark.parametrize("rules", ["standard", "standard target=11", "nonsense"])
def test_the_guest_must_accept_the_offered_rules(rules: str) -> None:
    match = one_hand()
    accept = replace(match.steps[1].message, rules=rules)
    raw = match.cheat(GUEST).sign(match.table_at(1), accept)
    violation(match, 1, raw, "rules-differ", by=GUEST)


@pytest.mark.parametrize(
    "rules", ["standard  target=10", "standard target=100", "standard box=20 target=10"]
)
def test_the_rules_of_an_offer_must_be_canonical(rules: str) -> None:
    match = one_hand()
    offer = replace(match.steps[0].message, rules=rules)
    violation(match, 0, match.cheat(HOST).sign(Table(), offer), "rules-not-canonical", by=HOST)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "too-new"),
        ({"version": 65_535}, "too-new"),
        ({"rules": "standard misdeal=yes"}, "rules-unsupported"),
        ({"rules": "standard columns=2"}, "rules-unsupported"),
        ({"rules": "standard knock-limit=11"}, "rules-unsupported"),
        ({"rules": "nonsense"}, "rules-unsupported"),
    ],
)
def test_a_match_that_this_version_cannot_judge_blames_nobody(change: dict, code: str) -> None:
    match = one_hand()
    raw = match.cheat(HOST).sign(Table(), replace(match.steps[0].message, **change))
    referee = Referee()
    assert code_of(MalformedEntry, referee.admit, raw) == code
    assert referee.admit(match.entries[0]).after.sequence == 1


def test_an_entry_by_another_key_than_expected_is_refused() -> None:
    """The connection has proven the peer's key, and the log must contain the same key."""
    match = one_hand()
    mallory = IdentityKey(bytes(range(32)))
    ada, ben = (identity.public for identity in match.identities)
    for seat, expected in ((HOST, (mallory.public, ben)), (GUEST, (ada, mallory.public))):
        referee = Referee(expected=expected)
        referee.table, referee.entries = match.table_at(seat), list(match.entries[:seat])
        assert code_of(MalformedEntry, referee.admit, match.entries[seat]) == "unexpected-key"
        assert referee.table is match.table_at(seat)
        assert len(referee.entries) == seat


# --- encodings ---------------------------------------------------------------------------------


def mutants(body: bytes) -> dict[str, bytes]:
    """Return the body in a few of the encodings that tests/protocol/test_bodies.py tries."""
    fields = wire.read(body)
    table, *rest = fields
    return {
        "unknown field": wire.write([*fields, (99, wire.LENGTH, b"x")]),
        "duplicate table": wire.write([table, *fields]),
        "reordered": wire.write([rest[0], table, *rest[1:]]),
        "padded length": wire.field(*table, pad_value=1) + wire.write(rest),
        "no message": wire.write(fields[:-1]),
        "cut": body[:-1],
    }


MUTANTS = ("unknown field", "duplicate table", "reordered", "padded length", "no message", "cut")


@pytest.mark.parametrize("name", MUTANTS)
def test_signed_but_not_canonical_convicts_and_unsigned_does_not(name: str) -> None:
    """In every state except the first two, a signed mutant is class B, and the same bytes with the
    honest signature are class A. No mutant decodes to a different message."""
    match = one_hand()
    kinds = (m.CutCommit, m.DealKey, m.Pass, m.TakeUpcard, m.DrawStock, m.Share, m.Settle)
    for k in (match.find(kind) for kind in kinds):
        entry = RawEntry.split(match.entries[k])
        mutant = mutants(entry.unverified_body)[name]
        cheat = match.author(k)
        violation(match, k, cheat.sign_bytes(mutant), "not-canonical", by=cheat.seat)
        other = match.cheat(1 - cheat.seat)
        violation(match, k, other.sign_bytes(mutant), "not-canonical", by=other.seat)
        garbled(match, k, mutant + entry.signature, "bad-signature", by=cheat.seat)


@pytest.mark.parametrize("seat", [HOST, GUEST])
@pytest.mark.parametrize("name", MUTANTS)
def test_a_non_canonical_first_entry_of_a_player_blames_nobody(seat: int, name: str) -> None:
    """Until the offer or acceptance is read, its author isn't known, so nobody is to blame."""
    match = one_hand()
    body = RawEntry.split(match.entries[seat]).unverified_body
    raw = match.cheat(seat).sign_bytes(mutants(body)[name])
    garbled(match, seat, raw, "not-canonical", by=seat)


@pytest.mark.parametrize(
    ("kind", "field", "lie"),
    [
        (m.CutCommit, "commitment", bytes(31)),
        (m.CutValue, "value", bytes(33)),
        (m.DealKey, "commitment", b""),
        (m.Discard, "card", 52),
        (m.Discard, "position", 52),
        (m.Knock, "cards", (52,) * 11),
        (m.Knock, "discard", 52),
        (m.Knock, "melds", ((2, 1, 0),)),
        (m.Knock, "melds", ((0, 0, 1),)),
        (m.Spread, "cards", (255,) * 10),
        (m.Settle, "host_total", -(2**31)),
        (m.Settle, "winner", 3),
        (m.Disclose, "seeds", (bytes(31),)),
    ],
)
def test_an_impossible_field_is_malformed(kind: type[m.Message], field: str, lie: object) -> None:
    """The entry is canonical and signed, but the field can't have such a value. No library error
    escapes."""
    match = one_hand()
    k = match.find(kind)
    cheat, table = match.author(k), match.table_at(k)
    honest = match.steps[k].message
    bad = object.__new__(kind)  # skip the constructor's checks, as a modified client does
    for name in honest.__dataclass_fields__:
        object.__setattr__(bad, name, lie if name == field else getattr(honest, name))
    violation(match, k, cheat.sign(table, bad), "malformed", by=cheat.seat)


# --- nobody can be framed --------------------------------------------------------------------


def branches(match: RecordedMatch, liar: int) -> Iterator[Referee]:
    """Yield the histories that one player can make alone: the true one up to one of the player's
    entries, a different entry instead, and the player's own entries that may follow it."""
    for k, step in enumerate(match.steps):
        if step.author != liar:
            continue
        for other in _other_entries(match, k):
            referee = match.referee_at(k)
            referee.admit(other)
            yield referee
            while referee.table.owed_by == liar and referee.table.awaiting is Awaiting.SETTLE:
                score = final_score(referee.table)
                referee.admit(match.cheat(liar).sign(referee.table, score))
                yield referee


def _other_entries(match: RecordedMatch, k: int) -> Iterator[bytes]:
    """Yield other entries that the author of entry k could legally have signed instead."""
    cheat, table, message = match.author(k), match.table_at(k), match.steps[k].message
    match message:
        case m.Offer() | m.Accept():
            same_table = match.table_at(1).table_id
            yield cheat.sign(table, replace(message, nonce=b"\7" * 32), table=same_table)
        case m.CutCommit():
            yield cheat.sign(table, m.CutCommit(b"\7" * 32))
        case m.CutValue():
            yield cheat.sign(table, m.CutValue(b"\7" * 32))
        case m.Pass():
            yield cheat.sign(table, m.TakeUpcard())
        case m.TakeUpcard() if table.awaiting is Awaiting.DRAW:
            yield cheat.sign(table, m.DrawStock())
        case m.DrawStock() if table.hand.phase.name == "DRAW":
            yield cheat.sign(table, m.TakeUpcard())
    if m.Resign in ALLOWED[table.awaiting]:
        yield cheat.sign(table, m.Resign())


@pytest.mark.parametrize("liar", [HOST, GUEST])
def test_no_invented_history_convicts_an_honest_player(liar: int) -> None:
    """The liar forks the chain at each of its entries and appends every entry that the honest
    player ever signed. None of them convicts the honest player."""
    match = one_hand()
    honest = [match.entries[s.sequence] for s in match.steps if s.author != liar]
    count = 0
    for referee in branches(match, liar):
        for raw in honest:
            with pytest.raises(MalformedEntry):
                referee.admit(raw)
            count += 1
    assert count > 100


def test_a_guest_that_accepts_a_table_offered_twice_is_not_convicted() -> None:
    """The guest has lost the first log. Its two acceptances belong to different histories."""
    match = one_hand()
    offer = match.steps[0].message
    assert isinstance(offer, m.Offer)
    table_id = match.table_at(1).table_id
    second = match.cheat(HOST).sign(
        match.table_at(0), replace(offer, nonce=b"\7" * 32), table=table_id
    )
    elsewhere = replace(match.table_at(1), head=entry_hash(second))
    again = match.cheat(GUEST).sign(elsewhere, match.steps[1].message, table=table_id)
    for k in states(match)[2:]:
        assert code_of(MalformedEntry, match.referee_at(k).admit, again) == "wrong-previous"


def test_the_same_offer_accepted_twice_convicts_nobody() -> None:
    """The second acceptance has a different nonce and name, as the guest had lost the first log."""
    match = one_hand()
    accept = match.steps[1].message
    again = replace(accept, nonce=b"\7" * 32, name="Benjamin")
    raw = match.cheat(GUEST).sign(match.table_at(1), again)
    for k in states(match)[2:]:
        referee = match.referee_at(k)
        _refused(referee, raw, MalformedEntry, "duplicate")
    # The host can't sign an acceptance: the same message from the host is out of turn.
    raw = match.cheat(HOST).sign(match.table_at(1), again)
    violation(match, 5, raw, "out-of-turn", by=HOST)


def test_a_second_acceptance_convicts_in_any_place_but_its_own() -> None:
    match = one_hand()
    accept = match.steps[1].message
    for kind, code in ((m.CutValue, "fork"), (m.CutCommit, "out-of-turn")):
        k = match.find(kind)
        raw = match.cheat(GUEST).sign(match.table_at(k), accept)
        assert violation(match, match.find(m.DealKey), raw, code, by=GUEST).entry == k


# --- resigning -------------------------------------------------------------------------------


def owed_to_the_end(match: RecordedMatch, referee: Referee) -> None:
    """Sign everything that either player owes after a resignation."""
    while (seat := referee.table.owed_by) is not None:
        table = referee.table
        if table.awaiting is Awaiting.SETTLE:
            message: m.Message = final_score(table)
        else:
            assert table.awaiting is Awaiting.DISCLOSE
            seeds = match.seeds[seat]
            message = m.Disclose(tuple(seeds[number] for number in table.undisclosed(seat)))
        referee.admit(match.cheat(seat).sign(table, message))


@pytest.mark.parametrize("disclosure", m.Disclosure)
def test_the_player_who_owes_an_entry_may_resign_and_both_settle(disclosure: m.Disclosure) -> None:
    match = record("m3", disclosure=disclosure)
    last_of_each_kind = {match.table_at(k).awaiting: k for k in states(match)}
    may_resign = [k for kind, k in last_of_each_kind.items() if m.Resign in ALLOWED[kind]]
    assert len(may_resign) >= len(DEAL_AND_PLAY) - 4  # no spread; a short hand has no draw or pass
    for k in may_resign:
        table = match.table_at(k)
        referee = match.referee_at(k)
        referee.admit(match.cheat(table.owed_by).sign(table, m.Resign()))
        owed_to_the_end(match, referee)
        assert referee.table.finished
        assert referee.table.match.winner == 1 - table.owed_by
        for seat in (HOST, GUEST):
            told = {seed.hand for seed in referee.table.seeds if seed.seat == seat}
            committed = {r.number for r in table.records if r.players[seat] is not None}
            assert told == (set() if disclosure is m.Disclosure.NEVER else committed)
