"""Equal logarithms and possession: any change makes the proof fail."""

from dataclasses import replace

import pytest

from protocol.codes import BadLength, BadProof
from protocol.crypto import dleq
from protocol.crypto.group import IDENTITY, ORDER, BadEncoding, base_multiple
from protocol.crypto.hashing import hash_to_group
from tests.crypto.encodings import NO_SCALARS, replaced, second_encoding, slots
from tests.crypto.shuffled import CONTEXT, OTHER_CONTEXTS, Recording

SECRET = 2**200 + 12345
KEY = base_multiple(SECRET)
OTHER = hash_to_group(b"other", b"test")
PURPOSE = "share"


def bases(count):
    return [hash_to_group(bytes([i]), b"test") for i in range(count)]


def images(count):
    return [SECRET * base for base in bases(count)]


def proof_for(count):
    return dleq.prove(CONTEXT.transcript(PURPOSE), SECRET, KEY, bases(count), images(count))


PROOFS = {count: proof_for(count) for count in (1, 2, 11)}


def refused(count, *, context=CONTEXT, purpose=PURPOSE, **changed):
    """Verify the proof for this many pairs with one input changed. It must not be valid."""
    statement = {
        "key": KEY,
        "bases": bases(count),
        "images": images(count),
        "proof": PROOFS[count],
        **changed,
    }
    with pytest.raises(BadProof):
        dleq.verify(context.transcript(purpose), **statement)


@pytest.mark.parametrize("count", [1, 2, 5, 11])
def test_an_honest_proof_is_accepted(count, backend):
    proof = proof_for(count)
    assert len(proof.encoded) == dleq.PROOF_BYTES
    read = dleq.Proof.decode(proof.encoded)
    dleq.verify(CONTEXT.transcript(PURPOSE), KEY, bases(count), images(count), read)


@pytest.mark.parametrize("count", PROOFS)
def test_every_part_of_the_proof_and_of_the_statement_counts(count):
    proof = PROOFS[count]
    refused(count, proof=replace(proof, challenge=(proof.challenge + 1) % ORDER))
    refused(count, proof=replace(proof, response=(proof.response + 1) % ORDER))
    refused(count, proof=PROOFS[2 if count == 1 else 1])
    for key in (OTHER, -1 * KEY, IDENTITY):
        refused(count, key=key)
    for name, honest in (("bases", bases(count)), ("images", images(count))):
        for place, element in enumerate(honest):
            for other in (OTHER, IDENTITY, -1 * element):
                refused(count, **{name: [*honest[:place], other, *honest[place + 1 :]]})
    for context in OTHER_CONTEXTS.values():
        refused(count, context=context)
    refused(count, purpose="opening")


def test_order_and_number_of_the_pairs_are_part_of_the_statement():
    refused(2, bases=bases(2)[::-1], images=images(2)[::-1])
    refused(11, bases=bases(10), images=images(10))
    refused(1, bases=bases(1) * 2, images=images(1) * 2)


def test_errors_that_cancel_in_the_plain_sum_are_detected():
    # Without weights, an amount subtracted from one image and added to the next would go unnoticed.
    wrong = images(11)
    wrong[3], wrong[4] = wrong[3] + OTHER, wrong[4] - OTHER
    cheat = dleq.prove(CONTEXT.transcript(PURPOSE), SECRET, KEY, bases(11), wrong)
    refused(11, images=wrong, proof=cheat)


@pytest.mark.parametrize("count", [1, 2])
def test_everything_is_hashed_before_the_challenge_that_depends_on_it(count):
    # PROTOCOL 5.4, in order. A cheat could solve for whatever isn't hashed before the challenge.
    transcript, proof = Recording("t"), PROOFS[count]
    with pytest.raises(BadProof):
        dleq.verify(transcript, KEY, bases(count), images(count), proof)
    assert transcript.said[:3] == [
        ("key", KEY.encoded),
        ("bases", b"".join(base.encoded for base in bases(count))),
        ("images", b"".join(image.encoded for image in images(count))),
    ]
    weights = [("challenge", b"weight")] * (count if count > 1 else 0)
    assert transcript.said[3:-2] == weights
    assert transcript.said[-2][0] == "commitments"
    assert transcript.said[-1] == ("challenge", b"dleq")


def test_a_prover_with_another_secret_fails():
    cheat = dleq.prove(CONTEXT.transcript(PURPOSE), SECRET + 1, KEY, bases(2), images(2))
    refused(2, proof=cheat)


@pytest.mark.parametrize(("given_bases", "given_images"), [([], []), (bases(1), images(2))])
def test_a_statement_without_matching_pairs_is_a_value_error(given_bases, given_images):
    with pytest.raises(ValueError, match="DLEQ statement"):
        dleq.verify(CONTEXT.transcript(PURPOSE), KEY, given_bases, given_images, PROOFS[1])


@pytest.mark.parametrize("slot", [0, 1])
def test_a_scalar_has_one_encoding(slot):
    data = PROOFS[1].encoded
    for bad in (*NO_SCALARS.values(), second_encoding(slots(data)[slot])):
        with pytest.raises(BadEncoding):
            dleq.Proof.decode(replaced(data, slot, bad))


@pytest.mark.parametrize("length", [0, 63, 65])
def test_a_proof_has_64_bytes(length):
    with pytest.raises(BadLength) as caught:
        dleq.Proof.decode(bytes(length))
    assert caught.value.code == "bad-length"


# Possession.


def possession(context=CONTEXT):
    return dleq.prove_possession(context.transcript("possession"), SECRET, KEY)


def not_possessed(key=KEY, proof=None, context=CONTEXT, purpose="possession"):
    with pytest.raises(BadProof) as caught:
        dleq.verify_possession(context.transcript(purpose), key, proof or possession())
    assert caught.value.code == "bad-proof"


def test_an_honest_proof_of_possession_is_accepted(backend):
    proof = dleq.Proof.decode(possession().encoded)
    dleq.verify_possession(CONTEXT.transcript("possession"), KEY, proof)


def test_every_part_of_a_possession_counts():
    honest = possession()
    not_possessed(proof=replace(honest, challenge=(honest.challenge + 1) % ORDER))
    not_possessed(proof=replace(honest, response=(honest.response + 1) % ORDER))
    not_possessed(proof=PROOFS[1])
    for key in (OTHER, -1 * KEY, IDENTITY):
        not_possessed(key=key)
    for context in OTHER_CONTEXTS.values():
        not_possessed(context=context)


def test_possession_hashes_key_and_commitment():
    # PROTOCOL 5.6.
    transcript = Recording("t")
    with pytest.raises(BadProof):
        dleq.verify_possession(transcript, KEY, possession())
    assert [label for label, _ in transcript.said] == ["key", "commitment", "challenge"]
    assert transcript.said[0] == ("key", KEY.encoded)


# What proofs reveal: nothing, whatever the random source.


def proofs_of_many_statements():
    """Return proofs made with the same secret, but about different pairs, in different places and
    for different purposes."""
    made = [proof_for(count) for count in (1, 2, 11)]
    for context in OTHER_CONTEXTS.values():
        made.append(dleq.prove(context.transcript(PURPOSE), SECRET, KEY, bases(1), images(1)))
        made.append(possession(context))
    made.append(dleq.prove(CONTEXT.transcript("opening"), SECRET, KEY, bases(1), images(1)))
    return made


def nonce(proof):
    """Return the nonce of a proof, which anybody who knows the secret can compute."""
    return (proof.response + proof.challenge * SECRET) % ORDER


def test_no_nonce_is_repeated_between_statements():
    made = proofs_of_many_statements()
    pieces = [piece for proof in made for piece in slots(proof.encoded)]
    assert len(set(pieces)) == len(pieces)
    assert len({nonce(proof) for proof in made}) == len(made)


def test_the_same_statement_is_proven_by_the_same_bytes():
    assert proofs_of_many_statements() == proofs_of_many_statements()
