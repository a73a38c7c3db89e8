"""RFC 9497, ristretto255-SHA512: the points to which its messages are hashed."""

import pytest

from protocol.crypto.group import Element, decode_scalar
from protocol.crypto.hashing import hash_to_group
from tests.crypto.vectors import vectors

pytestmark = pytest.mark.usefixtures("backend")  # run all tests on both back-ends


@pytest.mark.parametrize("suite", vectors("rfc9497-ristretto255-sha512.json")["suites"])
def test_messages_are_hashed_to_the_points_of_the_rfc(suite):
    """The RFC has the points multiplied by their blinds."""
    context = b"OPRFV1-" + bytes([suite["mode"]]) + b"-" + suite["identifier"].encode()
    for vector in suite["vectors"]:
        inputs, blinds, blinded = (
            [bytes.fromhex(part) for part in vector[name].split(",")]
            for name in ("Input", "Blind", "BlindedElement")
        )
        for message, blind, expected in zip(inputs, blinds, blinded, strict=True):
            point = hash_to_group(message, b"HashToGroup-" + context)
            assert decode_scalar(blind) * point == Element.decode(expected)
