"""Entries: the signed bytes, the hashed bytes, and where an entry ends."""

import hashlib

import pytest

from protocol import messages as m
from protocol.crypto.hashing import frame
from protocol.crypto.identity import BadSignature, IdentityKey, verify_signature
from protocol.entry import (
    MAX_BODY,
    MAX_ENTRY,
    SIGNATURE_BYTES,
    NotAnEntry,
    NotCanonical,
    RawEntry,
    encode_body,
    entry_hash,
    sign_entry,
)

AUTHOR = IdentityKey(b"\x0a" * 32)
BODY = m.Body(b"\x01" * 32, 7, b"\x02" * 32, m.Share(b"share", b"proof"))
RAW = sign_entry(AUTHOR, BODY)


def test_an_entry_is_a_body_followed_by_its_signature():
    entry = RawEntry.split(RAW)
    assert encode_body(BODY) + entry.signature == RAW
    assert len(entry.signature) == SIGNATURE_BYTES
    assert entry.decode() == BODY


def test_the_signature_covers_a_label_and_every_byte_of_the_body():
    entry = RawEntry.split(RAW)
    assert entry.signed_message == frame("ginpeer/v1", b"entry") + encode_body(BODY)
    verify_signature(AUTHOR.public, entry.signed_message, entry.signature)
    for at in range(len(RAW)):
        changed = RawEntry.split(RAW[:at] + bytes([RAW[at] ^ 1]) + RAW[at + 1 :])
        with pytest.raises(BadSignature):
            verify_signature(AUTHOR.public, changed.signed_message, changed.signature)
    with pytest.raises(BadSignature):
        verify_signature(AUTHOR.public, entry.unverified_body, entry.signature)
    with pytest.raises(BadSignature):
        verify_signature(IdentityKey(bytes(32)).public, entry.signed_message, entry.signature)


def test_the_hash_covers_body_and_signature():
    expected = frame("ginpeer/v1", b"entry-hash") + frame("entry", RAW)
    assert entry_hash(RAW) == hashlib.sha256(expected).digest()
    hashes = {entry_hash(RAW[:at] + bytes([RAW[at] ^ 1]) + RAW[at + 1 :]) for at in range(len(RAW))}
    assert len(hashes | {entry_hash(RAW)}) == len(RAW) + 1


@pytest.mark.parametrize("length", [0, 1, 63, 64, MAX_ENTRY + 1, 2**20])
def test_too_few_or_too_many_bytes_are_not_an_entry(length):
    with pytest.raises(NotAnEntry) as caught:
        RawEntry.split(bytes(length))
    assert caught.value.code == "not-an-entry"


@pytest.mark.parametrize("length", [65, MAX_ENTRY])
def test_an_entry_of_any_other_length_is_split_and_then_judged(length):
    assert MAX_ENTRY == MAX_BODY + 64 == 65_600
    entry = RawEntry.split(bytes(length))
    assert len(entry.unverified_body) == length - 64
    with pytest.raises(NotCanonical):
        entry.decode()
