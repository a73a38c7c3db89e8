"""What is refused for its form is refused before anything dear is computed."""

import pytest

from ginpeer.referee.violations import Refused
from protocol.crypto import dleq, shuffle
from tests.fuzz.rejects import rejects


class ProofVerified(Exception):
    """What must not happen yet."""


@pytest.fixture(scope="module")
def corpus():
    return list(rejects())


def test_no_proof_is_verified_for_what_has_no_sound_form(corpus, monkeypatch):
    def verified(*_):
        raise ProofVerified

    monkeypatch.setattr(shuffle, "verify", verified)
    monkeypatch.setattr(dleq, "verify", verified)
    monkeypatch.setattr(dleq, "verify_possession", verified)
    monkeypatch.setattr("ginpeer.referee.transitions.audit", verified)
    names = set()
    for reject in corpus:
        with pytest.raises(Refused) as caught:
            reject.match.referee_at(reject.k).admit(reject.raw)
        assert caught.value.code != "bad-proof" or reject.name == "a place that is not there"
        names.add(reject.name)
    assert {"DealShuffle.proof spoilt", "Knock.opening spoilt", "full of seeds"} <= names
