"""An entry with a faulty form is refused before anything costly is computed."""

import pytest

from ginpeer.referee.transitions import RefusedEntry, Violation
from protocol.crypto import dleq, shuffle
from protocol.frames import MAX_FRAME
from tests.campaign import costs
from tests.fuzz.frames import CODES
from tests.fuzz.proofs import pairs
from tests.fuzz.rejects import rejects


class ProofVerified(Exception):
    """A proof was verified although the entry should have been refused before."""


pytestmark = pytest.mark.usefixtures("in_the_toy_group")


@pytest.fixture(scope="module")
def corpus(in_the_toy_group):
    return list(rejects())


def test_no_proof_is_verified_for_a_malformed_entry(corpus, monkeypatch):
    def verified(*_):
        raise ProofVerified

    monkeypatch.setattr(shuffle, "verify", verified)
    monkeypatch.setattr(dleq, "verify", verified)
    monkeypatch.setattr(dleq, "verify_possession", verified)
    monkeypatch.setattr("protocol.deck.audit.Disclosed.audit", verified)
    names = set()
    for reject in corpus:
        with pytest.raises(RefusedEntry) as caught:
            reject.match.referee_at(reject.k).admit(reject.raw)
        assert caught.value.code != "bad-proof" or reject.name == "a place that is not there"
        names.add(reject.name)
    assert {"DealShuffle.proof spoilt", "Knock.opening spoilt", "full of seeds"} <= names


def test_a_bad_proof_is_refused_as_such_whichever_part_is_changed():
    """Check the pairs whose entries tests/campaign/costs.py compares."""
    spoilt = {}
    for pair in pairs():
        spoilt.setdefault(pair.name, pair)
    for pair in spoilt.values():
        with pytest.raises(Violation) as caught:
            pair.match.referee_at(pair.k).admit(pair.bad)
        assert caught.value.code == "bad-proof"
    kinds = {name.split(".")[0] for name in spoilt}
    assert kinds == {
        *("DealKey", "DealDeck", "DealShuffle", "DealShares", "Share"),
        *("Discard", "Knock", "Spread", "Lay", "TakeDiscards"),
    }


@pytest.mark.parametrize("frame", costs.largest_frames().values(), ids=costs.largest_frames())
def test_the_largest_frames_are_refused_or_read(frame):
    code = costs.through_the_door(frame)
    assert code in {*CODES, ""}
    assert len(frame) > MAX_FRAME - 40
