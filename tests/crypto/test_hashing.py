"""Hashing to elements against RFC 9380 and RFC 9497."""

import pytest

from protocol.crypto.hashing import expand_message_xmd, hash_to_group
from tests.crypto.vectors import vectors

RFC9380 = vectors("rfc9380-expand-message-xmd-sha512.json")


@pytest.mark.parametrize(
    "case", RFC9380["tests"], ids=lambda case: f"{len(case['message'])}-{case['length']}"
)
def test_expand_message_xmd_gives_the_bytes_of_rfc_9380(case):
    expanded = expand_message_xmd(case["message"].encode(), RFC9380["dst"].encode(), case["length"])
    assert expanded.hex() == case["uniform_bytes"]


@pytest.mark.parametrize("dst", [b"", b"x" * 256])
def test_a_tag_has_1_to_255_bytes(dst):
    with pytest.raises(ValueError, match="1 to 255"):
        expand_message_xmd(b"", dst, 64)


def test_the_length_is_bounded():
    assert expand_message_xmd(b"", b"x", 0) == b""
    assert len(expand_message_xmd(b"", b"x" * 255, 255 * 64)) == 255 * 64
    with pytest.raises(ValueError, match="16,320"):
        expand_message_xmd(b"", b"x", 255 * 64 + 1)


def test_other_tags_and_messages_give_other_values():
    inputs = [(b"", b"a"), (b"", b"b"), (b"a", b"a"), (b"aa", b"a")]
    assert len({hash_to_group(message, dst) for message, dst in inputs}) == len(inputs)
