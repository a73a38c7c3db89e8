"""c2sp.org/vrf-r255: a verifiable random function over our group, proved and verified."""

import hashlib

import pytest

from protocol.crypto.group import (
    BASE,
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

VECTOR = vectors("c2sp-vrf-r255.json")
SUITE = b"\xffc2sp.org/vrf-r255"
C_BYTES = 16


pytestmark = pytest.mark.usefixtures("backend")  # run all tests on both back-ends


# RFC 9381 section 5, with the choices of vrf-r255.


def encode_to_group(public, alpha):
    return from_uniform_bytes(hashlib.sha512(SUITE + b"\x82" + public.encoded + alpha).digest())


def challenge(*points):
    string = SUITE + b"\x02" + b"".join(point.encoded for point in points) + b"\x00"
    return int.from_bytes(hashlib.sha512(string).digest()[:C_BYTES], "little")


def prove(x, alpha):
    public = base_multiple(x)
    h = encode_to_group(public, alpha)
    gamma = x * h
    k_string = hashlib.sha512(SUITE + b"\x81" + encode_scalar(x) + h.encoded).digest()
    k = int.from_bytes(k_string, "little") % ORDER
    c = challenge(public, h, gamma, base_multiple(k), k * h)
    return gamma.encoded + c.to_bytes(C_BYTES, "little") + encode_scalar((k + c * x) % ORDER)


def verify(public, alpha, pi):
    """Return the output beta, or raise ValueError if the proof is invalid."""
    gamma = Element.decode(pi[:32])
    c = int.from_bytes(pi[32 : 32 + C_BYTES], "little")
    s = decode_scalar(pi[32 + C_BYTES :])
    h = encode_to_group(public, alpha)
    u = multi_multiply((s, -c), (BASE, public))
    v = multi_multiply((s, -c), (h, gamma))
    if challenge(public, h, gamma, u, v) != c:
        raise ValueError("the proof does not hold")
    return hashlib.sha512(SUITE + b"\x03" + gamma.encoded + b"\x00").digest()


def known(name):
    return bytes.fromhex(VECTOR[name])


def test_the_steps_of_the_vector_are_reproduced():
    x, k = decode_scalar(known("SK")), decode_scalar(known("k"))
    public = base_multiple(x)
    h = encode_to_group(public, known("alpha"))
    assert public.encoded == known("PK")
    assert h.encoded == known("H")
    assert (x * h).encoded == known("Gamma")
    assert base_multiple(k).encoded == (k * BASE).encoded == known("U")
    assert (k * h).encoded == known("V")


def test_the_proof_of_the_vector_is_reproduced_and_verifies():
    pi = prove(decode_scalar(known("SK")), known("alpha"))
    assert pi == known("pi")
    assert verify(Element.decode(known("PK")), known("alpha"), pi) == known("beta")


def test_any_other_proof_key_or_input_fails():
    public, alpha, pi = Element.decode(known("PK")), known("alpha"), known("pi")
    for place in range(len(pi)):
        wrong = bytearray(pi)
        wrong[place] ^= 1
        with pytest.raises((ValueError, BadEncoding)):
            verify(public, alpha, bytes(wrong))
    with pytest.raises(ValueError, match="hold"):
        verify(public, alpha + b"x", pi)
    with pytest.raises(ValueError, match="hold"):
        verify(public + BASE, alpha, pi)
