"""The keys that a home knows: its own, and those of players who were met."""

import os

import pytest

from ginpeer.names import KnownNames, PeerNames
from ginpeer.store import Home, StoreError, identity_file
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.peers import KnownPeers
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry, encode_body
from tests.cheating.cheat import one_hand
from tests.cheating.lies import unchecked
from tests.refusals import code_of

OURS, FRIENDS, STRANGERS = (IdentityKey(bytes([at]) * 32) for at in (1, 2, 3))
NOW = 1_700_000_000


def known(home):
    return home.known_names(lambda: NOW)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(identity_file, "COST", 14)  # cheap, as nobody attacks this key
    tmp_path.joinpath("home").mkdir()
    return Home(tmp_path / "home")


def test_a_missing_home_knows_nobody_and_is_not_created(tmp_path):
    nowhere = Home(tmp_path / "nowhere")
    assert known(nowhere) == KnownNames(None, {})
    assert not nowhere.path.exists()


def test_a_home_knows_its_own_key_and_those_that_it_has_met(home):
    home.identity_file.create(OURS, None, bytes)
    home.known_peers(lambda: NOW).remember(FRIENDS.public, "192.0.2.1:4466", "Ben")
    found = known(home)
    assert found == KnownNames(OURS.public, {FRIENDS.public: PeerNames("Ben", since=NOW)})
    keys = [key.public for key in (OURS, FRIENDS, STRANGERS)]
    assert [found.relation(key) for key in keys] == ["own", "met", None]


def store(home, name, data, role="host", notes=True):
    """Store a log of the one-hand match in the home's matches, under this name."""
    match = one_hand()
    home.matches.mkdir(exist_ok=True)
    path = home.matches / f"{name}.ginlog"
    path.write_bytes(data)
    if notes:
        table = RawEntry.split(match.entries[0]).decode().table
        peer = match.identities[role == "host"].public
        noted = MatchNotes(table, role, "Ben", peer, (), NOW)
        path.with_suffix(".match").write_bytes(noted.encode())
    return path


@pytest.mark.parametrize(("role", "seat"), [("host", 0), ("guest", 1)])
def test_a_sealed_key_is_known_from_our_own_matches(home, role, seat):
    match = one_hand()
    store(home, "a" * 16, log_bytes(match.entries), role)
    home.identity_file.create(match.identities[seat], "correct horse battery", bytes)
    assert known(home).own == match.identities[seat].public


def signed(body):
    return log_bytes([body + bytes(64)])


OFFER = RawEntry.split(one_hand().entries[0]).decode()
NO_HELP = {
    "no log": b"dear diary",
    "no entry": log_bytes([b"x"]),
    "not canonical": signed(b"\0"),
    "malformed": signed(encode_body(unchecked(OFFER, message=unchecked(OFFER.message, key=b"k")))),
}


@pytest.mark.parametrize("latest", NO_HELP.values(), ids=NO_HELP.keys())
def test_an_unreadable_match_is_ignored(home, latest):
    match = one_hand()
    os.utime(store(home, "a" * 16, log_bytes(match.entries)), (1, 1))
    store(home, "b" * 16, latest)
    home.identity_file.create(match.identities[0], "correct horse battery", bytes)
    assert known(home).own == match.identities[0].public


def test_a_match_without_notes_does_not_say_which_side_was_ours(home):
    store(home, "a" * 16, log_bytes(one_hand().entries), notes=False)
    home.identity_file.create(OURS, "correct horse battery", bytes)
    assert known(home).own is None


def test_an_unreadable_identity_is_reported(home):
    home.identity_file.path.write_text("no key")
    assert code_of(StoreError, known, home) == "bad-identity-file"


def test_unreadable_friends_are_reported_and_not_taken_for_strangers(home):
    (home.path / "known_peers.json").write_text("{")
    assert code_of(StoreError, known, home) == "bad-known-peers"


def test_the_friends_are_read_again_only_once_they_have_changed(home, monkeypatch):
    """They are looked up for every stranger's greeting, and a club may have met 2,000 players."""
    here, other = (home.known_peers(lambda: NOW) for _ in range(2))
    other.remember(FRIENDS.public, "192.0.2.1:4466", "Ben")
    assert here.name_of(FRIENDS.public) == "Ben"
    with monkeypatch.context() as patch:
        patch.setattr(KnownPeers, "_read", None)
        assert here.name_of(STRANGERS.public) is None
    other.rename(FRIENDS.public, "Benny")
    assert here.name_of(FRIENDS.public) == "Benny"
    other.forget(FRIENDS.public)
    assert here.all() == ()
