"""A short part of tests/campaign/inputs.py, regressions it found, and a check that it would notice
faults."""

import json
import random

import pytest

from ginpeer.net.address import AddressError, parse_address
from ginpeer.net.codes import SECRET_BYTES, InviteError, parse_invite
from ginpeer.store import StoreError
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.peers import KnownPeers
from tests.campaign.inputs import chunk
from tests.cheating.cheat import ONE_HAND, record
from tests.fuzz import inputs
from tests.fuzz.inputs import NOTES, PEERS, TARGETS, outcome
from tests.fuzz.odd import Odd
from tests.fuzz.texts import any_text
from tests.refusals import code_of


@pytest.fixture(autouse=True, scope="module")
def _few_views():
    patched = pytest.MonkeyPatch()
    patched.setattr(inputs, "matches", lambda: [record("m1", ONE_HAND)])
    inputs.views.cache_clear()
    yield
    inputs.views.cache_clear()
    patched.undo()


@pytest.mark.parametrize("name", TARGETS)
def test_user_input_is_read_or_refused(name):
    met = chunk(name, 1, "suite", 300)
    assert len(met) > 1
    read = sum(met[word] for word in ("read", "torn", "enter"))
    assert 0 < read < 300


def test_an_address_with_a_network_card_is_quoted_without_escape_sequences():
    """The opponent chooses the name of the network interface in an invite."""
    for give in (
        lambda: parse_address("[fe80::1%\x1b[2J]:4466"),
        lambda: parse_invite(inputs._code(bytes(16 + SECRET_BYTES) + b"\0\x0cfe80::1%\x1b[2J")),
    ):
        with pytest.raises((AddressError, InviteError)) as caught:
            give()
        assert "network card" in caught.value.sentence
        assert caught.value.sentence.isprintable()
    with pytest.raises(AddressError) as caught:
        parse_address("fe80::1%" + "9" * 5_000)
    assert len(caught.value.sentence) < 200


@pytest.mark.parametrize("field", ["table", "peer"])
@pytest.mark.parametrize("value", ["", "ab" * 31, "ab" * 31 + "  ", "ab" * 33])
def test_notes_with_an_incomplete_table_or_key_are_refused(field, value):
    assert MatchNotes.decode(json.dumps(NOTES).encode()).name == "Ada"
    with pytest.raises(ValueError, match="bytes"):
        MatchNotes.decode(json.dumps({**NOTES, field: value}).encode())


@pytest.mark.parametrize("key", ["", "ab" * 31 + "  ", "ab" * 33, "x" * 64])
def test_known_peers_with_incomplete_keys_are_refused(key, tmp_path):
    path = tmp_path / "known_peers.json"
    peer = PEERS["peers"]["11" * 32]
    path.write_text(json.dumps({"version": 1, "peers": {key: peer}}))
    assert code_of(StoreError, lambda: KnownPeers(path, lambda: 0).all()) == "bad-known-peers"


WRONG = {
    "invites": ("parse_invite", lambda text: text.missing),
    "rules": ("parse_ruleset", lambda text: int("x")),
    "addresses": ("parse_address", lambda *_: _refuse("\x1b[2J")),
    "names": ("clean_name", lambda text: text + "\ud800"),
    "table lines": ("parse_command", lambda text: [][0]),
    "known_peers.json": ("KnownPeers", lambda *_: {}["x"]),
}


def _refuse(sentence):
    raise AddressError(sentence)


@pytest.mark.parametrize("name", WRONG)
def test_a_faulty_reader_is_noticed(name, monkeypatch, tmp_path):
    monkeypatch.setattr(inputs, *WRONG[name])
    with pytest.raises(Odd):
        outcome(name, random.Random(1), tmp_path)


def test_the_random_texts_are_long_and_include_surrogates():
    rng = random.Random(1)
    texts = [any_text(rng) for _ in range(600)]
    assert any("\ud800" <= c <= "\udfff" for text in texts for c in text)
    assert max(map(len, texts)) > 1_000
