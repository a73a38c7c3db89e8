"""The group, tested against RFC 9496 and its own laws, on every back-end and library."""

import ast
import random

import pytest

from protocol.crypto import group
from protocol.crypto.group import (
    BASE,
    IDENTITY,
    ORDER,
    BadEncoding,
    Element,
    base_multiple,
    decode_scalar,
    encode_scalar,
    from_uniform_bytes,
    multi_multiply,
)
from tests.crypto.vectors import vectors
from tests.syntax import modules_of, nodes_of

RFC = vectors("rfc9496-ristretto255.json")


pytestmark = pytest.mark.usefixtures("backend")  # run all tests on each back-end


def elements(count: int, seed: int = 7) -> list[Element]:
    source = random.Random(seed)
    return [from_uniform_bytes(source.randbytes(64)) for _ in range(count)]


# RFC 9496 appendix A


def test_multiples_of_the_base_are_those_of_the_rfc():
    total = IDENTITY
    for i, encoding in enumerate(RFC["multiples_of_the_base"]):
        assert total.encoded.hex() == encoding
        assert base_multiple(i) == i * BASE == total
        assert multi_multiply([i], [BASE]) == total
        if i:
            assert Element.decode(bytes.fromhex(encoding)) == total
        total += BASE


def test_invalid_encodings_of_the_rfc_are_refused():
    for bad in RFC["invalid_encodings"]:
        with pytest.raises(BadEncoding):
            Element.decode(bytes.fromhex(bad["encoding"]))


def test_one_way_map_gives_the_outputs_of_the_rfc():
    for pair in RFC["one_way_map"]:
        assert from_uniform_bytes(bytes.fromhex(pair["input"])).encoded.hex() == pair["output"]


def test_one_way_map_ignores_top_bits_and_reduces():
    same = RFC["one_way_map_same_output"]
    outputs = {from_uniform_bytes(bytes.fromhex(i)).encoded.hex() for i in same["inputs"]}
    assert outputs == {same["output"]}


# Decoding


@pytest.mark.parametrize("length", [0, 31, 33])
def test_an_element_is_exactly_32_bytes(length):
    with pytest.raises(BadEncoding, match="32 bytes"):
        Element.decode((BASE.encoded * 2)[:length])


@pytest.mark.parametrize("wrong", [bytearray(BASE.encoded), BASE.encoded.hex(), None, 5])
def test_only_bytes_are_decoded(wrong):
    with pytest.raises(BadEncoding):
        Element.decode(wrong)


def test_the_identity_is_refused_when_decoding():
    with pytest.raises(BadEncoding, match="identity") as refused:
        Element.decode(bytes(32))
    assert refused.value.code == "bad-encoding"


def test_only_the_group_constructs_elements_without_checking_them():
    """All other modules call Element.decode (rule 1 in protocol/crypto/group.py)."""
    for name in modules_of("protocol"):
        calls = (node.func for node in nodes_of(name) if isinstance(node, ast.Call))
        made = any(isinstance(each, ast.Name) and each.id == "Element" for each in calls)
        assert made is (name == "protocol/crypto/group.py"), name


# Arithmetic


def test_the_group_laws_hold():
    p, q, r = elements(3)
    assert p + q == q + p
    assert (p + q) + r == p + (q + r)
    assert p - q == p + (IDENTITY - q) == IDENTITY - (q - p)
    assert (p + q) - q == p
    assert 2 * p == p + p
    assert IDENTITY - p == (ORDER - 1) * p
    assert (ORDER + 3) * p == 3 * p == p + p + p
    assert -3 * p == IDENTITY - 3 * p


def test_the_identity_is_an_ordinary_operand():
    (p,) = elements(1)
    assert p + IDENTITY == IDENTITY + p == p - IDENTITY == p
    for identity in (p - p, -1 * p + p, 0 * p, ORDER * p, 5 * IDENTITY, IDENTITY + IDENTITY):
        assert identity.is_identity
        assert identity == IDENTITY
    assert base_multiple(0) == base_multiple(ORDER) == IDENTITY
    assert not p.is_identity


def test_multi_multiply_is_the_sum_of_the_products():
    points = [*elements(6), IDENTITY, BASE, BASE]
    scalars = [0, 1, ORDER - 1, ORDER, 2**252, 2**128 - 1, 9, 5, ORDER - 2]
    expected = IDENTITY
    for scalar, point in zip(scalars, points, strict=True):
        expected += scalar * point
    assert multi_multiply(scalars, points) == expected
    assert multi_multiply(iter(scalars), iter(points)) == expected
    (p,) = elements(1)
    assert multi_multiply([], []) == IDENTITY
    assert multi_multiply([0, 7], [p, IDENTITY]) == IDENTITY
    assert multi_multiply([2, 1, 1], [p, -1 * p, -1 * p]) == IDENTITY
    with pytest.raises(ValueError, match="argument 2"):
        multi_multiply([1], [BASE, BASE])


def test_the_one_way_map_takes_64_bytes():
    with pytest.raises(ValueError, match="64"):
        from_uniform_bytes(bytes(63))


# Elements as values


def test_elements_are_immutable_values():
    twin = Element.decode(BASE.encoded)
    assert twin is not BASE
    assert {BASE: 1}[twin] == 1
    with pytest.raises(AttributeError):
        BASE.encoded = bytes(32)
    with pytest.raises(AttributeError):
        del BASE.encoded


# Scalars


def test_scalars_read_back():
    for scalar in (0, 1, ORDER - 1, 2**252):
        assert decode_scalar(encode_scalar(scalar)) == scalar


@pytest.mark.parametrize(
    "data",
    [b"", bytes(31), bytes(33), ORDER.to_bytes(32, "little"), b"\xff" * 32, bytearray(32), None],
)
def test_malformed_scalars_are_refused(data):
    with pytest.raises(BadEncoding):
        decode_scalar(data)


@pytest.mark.parametrize("scalar", [-1, ORDER, 2**256])
def test_only_reduced_scalars_are_encoded(scalar):
    with pytest.raises(ValueError, match="order"):
        encode_scalar(scalar)


# The choice of a back-end


def test_elements_outlive_a_change_of_back_end():
    p, q = elements(2)
    added = p + q
    group.select("pure")
    assert p + q == added
    group.select("sodium")
    assert p + q == added


def test_only_sodium_may_hold_secrets(backend):
    assert group._backend.name == backend
    if backend == "sodium":
        group.require_constant_time()
    else:
        with pytest.raises(group.NoConstantTimeGroup) as refused:
            group.require_constant_time()
        assert refused.value.code == "no-constant-time-group"


def test_an_unknown_back_end_is_refused():
    with pytest.raises(group.UnknownGroup, match="sodium and pure"):
        group.select("openssl")
