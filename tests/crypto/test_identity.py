"""Identity keys: RFC 8032, and one defined verdict on every malformed key and signature."""

import hashlib
import random

import pytest

from protocol.crypto import identity
from protocol.crypto.group import ORDER
from protocol.crypto.identity import (
    BadPublicKey,
    BadSignature,
    IdentityKey,
    check_public_key,
    fingerprint,
    verify_signature,
)
from tests.crypto.vectors import vectors

P = 2**255 - 19
KEY = IdentityKey(bytes(range(32)))
MESSAGE = b"knock 7d"
SIGNATURE = KEY.sign(MESSAGE)


@pytest.mark.parametrize("case", vectors("rfc8032-ed25519.json")["tests"])
def test_keys_and_signatures_are_those_of_rfc_8032(case):
    key = IdentityKey(bytes.fromhex(case["seed"]))
    message = bytes.fromhex(case["message"])
    assert key.public.hex() == case["public"]
    assert key.sign(message).hex() == case["signature"]
    verify_signature(key.public, message, bytes.fromhex(case["signature"]))


@pytest.mark.parametrize(
    "case", vectors("ed25519-speccheck.json")["cases"], ids=lambda case: case["comment"]
)
def test_speccheck_cases_get_the_stated_verdict(case):
    arguments = [bytes.fromhex(case[name]) for name in ("pub_key", "message", "signature")]
    if case["expect"] == "accept":
        verify_signature(*arguments)
        return
    with pytest.raises(BadSignature) as refused:
        verify_signature(*arguments)
    assert refused.value.failed == case["expect"]
    assert refused.value.code == "bad-signature"


def test_a_signature_fits_one_key_and_one_message():
    verify_signature(KEY.public, MESSAGE, SIGNATURE)
    for public, message in ((KEY.public, b""), (IdentityKey(bytes(32)).public, MESSAGE)):
        with pytest.raises(BadSignature) as refused:
            verify_signature(public, message, SIGNATURE)
        assert refused.value.failed == "equation"


def test_no_second_signature_can_be_made_from_one():
    s = int.from_bytes(SIGNATURE[32:], "little")
    for multiple in range(1, 15):
        other = SIGNATURE[:32] + (s + multiple * ORDER).to_bytes(32, "little")
        with pytest.raises(BadSignature) as refused:
            verify_signature(KEY.public, MESSAGE, other)
        assert refused.value.failed == "s-out-of-range"


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_key_is_32_bytes(length):
    with pytest.raises(BadPublicKey) as refused:
        check_public_key((KEY.public * 2)[:length])
    assert refused.value.failed == "length"
    with pytest.raises(BadSignature):
        verify_signature((KEY.public * 2)[:length], MESSAGE, SIGNATURE)


@pytest.mark.parametrize("length", [0, 63, 65, 128])
def test_a_signature_is_64_bytes(length):
    with pytest.raises(BadSignature) as refused:
        verify_signature(KEY.public, MESSAGE, (SIGNATURE * 2)[:length])
    assert refused.value.failed == "length"


# Points of small order, computed here independently of the table in the module.


def edwards_add(a, b):
    d = -121665 * pow(121666, -1, P) % P
    (x1, y1), (x2, y2) = a, b
    product = d * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def small_order_points():
    encoded = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
    y = int.from_bytes(encoded, "little")
    d = -121665 * pow(121666, -1, P) % P
    square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square
    points = {(0, 1)}
    point = (x, y)
    while point not in points:
        points.add(point)
        point = edwards_add(point, (x, y))
    return points


def test_the_eight_points_of_small_order_are_refused_in_every_encoding():
    points = small_order_points()
    assert len(points) == 8
    encodings = {y + (x % 2 << 255) for x, y in points}  # canonical
    assert {n.to_bytes(32, "little") for n in encodings} == identity._SMALL_ORDER
    # The same, but with y + p if that fits, and with either sign.
    variants = {n ^ 1 << 255 for n in encodings} | {n + P for n in encodings if n + P < 2**255}
    variants |= {n ^ 1 << 255 for n in variants}
    for number in encodings | variants:
        point = number.to_bytes(32, "little")
        if number in encodings:
            bad_key, bad_r = "small-order-key", "small-order-r"
        else:
            bad_key, bad_r = "key-not-canonical", "r-not-canonical"
        with pytest.raises(BadPublicKey) as refused:
            check_public_key(point)
        assert refused.value.failed == bad_key
        with pytest.raises(BadSignature) as refused:
            verify_signature(point, MESSAGE, SIGNATURE)
        assert refused.value.failed == bad_key
        with pytest.raises(BadSignature) as refused:
            verify_signature(KEY.public, MESSAGE, point + SIGNATURE[32:])
        assert refused.value.failed == bad_r


def is_point(data):
    y = int.from_bytes(data, "little") % 2**255
    d = -121665 * pow(121666, -1, P) % P
    square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
    return pow(square, (P - 1) // 2, P) == 1


def test_strings_that_are_not_a_point_are_refused_as_keys():
    source = random.Random(3)
    strings = [source.randbytes(31) + b"\x11" for _ in range(60)]
    outside = [data for data in strings if not is_point(data)]
    assert 10 < len(outside) < 50
    for data in outside:
        with pytest.raises(BadPublicKey) as refused:
            check_public_key(data)
        assert refused.value.failed == "not-on-curve"
        assert refused.value.code == "bad-public-key"
        with pytest.raises(BadSignature):
            verify_signature(data, MESSAGE, SIGNATURE)
    for data in set(strings) - set(outside):
        check_public_key(data)


# Our own keys


def test_a_key_is_made_from_32_bytes_of_the_given_source():
    key = IdentityKey.generate(random.Random(1).randbytes)
    assert key.secret_seed == random.Random(1).randbytes(32)
    assert key.public == IdentityKey(key.secret_seed).public
    assert key.private_key.public_key().public_bytes_raw() == key.public
    check_public_key(key.public)
    for seed in (bytes(31), bytes(33), bytearray(32)):
        with pytest.raises(ValueError, match="exactly 32 bytes"):
            IdentityKey(seed)


def test_a_key_does_not_show_its_secret():
    assert repr(KEY) == f"<IdentityKey {fingerprint(KEY.public)}>"
    assert KEY.secret_seed.hex() not in repr(KEY)


def test_a_fingerprint_is_four_groups_of_the_hash():
    text = fingerprint(KEY.public)
    groups = text.split("-")
    assert [len(group) for group in groups] == [5, 5, 5, 5]
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz234567-")
    digest = hashlib.sha256(b"ginpeer/v1 fingerprint" + KEY.public).digest()
    first_five_bits = digest[0] >> 3
    assert text[0] == "abcdefghijklmnopqrstuvwxyz234567"[first_five_bits]
    assert fingerprint(IdentityKey(bytes(32)).public) != text
