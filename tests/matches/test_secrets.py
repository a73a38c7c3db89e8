"""Secrets don't leak into frames, errors or reprs, or into entries before their time."""

import base64
import gc
import traceback

import pytest
from twisted.internet import reactor

from ginpeer.net import connection
from ginpeer.net.codes import parse_invite
from ginpeer.net.connector import connect
from ginpeer.net.tls import Secured
from ginpeer.referee.referee import Admitted
from ginpeer.seat.seat import PersistSeed, Seat
from ginpeer.store.identity_file import SealedKey
from protocol.crypto import dleq, hashing, shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.identity import IdentityKey
from protocol.deck import prover
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import card_points
from protocol.entry import RawEntry
from protocol.messages import CutReveal, CutValue, Disclose, Disclosure
from tests.matches.recorded import recorded
from tests.matches.secrets import found, of_hand, scalar, spellings
from tests.matches.table_pair import TablePair
from tests.net.support import SECRET, open_house
from tests.net.test_match import card_parties

SEED = bytes(range(7, 39))


def hands_of(match):
    """Return the secrets of all hands of a recorded match, the match seeds, and the identities."""
    secrets = {}
    for seat in (0, 1):
        secrets[f"identity {seat}"] = match.identities[seat].secret_seed
        for hand, seed in match.seeds[seat].items():
            secrets |= of_hand(seed, f"seat {seat}, hand {hand}")
    return secrets


OF_THE_MATCH = ("seat 0, hand 0: seed", "seat 1, hand 0: seed")
"""The match seed is stored with the hand seeds, and never shown."""


def test_the_search_finds_what_is_there():
    """Find each spelling, even inside something longer; otherwise the tests below would prove
    nothing."""
    for text in (SEED, SEED.hex(), repr(SEED), repr({"seed": SEED}), f"{list(SEED)}"):
        data = text if isinstance(text, bytes) else text.encode()
        assert found({"it": SEED}, b"before" + data + b"behind") == {"it"}
    number = int.from_bytes(SEED, "little")
    assert found({"it": SEED}, f"key={number}".encode()) == {"it"}
    for length in range(12):
        for encode in (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode):
            assert found({"it": SEED}, encode(b"x" * length + SEED + b"tail")) == {"it"}
    grouped = base64.b32encode(SEED).lower().decode()
    assert found({"it": SEED}, "-".join(grouped[i : i + 6] for i in range(0, 52, 6)).encode())
    assert found({"it": SEED}, bytes(1000)) == set()
    assert len(set(spellings(SEED))) > 20


# The log


@pytest.mark.parametrize("disclosure", [Disclosure.AFTER_MATCH, Disclosure.NEVER])
def test_no_entry_holds_a_secret_before_its_time(disclosure):
    match = recorded(disclosure=disclosure)
    seeds, secrets = {}, hands_of(match)
    for name in [name for name in secrets if name.endswith("seed")]:
        seeds[name] = secrets.pop(name)
    secrets |= {name: seeds.pop(name) for name in OF_THE_MATCH}
    halves = {}
    for at, entry in enumerate(match.entries):
        message = RawEntry.split(entry).decode().message
        if isinstance(message, CutValue | CutReveal):
            halves[f"half {at}"] = message.value
    disclosed, cut = set(), set()
    for entry in match.entries:
        assert found(secrets, entry) == set()
        seen, half = found(seeds, entry), found(halves, entry)
        message = RawEntry.split(entry).decode().message
        if isinstance(message, Disclose):
            disclosed |= seen
        else:
            assert seen == set()
        if isinstance(message, CutValue | CutReveal):
            cut |= half
        else:
            assert half == set()
    assert cut == set(halves) != set()
    assert disclosed == (set() if disclosure is Disclosure.NEVER else set(seeds))


# The wire


async def test_no_frame_holds_a_secret_before_its_time(closing, monkeypatch):
    """Check every frame that either side sends, before TLS, in a match over TCP: none contains an
    identity key, a secret of the invite or the connection, a nonce of a proof, or anything from a
    seed."""
    frames, nonces, exporters = [], [], []
    enclose = connection.enclose

    def recording(body):
        frames.append(body)
        return enclose(body)

    monkeypatch.setattr(connection, "enclose", recording)
    drawn = hashing.Nonces.scalars

    def scalars(self, count):
        some = drawn(self, count)
        nonces.extend(some)
        return some

    monkeypatch.setattr(hashing.Nonces, "scalars", scalars)
    first = connection.secured

    def secured(tls):
        done = first(tls)
        exporters.append(done.exporter)
        return done

    monkeypatch.setattr(connection, "secured", secured)

    host, guest = card_parties()
    listening = open_house(closing, host)
    session = await connect(reactor, listening.invite, guest.side)
    assert (await session.done).code == "finished"
    await host.session.done

    assert len(nonces) > 100
    secrets = {
        "invite": SECRET,
        "host": host.identity.secret_seed,
        "guest": guest.identity.secret_seed,
        **{f"connection {at}": exporter for at, exporter in enumerate(exporters)},
    }
    assert exporters
    for party in (host, guest):
        for _, hand, seed in party.journal.seeds:
            secrets |= of_hand(seed, f"{party.seat_number}, hand {hand}")
    told = [name for name in secrets if name.endswith("seed") and "hand 0" not in name]
    seeds = {name: secrets.pop(name) for name in told}
    assert len(seeds) >= 2
    spelled = {scalar(nonce) for nonce in nonces}
    disclosing = []
    for frame in frames:
        assert found(secrets, frame) == set()
        assert not any(nonce in frame for nonce in spelled)
        if seen := found(seeds, frame):
            disclosing.append(seen)
    assert sorted(map(len, disclosing)) == [len(seeds) // 2] * 2  # only the two disclosures
    assert all(one in frames[-8:] for one in frames if found(seeds, one))


# Reprs and errors


def ours(value):
    return type(value).__module__.partition(".")[0] in ("ginpeer", "protocol", "cli")


def reachable(root):
    """Yield every object of ours that this one refers to."""
    seen, waiting = {}, [root]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, type) or type(value).__name__ == "module":
            continue
        seen[id(value)] = value
        if ours(value) or isinstance(value, dict | list | tuple | set | frozenset):
            waiting.extend(gc.get_referents(value))
        elif callable(value) and getattr(value, "__closure__", None):
            waiting.extend(cell.cell_contents for cell in value.__closure__)
    return [value for value in seen.values() if ours(value)]


def test_no_repr_of_an_object_shows_a_secret():
    """Check everything that a seat refers to in the middle of a hand, and every event that it has
    shown."""
    pair = TablePair("repr")
    for _ in zip(range(4), pair.turns(), strict=False):
        pass
    secrets = {"identity": pair.identities[0].secret_seed}
    for performer in pair.performers:
        secrets |= of_hand(performer.seeds[1], str(performer.seat))
    objects = reachable([(performer.seat, performer.shown) for performer in pair.performers])
    kinds = {type(value) for value in objects}
    assert {IdentityKey, Seat, Admitted} <= kinds
    leaking = {type(v).__name__ for v in objects if found(secrets, f"{v!r} {v!s}".encode())}
    assert leaking == set()


def test_the_repr_of_witnesses_seeds_and_connections_hides_their_secrets():
    secrets = HandSecrets(SEED)
    deck = tuple(Ciphertext(point, point) for point in card_points()[:3])
    witness = secrets.riffle(deck)
    for blinding in witness.blindings:
        assert not found({"it": scalar(blinding)}, repr(witness).encode())
    assert str(witness.permutation) not in repr(witness)
    turned = prover.Riffle(deck, (2, 0, 1), b"", b"")
    assert "(2, 0, 1)" not in repr(turned)
    for value in (
        secrets,
        IdentityKey(SEED),
        PersistSeed(b"t" * 32, 1, SEED),
        Secured(b"k" * 32, SEED),
        SealedKey.seal(IdentityKey(SEED), "a passphrase", lambda n: b"s" * n, 14),
        hashing.Nonces(SEED, hashing.Transcript("test")),
    ):
        everything = {**of_hand(SEED), "passphrase": b"a passphrase"}
        assert found(everything, f"{value!r} {value!s}".encode()) == set(), value


@pytest.mark.parametrize(
    ("module", "name"),
    [(dleq, "prove"), (shuffle, "prove"), (HandSecrets, "deal_shuffle"), (IdentityKey, "sign")],
)
def test_a_traceback_from_secret_computations_shows_no_secret(monkeypatch, module, name):
    """Check the whole traceback as GINPEER_DEBUG prints it, including the errors that caused it."""

    def broken(*arguments, **named):
        raise ZeroDivisionError("no such thing")

    monkeypatch.setattr(module, name, broken)
    kept = {}
    try:
        pair = TablePair("an error")
        kept = {"host": pair.host, "guest": pair.guest}
        pair.play()
    except ZeroDivisionError as error:
        text = "".join(traceback.format_exception(error)).encode()
    else:
        pytest.fail("nothing went wrong")
    secrets = {}
    for who, performer in kept.items():
        for seed in performer.seeds.values():
            secrets |= of_hand(seed, who)
    assert found(secrets, text) == set()


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_secret_of_a_wrong_length_is_not_quoted(length):
    wrong = (SEED + SEED)[:length]
    for make in (IdentityKey, HandSecrets):
        with pytest.raises(ValueError, match="32 bytes") as failed:
            make(wrong)
        shown = "".join(traceback.format_exception(failed.value)).encode()
        assert not length or not found({"it": wrong}, shown)


def test_a_damaged_invite_is_not_quoted(closing):
    host, _ = card_parties()
    text = str(open_house(closing, host).invite)
    with pytest.raises(ValueError, match="invite") as failed:
        parse_invite(text[:-1] + ("a" if text[-1] != "a" else "b"))
    shown = "".join(traceback.format_exception(failed.value)).encode()
    assert found({"secret": SECRET}, shown) == set()
