"""Cheating shufflers, each with the best argument that an honest prover's program can make.

The prover runs on a false statement or witness, and satisfies as many of the five equations
(PROTOCOL 5.5) as it can. Three of these cheats satisfy all but the second one.
"""

from dataclasses import replace

import pytest

from protocol.codes import BadProof
from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import ORDER, base_multiple, multi_multiply
from protocol.crypto.shuffle import Shuffle
from tests.crypto.shuffled import (
    CONTEXT,
    KINDS,
    POINT,
    prove,
    shuffled,
)


def refused(key, before, after, argument, context=CONTEXT):
    with pytest.raises(BadProof):
        shuffle.verify(context.transcript("shuffle"), key, before, after, argument)


def caught(case, after, witness=None):
    """Argue that *after* is a shuffle of the case's cards, and check that the lie is caught."""
    argument = prove(case.key, case.before, after, witness or case.witness)
    refused(case.key, case.before, after, argument)


@pytest.mark.parametrize("kind", ["open", "masked"])
@pytest.mark.parametrize("n", [2, 3, 11])
def test_one_card_encrypted_twice(n, kind):
    case = shuffled(n, kind)
    twice = (case.witness.permutation[1], *case.witness.permutation[1:])
    witness = Shuffle(twice, case.witness.blindings)
    after = witness.apply(case.key, case.before)
    # With the true witness, the numbers aren't a permutation, and one card is missing.
    caught(case, after, witness)
    # With a false witness, the numbers are right, but one card is still missing.
    caught(case, after)
    refused(case.key, case.before, after, case.argument)


def test_a_card_replaced_by_a_random_point():
    for kind in ["open", "masked"]:
        for half in ["c1", "c2", "both", "card"]:
            for place in [0, 1, 2]:
                case = shuffled(3, kind)
                card = case.after[place]
                other = {
                    "c1": replace(card, c1=POINT),
                    "c2": replace(card, c2=POINT),
                    "both": Ciphertext(POINT, POINT),
                    "card": Ciphertext(base_multiple(7), POINT + 7 * case.key),
                }[half]
                after = (*case.after[:place], other, *case.after[place + 1 :])
                caught(case, after)


def test_two_cards_blended():
    # C_1 + C_2 and C_2: for every x there are multipliers b with sum x^i*C_i = sum b_i*C'_i, namely
    # x and x^2 - x. Their only fault is that they aren't powers of x.
    case = shuffled(2, "masked")
    one, two = case.before
    blend = Ciphertext(one.c1 + two.c1, one.c2 + two.c2)
    after = (blend.remask(case.key, 3), two.remask(case.key, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle, "_powers", lambda x, n: [x, (x * x - x) % ORDER])
        argument = prove(case.key, case.before, after, Shuffle((0, 1), (3, 4)))
    refused(case.key, case.before, after, argument)


def test_cards_traded_for_their_multiples():
    # 2*C_1 and C_2/2, with the multipliers x/2 and 2*x^2, of which even the product is right.
    case = shuffled(2, "masked")
    half = pow(2, -1, ORDER)
    after = tuple(
        Ciphertext(factor * card.c1, factor * card.c2)
        for factor, card in zip((2, half), case.before, strict=True)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle, "_powers", lambda x, n: [x * half % ORDER, 2 * x * x % ORDER])
        argument = prove(case.key, case.before, after, Shuffle((0, 1), (0, 0)))
    refused(case.key, case.before, after, argument)


@pytest.mark.parametrize("numbers", [(0, 1, 1), (2, 2, 2), (1, 1, 0)])
def test_right_cards_under_numbers_that_are_not_a_permutation(numbers):
    case = shuffled(3, "masked")
    caught(case, case.after, Shuffle(numbers, case.witness.blindings))


def test_numbers_and_powers_that_do_not_belong_together():
    # Both lists are right but belong to different permutations; y ties them together.
    case = shuffled(2, "masked")
    after = Shuffle((1, 0), (3, 4)).apply(case.key, case.before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle, "_powers", lambda x, n: [x * x % ORDER, x])
        argument = prove(case.key, case.before, after, Shuffle((0, 1), (3, 4)))
    refused(case.key, case.before, after, argument)


def test_generators_whose_logarithms_the_prover_knows(monkeypatch):
    # A prover who chooses the generators can open a commitment to anything, so no player may choose
    # them.
    case = shuffled(3, "masked")
    known = tuple(base_multiple(i) for i in (5, 6, 7))
    with monkeypatch.context() as patch:
        patch.setattr(shuffle, "generators", lambda n: known[:n])
        argument = prove(case.key, case.before, case.after, case.witness)
    refused(case.key, case.before, case.after, argument)


# --- several arguments verified together ----------------------------------------------------------


def equation_of(case, argument):
    return shuffle.equation(
        CONTEXT.transcript("shuffle"), case.key, case.before, case.after, argument
    )


def all_hold(*equations):
    return multi_multiply(*shuffle.weighted_sum(equations)).is_identity


def test_honest_arguments_are_valid_when_checked_together():
    cases = [shuffled(n, kind) for n in (2, 5, 11) for kind in KINDS]
    equations = [equation_of(case, case.argument) for case in cases]
    assert all_hold()
    assert all_hold(*equations)
    assert all_hold(*equations, *equations)


def test_two_false_arguments_do_not_cancel_out():
    # The first sum is wrong by a point, and the second by its negative or twice its negative.
    case = shuffled(3, "masked")
    honest = equation_of(case, case.argument)
    for factor in (1, 2):
        off = [
            replace(
                honest,
                scalars=(*honest.scalars, sign),
                elements=(*honest.elements, POINT),
                digest=bytes([number]) * 64,
            )
            for number, sign in ((1, -1), (2, factor))
        ]
        assert not any(multi_multiply(each.scalars, each.elements).is_identity for each in off)
        assert not all_hold(*off)
        assert not all_hold(honest, *off)


def test_the_weights_depend_on_every_argument():
    case, other = shuffled(3, "masked"), shuffled(5, "own")
    argument = replace(case.argument, tau=(case.argument.tau + 1) % ORDER)
    last = equation_of(other, other.argument)
    weights = []
    for each in (case.argument, argument):
        scalars, elements = shuffle.weighted_sum([equation_of(case, each), last])
        weights.append(-scalars[elements.index(other.argument.c_d)] % ORDER)
    assert weights[0] != weights[1]
