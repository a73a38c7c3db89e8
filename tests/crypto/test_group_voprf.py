"""RFC 9497, ristretto255-SHA512: the verifiable mode's proofs, byte for byte.

This implements the RFC's protocol with our group, our hashing and our DLEQ algebra (`dleq.respond`
and `dleq.recompute`). Its proofs are the Chaum-Pedersen proofs that the deck uses, but with
different challenges.
"""

import hashlib

import pytest

from protocol.crypto import dleq, group
from protocol.crypto.group import (
    Element,
    decode_scalar,
    encode_scalar,
    multi_multiply,
)
from protocol.crypto.hashing import expand_message, hash_to_group
from tests.crypto.vectors import vectors

OPRF, VOPRF = vectors("rfc9497-ristretto255-sha512.json")["suites"]


pytestmark = pytest.mark.usefixtures("backend")  # run all tests on both back-ends


# RFC 9497 sections 2 to 4, with the names used there.


def context_string(suite):
    return b"OPRFV1-" + bytes([suite["mode"]]) + b"-" + suite["identifier"].encode()


def hash_to_scalar(message, dst):
    """Return the scalar of section 4.1, which nothing in our protocol uses."""
    return int.from_bytes(expand_message(message, dst), "little") % group.ORDER


def framed(data):
    return len(data).to_bytes(2, "big") + data


def derive_key(suite):
    """Derive a key pair (section 3.2.1, DeriveKeyPair)."""
    info = bytes.fromhex(suite["keyInfo"])
    derive_input = bytes.fromhex(suite["seed"]) + framed(info)
    for counter in range(256):
        key = hash_to_scalar(
            derive_input + bytes([counter]), b"DeriveKeyPair" + context_string(suite)
        )
        if key:
            return key
    raise AssertionError


def composites(suite, key, cs, ds):
    """Compute the composites (section 2.2.1, ComputeComposites)."""
    seed_dst = b"Seed-" + context_string(suite)
    seed = hashlib.sha512(framed(key.encoded) + framed(seed_dst)).digest()
    weights = [
        hash_to_scalar(
            framed(seed)
            + i.to_bytes(2, "big")
            + framed(c.encoded)
            + framed(d.encoded)
            + b"Composite",
            b"HashToScalar-" + context_string(suite),
        )
        for i, (c, d) in enumerate(zip(cs, ds, strict=True))
    ]
    return multi_multiply(weights, cs), multi_multiply(weights, ds)


def challenge_function(suite, key, m, z):
    """Return the challenge as a function of t2 and t3 (sections 2.2.1 and 2.2.2)."""

    def challenge(t2, t3):
        parts = (key, m, z, t2, t3)
        return hash_to_scalar(
            b"".join(framed(part.encoded) for part in parts) + b"Challenge",
            b"HashToScalar-" + context_string(suite),
        )

    return challenge


def finalize(suite, message, blind, evaluated):
    """Compute the output (sections 3.3.1 and 3.3.2, Finalize)."""
    unblinded = pow(blind, -1, group.ORDER) * evaluated
    return hashlib.sha512(framed(message) + framed(unblinded.encoded) + b"Finalize").digest()


def decoded(text, decode):
    return [decode(bytes.fromhex(part)) for part in text.split(",")]


@pytest.mark.parametrize("suite", [OPRF, VOPRF], ids=["oprf", "voprf"])
def test_key_is_derived_as_in_the_rfc(suite):
    assert encode_scalar(derive_key(suite)).hex() == suite["skSm"]
    if "pkSm" in suite:
        assert group.base_multiple(derive_key(suite)).encoded.hex() == suite["pkSm"]


@pytest.mark.parametrize(
    ("suite", "vector"),
    [(suite, vector) for suite in (OPRF, VOPRF) for vector in suite["vectors"]],
    ids=lambda value: value["Input"][:8] if "Input" in value else value["mode"],
)
def test_blinding_and_evaluation_are_those_of_the_rfc(suite, vector):
    key = decode_scalar(bytes.fromhex(suite["skSm"]))
    inputs = [bytes.fromhex(part) for part in vector["Input"].split(",")]
    blinds = decoded(vector["Blind"], decode_scalar)
    blinded = decoded(vector["BlindedElement"], Element.decode)
    evaluated = decoded(vector["EvaluationElement"], Element.decode)
    outputs = [bytes.fromhex(part) for part in vector["Output"].split(",")]
    dst = b"HashToGroup-" + context_string(suite)
    assert [b * hash_to_group(i, dst) for b, i in zip(blinds, inputs, strict=True)] == blinded
    assert [key * b for b in blinded] == evaluated
    assert [
        finalize(suite, i, b, e) for i, b, e in zip(inputs, blinds, evaluated, strict=True)
    ] == outputs


@pytest.mark.parametrize("vector", VOPRF["vectors"], ids=lambda vector: vector["Input"])
def test_proof_bytes_of_the_rfc_are_reproduced_and_verify(vector):
    secret = decode_scalar(bytes.fromhex(VOPRF["skSm"]))
    key = Element.decode(bytes.fromhex(VOPRF["pkSm"]))
    cs = decoded(vector["BlindedElement"], Element.decode)
    ds = decoded(vector["EvaluationElement"], Element.decode)
    r = decode_scalar(bytes.fromhex(vector["Proof"]["r"]))
    m, z = composites(VOPRF, key, cs, ds)
    assert secret * m == z
    challenge = challenge_function(VOPRF, key, m, z)

    proof = dleq.respond(secret, m, r, challenge)
    assert proof.encoded.hex() == vector["Proof"]["proof"]

    received = dleq.Proof.decode(bytes.fromhex(vector["Proof"]["proof"]))
    assert dleq.recompute(key, m, z, received, challenge)
    for bit in range(0, 8 * len(proof.encoded), 37):
        flipped = bytearray(proof.encoded)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            wrong = dleq.Proof.decode(bytes(flipped))
        except group.BadEncoding:
            continue
        assert not dleq.recompute(key, m, z, wrong, challenge)
    assert not dleq.recompute(key, m, z + m, received, challenge)
