"""The vectors in tests/vectors/protocol match on both back-ends of the group."""

import json

import pytest

from protocol.crypto import group
from protocol.crypto.shuffle import generators
from protocol.deck.state import card_points
from tests.protocol import golden
from tests.protocol.statements import judge


@pytest.fixture(params=["sodium", "pure"])
def fresh_backend(request):
    """Use this back-end, with empty caches, so that it computes all points itself."""
    before = group._backend.name
    group.select(request.param)
    for cached in (card_points, generators, golden.open_deck):
        cached.cache_clear()
    yield request.param
    group.select(before)


@pytest.mark.parametrize("name", golden.VECTORS)
def test_the_vectors_match_the_program(name, fresh_backend):
    assert json.loads(json.dumps(golden.VECTORS[name]())) == golden.read(name)


def test_every_statement_gets_its_verdict(fresh_backend):
    for statement in golden.read("proofs")["statements"]:
        assert judge(statement) == statement["expect"]


def test_the_statements_cover_every_kind_and_verdict():
    statements = golden.read("proofs")["statements"]
    assert {each["kind"] for each in statements} == {"shuffle", "dleq", "possession"}
    for kind in ("shuffle", "dleq", "possession"):
        verdicts = {each["expect"] for each in statements if each["kind"] == kind}
        assert verdicts == {"ok", "bad-proof", "bad-encoding", "bad-length"}
