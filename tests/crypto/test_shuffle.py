"""The shuffle argument: honest ones are valid, and any change makes them fail.

test_shuffle_cheats has cheating provers, who make arguments of their own for false statements.
Malformed bytes and what an argument reveals are at the end of this file.
"""

from dataclasses import replace
from itertools import product

import pytest

from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.errors import BadLength, BadProof
from protocol.crypto.group import BASE, IDENTITY, ORDER, BadEncoding, Element
from tests.crypto.encodings import NO_ELEMENTS, NO_SCALARS, replaced, second_encoding, slots
from tests.crypto.recording import Recording
from tests.crypto.shuffled import (
    CONTEXT,
    JOINT_KEY,
    KINDS,
    OTHER_CONTEXTS,
    POINT,
    SECRET,
    prove,
    shuffled,
    witness_for,
)

ELEMENTS = ("c_A", "c_B", "c_d", "c_delta", "c_Delta", "c_A0", "E_0.c1", "E_0.c2")


def refused(case, transcript=None):
    """Check that the changed statement is invalid."""
    with pytest.raises(BadProof) as caught:
        case.verify(transcript)
    return caught.value.code == "bad-proof"


def with_piece(case, slot, piece):
    """Return the case with one of the argument's 32-byte pieces replaced, decoded as usual."""
    data = replaced(case.argument.encoded, slot, piece)
    return replace(case, argument=shuffle.ShuffleArgument.decode(data, case.n))


def pieces(case):
    return slots(case.argument.encoded)


def scalar_names(n):
    """Return the name of each slot after the eight elements."""
    return [
        *(f"a~{i}" for i in range(1, n + 1)),
        *(f"b~{i}" for i in range(2, n)),
        "r~",
        "s~",
        *(f"a{i}" for i in range(1, n + 1)),
        "r",
        "tau",
    ]


# Completeness.


@pytest.mark.parametrize("n", [2, 3, 5, 11, 52])
@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_shuffle_is_accepted(n, kind):
    case = shuffled(n, kind)
    data = case.argument.encoded
    assert len(data) == shuffle.argument_bytes(n)
    read = shuffle.ShuffleArgument.decode(data, n)
    assert read == case.argument
    replace(case, argument=read).verify()


@pytest.mark.parametrize(("n", "kind"), [(2, "open"), (3, "own"), (11, "masked")])
def test_both_back_ends_make_and_accept_the_same_argument(n, kind, backend):
    case = shuffled(n, kind)
    case.verify()
    assert prove(case.key, case.before, case.after, case.witness) == case.argument


def test_an_argument_for_52_cards_has_5312_bytes_and_for_11_1376():
    assert shuffle.argument_bytes(52) == 5312
    assert shuffle.argument_bytes(11) == 1376


def test_the_key_owners_faster_way_gives_the_same_cards():
    case = shuffled(5, "own")
    assert case.witness.apply(case.key, case.before) == case.after


def test_the_identity_permutation_is_a_shuffle_like_any_other():
    case = shuffled(3, "masked")
    witness = shuffle.Shuffle((0, 1, 2), case.witness.blindings)
    after = witness.apply(case.key, case.before)
    argument = prove(case.key, case.before, after, witness)
    replace(case, after=after, witness=witness, argument=argument).verify()


def test_a_card_that_is_in_the_deck_twice_stays_twice():
    # Equal ciphertexts aren't a falsehood: a shuffle proves that nothing changed, not what was
    # there.
    case = shuffled(3, "masked")
    before = (case.before[0], case.before[0], case.before[2])
    after = case.witness.apply(case.key, before)
    argument = prove(case.key, before, after, case.witness)
    replace(case, before=before, after=after, argument=argument).verify()


# Every field of the argument.


def test_every_element_of_the_argument_matters():
    for name in ELEMENTS:
        for n, kind in [(2, "own"), (3, "open"), (3, "masked"), (52, "masked")]:
            case, slot = shuffled(n, kind), ELEMENTS.index(name)
            element = Element.decode(pieces(case)[slot])
            others = [POINT, -element, element + BASE]
            others += [
                Element.decode(piece) for piece in pieces(case)[:8] if piece != element.encoded
            ]
            for other in others if n < 52 else others[:1]:
                assert refused(with_piece(case, slot, other.encoded))


def test_elements_are_not_interchangeable():
    case = shuffled(3, "masked")
    for first in range(8):
        for second in range(first):
            swapped = with_piece(case, first, pieces(case)[second])
            assert refused(with_piece(swapped, second, pieces(case)[first]))


def test_every_scalar_of_the_argument_matters():
    for n, kind in product((2, 3, 5), KINDS):
        case = shuffled(n, kind)
        for slot, piece in enumerate(pieces(case)[8:], 8):
            scalar = int.from_bytes(piece, "little")
            for other in (0, (scalar + 1) % ORDER, -scalar % ORDER, 2**123 + 1):
                assert refused(with_piece(case, slot, other.to_bytes(32, "little")))


def test_every_kind_of_scalar_matters_at_the_sizes_of_the_game():
    for n, kind in [(11, "own"), (52, "open")]:
        for name in ["a~1", "a~2", "a~last", "b~2", "b~last", "r~", "s~", "a1", "r"]:
            case = shuffled(n, kind)
            name = name.replace("a~last", f"a~{n}").replace("b~last", f"b~{n - 1}")
            slot = 8 + scalar_names(n).index(name)
            scalar = int.from_bytes(pieces(case)[slot], "little")
            assert refused(with_piece(case, slot, ((scalar + 1) % ORDER).to_bytes(32, "little")))


def test_scalars_are_not_interchangeable():
    case = shuffled(3, "masked")
    for first in range(8, len(pieces(case))):
        for second in range(8, first):
            swapped = with_piece(case, first, pieces(case)[second])
            assert refused(with_piece(swapped, second, pieces(case)[first]))


def test_errors_do_not_cancel_between_the_equations():
    # r~, s~, r and tau all come before B: an amount added here and subtracted there would go
    # unnoticed if the five equations were simply added up.
    case = shuffled(3, "masked")
    names = ("r_tilde", "s_tilde", "r", "tau")
    for more in names:
        for less in names:
            if more != less:
                changed = {
                    more: (getattr(case.argument, more) + 1) % ORDER,
                    less: (getattr(case.argument, less) - 1) % ORDER,
                }
                assert refused(replace(case, argument=replace(case.argument, **changed)))


def test_an_argument_is_valid_for_one_number_of_cards():
    five, three = shuffled(5, "masked"), shuffled(3, "masked")
    assert refused(replace(five, argument=three.argument))
    assert refused(replace(three, argument=five.argument))
    for vector in ("a_tilde", "a", "b_tilde"):
        values = getattr(five.argument, vector)
        for other in (values[:-1], (*values, 1)):
            case = replace(five, argument=replace(five.argument, **{vector: other}))
            with pytest.raises(BadProof, match="a different number of cards"):
                case.verify(None)


# Every input of the transcript.


@pytest.mark.parametrize("n", [3, 52])
@pytest.mark.parametrize("field", OTHER_CONTEXTS)
def test_the_place_in_the_log_is_part_of_every_challenge(field, n):
    assert refused(shuffled(n, "masked"), OTHER_CONTEXTS[field].transcript("shuffle"))


@pytest.mark.parametrize("purpose", ["share", "opening", "possession", "shuffle "])
def test_an_argument_is_valid_for_one_purpose_only(purpose):
    assert refused(shuffled(3, "masked"), CONTEXT.transcript(purpose))


@pytest.mark.parametrize("key", [POINT, -JOINT_KEY, JOINT_KEY + BASE, BASE, IDENTITY])
@pytest.mark.parametrize("kind", ["open", "masked"])
def test_the_key_is_part_of_the_statement(key, kind):
    assert refused(replace(shuffled(3, kind), key=key))


def changes(cards):
    """Yield lists that differ from this one in one card, one half of a card, or the order."""
    yield cards[::-1]
    yield cards[1:] + cards[:1]
    for i, card in enumerate(cards):
        for other in (
            Ciphertext(POINT, card.c2),
            Ciphertext(card.c1, POINT),
            Ciphertext(card.c1 + BASE, card.c2),
            Ciphertext(card.c1, card.c2 + BASE),
            Ciphertext(card.c2, card.c1),
            Ciphertext(IDENTITY, card.c2),
            Ciphertext(card.c1, IDENTITY),
            card.remask(JOINT_KEY, 5),
            cards[i - 1],
        ):
            if other != card:
                yield (*cards[:i], other, *cards[i + 1 :])


@pytest.mark.parametrize("kind", ["open", "masked"])
def test_every_card_before_is_part_of_the_statement(kind):
    case = shuffled(3, kind)
    for before in changes(case.before):
        assert refused(replace(case, before=before))


@pytest.mark.parametrize("kind", ["open", "masked"])
def test_every_card_after_is_part_of_the_statement(kind):
    case = shuffled(3, kind)
    for after in changes(case.after):
        assert refused(replace(case, after=after))


def test_before_and_after_are_not_interchangeable():
    case = shuffled(3, "masked")
    assert refused(replace(case, before=case.after, after=case.before))


def test_all_52_places_are_part_of_the_statement():
    case = shuffled(52, "masked")
    for i in (0, 25, 51):
        after = list(case.after)
        after[i] = after[i].remask(case.key, 1)
        assert refused(replace(case, after=tuple(after)))


def test_everything_is_hashed_before_the_challenge_that_depends_on_it():
    # PROTOCOL 5.5, in order. A prover who sees a challenge before sending the rest could choose it.
    case = shuffled(3, "masked")
    transcript, parts = Recording("t"), pieces(case)
    with pytest.raises(BadProof):
        case.verify(transcript)
    assert transcript.said == [
        ("n", (3).to_bytes(8, "big")),
        ("key", case.key.encoded),
        ("before", b"".join(card.encoded for card in case.before)),
        ("after", b"".join(card.encoded for card in case.after)),
        ("c_A", parts[0]),
        ("challenge", b"x"),
        ("c_B", parts[1]),
        ("challenge", b"y"),
        ("challenge", b"z"),
        ("commitments", b"".join(parts[2:8])),
        ("challenge", b"e"),
        ("answers", b"".join(parts[8:])),
        *[("challenge", b"weight")] * 4,
    ]


def test_prover_and_verifier_write_the_same_transcript():
    case = shuffled(3, "masked")
    proving, verifying = Recording("t"), Recording("t")
    argument = shuffle.prove(proving, case.key, case.before, case.after, case.witness)
    replace(case, argument=argument).verify(verifying)
    assert verifying.said[: len(proving.said)] == proving.said
    assert proving.said[-1] == ("challenge", b"e")


# Malformed bytes.


def test_an_invalid_element_is_refused_when_decoding():
    case = shuffled(3, "masked")
    for slot, bad in product(range(len(ELEMENTS)), NO_ELEMENTS.values()):
        with pytest.raises(BadEncoding):
            with_piece(case, slot, bad)


def test_an_invalid_scalar_is_refused_when_decoding():
    case = shuffled(3, "masked")
    for slot, honest in enumerate(pieces(case)[8:], 8):
        for bad in (*NO_SCALARS.values(), second_encoding(honest)):
            with pytest.raises(BadEncoding):
                with_piece(case, slot, bad)


@pytest.mark.parametrize("length", [0, 31, 32, 96])
@pytest.mark.parametrize("n", [51, 53])
def test_an_argument_for_51_or_53_cards_has_the_wrong_length(n, length):
    data = shuffled(52, "masked").argument.encoded
    assert len(data) != shuffle.argument_bytes(n)
    with pytest.raises(BadLength):
        shuffle.ShuffleArgument.decode(data, n)
    with pytest.raises(BadLength):
        shuffle.ShuffleArgument.decode(data[: len(data) - length] + b"\0", 52)


@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 3), (1, 1), (0, 0)])
def test_a_shuffle_of_unequal_or_too_few_cards_is_a_value_error(before, after):
    case = shuffled(3, "masked")
    with pytest.raises(ValueError, match="a shuffle has"):
        replace(case, before=case.before[:before], after=case.after[:after]).verify()


# What an argument reveals.


def pieces_of(argument):
    return set(slots(argument.encoded))


def test_arguments_for_different_statements_share_nothing():
    case = shuffled(5, "masked")
    arguments = [prove(case.key, case.before, case.after, case.witness)]
    for context in OTHER_CONTEXTS.values():
        arguments.append(prove(case.key, case.before, case.after, case.witness, context))
    again = case.witness.apply(case.key, case.after)
    arguments.append(prove(case.key, case.after, again, case.witness))
    found = [piece for argument in arguments for piece in slots(argument.encoded)]
    assert len(set(found)) == len(found)


def test_the_same_statement_is_proven_by_the_same_bytes():
    case = shuffled(5, "masked")
    first, second = (prove(case.key, case.before, case.after, case.witness) for _ in range(2))
    assert first == second


def test_two_witnesses_of_one_statement_share_no_nonce():
    # Two equal cards can be swapped unseen. With equal nonces the two arguments, which get
    # different challenges, would reveal both permutations.
    case = shuffled(3, "masked")
    before = (case.before[0], case.before[0])
    witnesses = (shuffle.Shuffle((0, 1), (3, 4)), shuffle.Shuffle((1, 0), (3, 4)))
    after = witnesses[0].apply(case.key, before)
    assert after == witnesses[1].apply(case.key, before)
    first, second = (prove(case.key, before, after, witness) for witness in witnesses)
    assert not pieces_of(first) & pieces_of(second)


def test_the_argument_contains_nothing_of_the_statement_or_the_witness():
    case = shuffled(5, "own")
    known = {half.encoded for card in (*case.before, *case.after) for half in (card.c1, card.c2)}
    known |= {value.to_bytes(32, "little") for value in (*case.witness.blindings, SECRET)}
    assert not pieces_of(case.argument) & known


def test_the_blindings_of_the_witness_matter():
    case = shuffled(3, "masked")
    wrong = shuffle.Shuffle(case.witness.permutation, witness_for(4).blindings[1:])
    argument = prove(case.key, case.before, case.after, wrong)
    assert refused(replace(case, argument=argument))
