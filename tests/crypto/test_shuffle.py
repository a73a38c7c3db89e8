"""The shuffle argument: honest ones are valid, and any change makes them fail.

In test_shuffle_cheats, cheating provers make their own arguments for false statements.
"""

from dataclasses import replace
from itertools import permutations

import pytest

from protocol.codes import BadLength, BadProof
from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import BASE, IDENTITY, ORDER, BadEncoding
from tests.crypto.encodings import NO_ELEMENTS, NO_SCALARS, replaced, second_encoding, slots
from tests.crypto.shuffled import (
    JOINT_KEY,
    KINDS,
    OTHER_CONTEXTS,
    POINT,
    SECRET,
    Recording,
    prove,
    shuffled,
)

ELEMENTS = 8
"""How many pieces of an argument, at its beginning, are elements. The others are scalars."""


def refused(case, transcript=None):
    with pytest.raises(BadProof):
        case.verify(transcript)


def with_piece(case, slot, piece):
    """Return the case with one of the argument's 32-byte pieces replaced, decoded as usual."""
    data = replaced(case.argument.encoded, slot, piece)
    return replace(case, argument=shuffle.ShuffleArgument.decode(data, case.n))


@pytest.mark.parametrize("n", [2, 11, 52])
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


# Changes.


@pytest.mark.parametrize(("n", "kind"), [(2, "own"), (3, "open"), (5, "masked")])
def test_every_piece_of_the_argument_counts(n, kind):
    case = shuffled(n, kind)
    for slot, piece in enumerate(slots(case.argument.encoded)):
        other = ((int.from_bytes(piece, "little") + 1) % ORDER).to_bytes(32, "little")
        refused(with_piece(case, slot, POINT.encoded if slot < ELEMENTS else other))


def test_errors_do_not_cancel_between_the_equations():
    # r~, s~, r and tau all multiply B. If the five equations were simply added up, nobody would
    # notice an amount added to one of them and subtracted from another.
    case = shuffled(3, "masked")
    for more, less in permutations(("r_tilde", "s_tilde", "r", "tau"), 2):
        changed = {
            more: (getattr(case.argument, more) + 1) % ORDER,
            less: (getattr(case.argument, less) - 1) % ORDER,
        }
        refused(replace(case, argument=replace(case.argument, **changed)))


def test_an_argument_is_valid_for_one_number_of_cards():
    five, three = shuffled(5, "masked"), shuffled(3, "masked")
    refused(replace(five, argument=three.argument))
    refused(replace(three, argument=five.argument))
    for vector in ("a_tilde", "a", "b_tilde"):
        values = getattr(five.argument, vector)
        for other in (values[:-1], (*values, 1)):
            case = replace(five, argument=replace(five.argument, **{vector: other}))
            with pytest.raises(BadProof, match="a different number of cards"):
                case.verify(None)


@pytest.mark.parametrize("field", OTHER_CONTEXTS)
def test_the_place_in_the_log_is_part_of_every_challenge(field):
    refused(shuffled(3, "masked"), OTHER_CONTEXTS[field].transcript("shuffle"))


def changes(cards):
    """Yield lists that differ from *cards* in one half of a card, one card, or the order."""
    yield cards[::-1]
    for i, card in enumerate(cards):
        for other in (
            Ciphertext(POINT, card.c2),
            Ciphertext(card.c1, POINT),
            card.remask(JOINT_KEY, 5),
            cards[i - 1],
        ):
            yield (*cards[:i], other, *cards[i + 1 :])


@pytest.mark.parametrize("kind", ["open", "masked"])
def test_the_key_and_every_card_are_part_of_the_statement(kind):
    case = shuffled(3, kind)
    for key in (POINT, -1 * JOINT_KEY, JOINT_KEY + BASE, IDENTITY):
        refused(replace(case, key=key))
    for before in changes(case.before):
        refused(replace(case, before=before))
    for after in changes(case.after):
        refused(replace(case, after=after))


def test_everything_is_hashed_before_the_challenge_that_depends_on_it():
    # PROTOCOL 5.5, in order. A prover who sees a challenge before sending the rest could choose it.
    case = shuffled(3, "masked")
    transcript, parts = Recording("t"), slots(case.argument.encoded)
    refused(case, transcript)
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


# Malformed bytes.


def test_an_invalid_piece_is_refused_when_decoding():
    case = shuffled(3, "masked")
    for slot, honest in enumerate(slots(case.argument.encoded)):
        if slot < ELEMENTS:
            wrong = NO_ELEMENTS.values()
        else:
            wrong = (*NO_SCALARS.values(), second_encoding(honest))
        for bad in wrong:
            with pytest.raises(BadEncoding):
                with_piece(case, slot, bad)


def test_an_argument_has_one_length_for_each_number_of_cards():
    data = shuffled(3, "masked").argument.encoded
    for wrong, n in ((data, 2), (data, 4), (data[:-1], 3), (data + b"\0", 3), (b"", 3)):
        with pytest.raises(BadLength):
            shuffle.ShuffleArgument.decode(wrong, n)


@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 3), (1, 1), (0, 0)])
def test_a_shuffle_of_unequal_or_too_few_cards_is_a_value_error(before, after):
    case = shuffled(3, "masked")
    with pytest.raises(ValueError, match="a shuffle has"):
        replace(case, before=case.before[:before], after=case.after[:after]).verify()


# What an argument reveals.


def test_arguments_for_different_statements_share_nothing():
    case = shuffled(5, "masked")
    arguments = [prove(case.key, case.before, case.after, case.witness)]
    for context in OTHER_CONTEXTS.values():
        arguments.append(prove(case.key, case.before, case.after, case.witness, context))
    again = case.witness.apply(case.key, case.after)
    arguments.append(prove(case.key, case.after, again, case.witness))
    found = [piece for argument in arguments for piece in slots(argument.encoded)]
    assert len(set(found)) == len(found)


def test_two_witnesses_of_one_statement_share_no_nonce():
    # Swapping two equal cards doesn't show. If the two arguments, which get different challenges,
    # had equal nonces, they would reveal both permutations.
    case = shuffled(3, "masked")
    before = (case.before[0], case.before[0])
    witnesses = (shuffle.Shuffle((0, 1), (3, 4)), shuffle.Shuffle((1, 0), (3, 4)))
    after = witnesses[0].apply(case.key, before)
    assert after == witnesses[1].apply(case.key, before)
    first, second = (slots(prove(case.key, before, after, each).encoded) for each in witnesses)
    assert not {*first} & {*second}


def test_the_argument_contains_nothing_of_the_statement_or_the_witness():
    case = shuffled(5, "own")
    known = {half.encoded for card in (*case.before, *case.after) for half in (card.c1, card.c2)}
    known |= {value.to_bytes(32, "little") for value in (*case.witness.blindings, SECRET)}
    assert not {*slots(case.argument.encoded)} & known
