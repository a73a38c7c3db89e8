"""Equal logarithms and possession: any change makes the proof fail."""

from dataclasses import replace

import pytest

from protocol.crypto import dleq
from protocol.crypto.errors import BadLength, BadProof
from protocol.crypto.group import BASE, IDENTITY, ORDER, BadEncoding, base_multiple
from protocol.crypto.hashing import hash_to_group
from tests.crypto.encodings import NO_SCALARS, replaced, second_encoding, slots
from tests.crypto.recording import Recording
from tests.crypto.shuffled import CONTEXT, OTHER_CONTEXTS

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
    """Verify the proof for this many pairs, with one input changed; it must not be valid."""
    statement = {
        "key": KEY,
        "bases": bases(count),
        "images": images(count),
        "proof": PROOFS[count],
        **changed,
    }
    with pytest.raises(BadProof) as caught:
        dleq.verify(context.transcript(purpose), **statement)
    return caught.value.code == "bad-proof"


@pytest.mark.parametrize("count", [1, 2, 5, 11])
def test_an_honest_proof_is_accepted(count, backend):
    proof = proof_for(count)
    assert len(proof.encoded) == dleq.PROOF_BYTES
    read = dleq.Proof.decode(proof.encoded)
    dleq.verify(CONTEXT.transcript(PURPOSE), KEY, bases(count), images(count), read)


CHANGED_SCALARS = {
    "zero": lambda s: 0,
    "one-more": lambda s: (s + 1) % ORDER,
    "negated": lambda s: -s % ORDER,
    "random": lambda s: 2**111 + 1,
}


def test_every_field_of_the_proof_matters():
    for count, proof in PROOFS.items():
        for field in ("challenge", "response"):
            for change in CHANGED_SCALARS.values():
                other = change(getattr(proof, field))
                assert refused(count, proof=replace(proof, **{field: other}))


@pytest.mark.parametrize("count", PROOFS)
def test_challenge_and_response_are_not_interchangeable(count):
    proof = PROOFS[count]
    assert refused(count, proof=dleq.Proof(proof.response, proof.challenge))


def test_the_key_is_part_of_the_statement():
    for count in PROOFS:
        for key in [OTHER, -KEY, KEY + BASE, BASE, IDENTITY]:
            assert refused(count, key=key)


def test_every_base_and_every_image_is_part_of_the_statement():
    for count in PROOFS:
        for name, honest in (("bases", bases(count)), ("images", images(count))):
            for place, element in enumerate(honest):
                for other in (OTHER, BASE, IDENTITY, -element, element + BASE):
                    elements = [*honest[:place], other, *honest[place + 1 :]]
                    assert refused(count, **{name: elements})


def test_the_place_in_the_log_is_part_of_every_challenge():
    for context in OTHER_CONTEXTS.values():
        for count in PROOFS:
            assert refused(count, context=context)


@pytest.mark.parametrize("purpose", ["opening", "shuffle", "possession"])
@pytest.mark.parametrize("count", PROOFS)
def test_a_proof_is_valid_for_one_purpose_only(purpose, count):
    assert refused(count, purpose=purpose)


def test_order_and_number_of_the_pairs_are_part_of_the_statement():
    assert refused(2, bases=bases(2)[::-1], images=images(2)[::-1])
    assert refused(11, bases=bases(10), images=images(10))
    assert refused(1, bases=bases(1) * 2, images=images(1) * 2)
    assert refused(11, proof=PROOFS[2])


def test_errors_that_cancel_in_the_plain_sum_are_detected():
    # Without weights, an amount subtracted from one image and added to the next would go unnoticed.
    wrong = images(11)
    wrong[3], wrong[4] = wrong[3] + OTHER, wrong[4] - OTHER
    cheat = dleq.prove(CONTEXT.transcript(PURPOSE), SECRET, KEY, bases(11), wrong)
    assert refused(11, images=wrong, proof=cheat)


@pytest.mark.parametrize("count", [1, 2])
def test_everything_is_hashed_before_the_challenge_that_depends_on_it(count):
    # PROTOCOL 5.4, in order.
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


def test_an_image_chosen_after_the_challenge_is_refused():
    # If the images weren't hashed, any t3 would do: a cheat could then solve for the image.
    (base,), transcript = bases(1), CONTEXT.transcript(PURPOSE)
    transcript.append_elements("key", (KEY,))
    transcript.append_elements("bases", (base,))
    r = 77
    t2, t3 = base_multiple(r), OTHER
    transcript.append_elements("commitments", (t2, t3))
    c = transcript.challenge("dleq")
    s = (r - c * SECRET) % ORDER  # the key's half is honest
    image = pow(c, -1, ORDER) * (t3 - s * base)
    assert image != SECRET * base
    assert dleq.recompute(KEY, base, image, dleq.Proof(c, s), lambda *t: {(t2, t3): c}[t])
    assert refused(1, images=[image], proof=dleq.Proof(c, s))


def test_a_key_chosen_after_the_challenge_is_refused():
    # Nor may a cheat solve for the key, whose secret it then wouldn't know.
    transcript = CONTEXT.transcript("possession")
    commitment, response = OTHER, 88
    transcript.append_elements("commitment", (commitment,))
    c = transcript.challenge("possession")
    key = pow(c, -1, ORDER) * (commitment - base_multiple(response))
    assert base_multiple(response) + c * key == commitment
    assert not_possessed(key=key, proof=dleq.Proof(c, response))


def test_possession_hashes_key_and_commitment():
    # PROTOCOL 5.6.
    transcript = Recording("t")
    with pytest.raises(BadProof):
        dleq.verify_possession(transcript, KEY, possession())
    assert [label for label, _ in transcript.said] == ["key", "commitment", "challenge"]
    assert transcript.said[0] == ("key", KEY.encoded)


def test_a_prover_with_another_secret_fails():
    cheat = dleq.prove(CONTEXT.transcript(PURPOSE), SECRET + 1, KEY, bases(2), images(2))
    assert refused(2, proof=cheat)


@pytest.mark.parametrize(("given_bases", "given_images"), [([], []), (bases(1), images(2))])
def test_a_statement_without_matching_pairs_is_a_value_error(given_bases, given_images):
    with pytest.raises(ValueError, match="DLEQ statement"):
        dleq.verify(CONTEXT.transcript(PURPOSE), KEY, given_bases, given_images, PROOFS[1])


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("bad", NO_SCALARS)
def test_a_scalar_has_one_encoding(slot, bad):
    with pytest.raises(BadEncoding):
        dleq.Proof.decode(replaced(PROOFS[1].encoded, slot, NO_SCALARS[bad]))


@pytest.mark.parametrize("slot", [0, 1])
def test_adding_the_order_to_a_scalar_gives_no_second_proof(slot):
    data = PROOFS[1].encoded
    with pytest.raises(BadEncoding):
        dleq.Proof.decode(replaced(data, slot, second_encoding(slots(data)[slot])))


@pytest.mark.parametrize("length", [0, 1, 32, 63, 65, 96])
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
    return caught.value.code == "bad-proof"


def test_an_honest_proof_of_possession_is_accepted(backend):
    proof = dleq.Proof.decode(possession().encoded)
    dleq.verify_possession(CONTEXT.transcript("possession"), KEY, proof)


@pytest.mark.parametrize("field", ["challenge", "response"])
@pytest.mark.parametrize("change", CHANGED_SCALARS)
def test_every_field_of_a_possession_matters(field, change):
    value = CHANGED_SCALARS[change](getattr(possession(), field))
    assert not_possessed(proof=replace(possession(), **{field: value}))


@pytest.mark.parametrize("key", [OTHER, -KEY, KEY + BASE, BASE, IDENTITY])
def test_a_proof_of_possession_is_for_one_key(key):
    assert not_possessed(key=key)


@pytest.mark.parametrize("field", OTHER_CONTEXTS)
def test_a_possession_cannot_be_moved_to_another_place(field):
    assert not_possessed(context=OTHER_CONTEXTS[field])


def test_a_rogue_key_has_no_valid_proof_of_possession():
    # Y = X - Y_other would cancel the opponent's key; nobody knows its logarithm.
    rogue = 99 * BASE - KEY
    for secret in (99, SECRET, (99 - SECRET + 1) % ORDER):
        cheat = dleq.prove_possession(CONTEXT.transcript("possession"), secret, rogue)
        assert not_possessed(key=rogue, proof=cheat)


def test_the_other_players_possession_cannot_be_reflected():
    theirs = dleq.prove_possession(OTHER_CONTEXTS["seat"].transcript("possession"), SECRET, KEY)
    assert not_possessed(proof=theirs)


def test_possession_and_equality_are_not_interchangeable():
    assert not_possessed(proof=PROOFS[1])
    assert refused(1, proof=possession())


# What proofs reveal: nothing, whatever the random source.


def proofs_of_many_statements():
    """Return proofs made with one secret: about other pairs, in other places, for other
    purposes."""
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


def test_a_statement_can_be_simulated_without_the_secret():
    # Honest-verifier zero knowledge: for a challenge known beforehand, public values suffice to
    # make an accepted proof of anything, even of a falsehood.
    wrong_image = OTHER
    proof = dleq.Proof(challenge=4711, response=815)
    t2 = base_multiple(815) + 4711 * KEY
    t3 = 815 * bases(1)[0] + 4711 * wrong_image
    seen = []

    def foreseen(*commitments):
        seen.append(commitments)
        return 4711

    assert dleq.recompute(KEY, bases(1)[0], wrong_image, proof, foreseen)
    assert seen == [(t2, t3)]


def test_the_same_nonce_under_two_challenges_would_give_the_secret_away():
    # Special soundness, and why a nonce belongs to one statement.
    one, two = (dleq.respond(SECRET, OTHER, 77, lambda t2, t3, c=c: c) for c in (5, 9))
    difference = pow(two.challenge - one.challenge, -1, ORDER)
    assert (one.response - two.response) * difference % ORDER == SECRET
