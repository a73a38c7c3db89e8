"""The formulas of WIRE.md 9, computed independently; a reader once had to guess them."""

from __future__ import annotations

import hmac
from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.access_policy import SingleGuestPolicy
from ginpeer.net.handshake import ChannelBinding, GreetingRefused, check_welcome, invite_proof
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.session import Session
from protocol.crypto.identity import IdentityKey
from protocol.frames import (
    Chat,
    Goodbye,
    Hello,
    MalformedFrame,
    Welcome,
    decode_frame,
    encode_frame,
)
from tests.document.test_document import table_of
from tests.net.support import a_guest, a_host
from tests.protocol.wire import LENGTH, VARINT, field

HOST, GUEST = (IdentityKey(bytes([n]) * 32) for n in (1, 2))
LINK = ChannelBinding(b"e" * 32, HOST.public, GUEST.public)
SECRET = b"s" * 16


def framed(label: bytes, data: bytes) -> bytes:
    """Frame data as PROTOCOL 5.1 says."""
    return bytes([len(label)]) + label + len(data).to_bytes(4, "big") + data


LINK_BYTES = (
    framed(b"exporter", b"e" * 32)
    + framed(b"host-key", HOST.public)
    + framed(b"guest-key", GUEST.public)
)


def hello_bytes(proof: bytes) -> bytes:
    """Return a Hello frame: a `Frame` with a `hello` in it, packed version numbers and no
    length."""
    inner = field(1, LENGTH, b"\x01\x02") + (field(2, LENGTH, proof) if proof else b"")
    return field(1, LENGTH, inner + field(4, LENGTH, b"guest 1"))


def welcome_bytes(signature: bytes) -> bytes:
    inner = field(1, VARINT, 1) + field(3, LENGTH, b"host 1") + field(4, LENGTH, signature)
    return field(2, LENGTH, inner)


def test_the_proof_and_the_signature_cover_frames_without_their_lengths() -> None:
    said = framed(b"ginpeer/v1", b"invite-proof") + framed(b"role", b"guest")
    proof = hmac.digest(SECRET, said + LINK_BYTES + framed(b"hello", hello_bytes(b"")), "sha256")
    hello = decode_frame(hello_bytes(proof))
    assert isinstance(hello, Hello)
    assert encode_frame(hello) == hello_bytes(proof)
    assert invite_proof(SECRET, LINK, hello) == proof
    said = framed(b"ginpeer/v1", b"welcome") + framed(b"role", b"host")
    said += LINK_BYTES + framed(b"hello", hello_bytes(proof))
    signature = HOST.sign(said + framed(b"welcome", welcome_bytes(bytes(64))))
    welcome = decode_frame(welcome_bytes(signature))
    assert isinstance(welcome, Welcome)
    check_welcome(LINK, hello, welcome)


@pytest.mark.parametrize("character", ["x", "\u00e9", "e\u0301", "\U0001f600", "\x00"])
def test_a_character_is_a_code_point(character: str) -> None:
    """Its appearance and its number of bytes don't matter (Conventions)."""
    as_many = character * 500
    assert decode_frame(field(4, LENGTH, as_many[:500].encode())) == Chat(as_many[:500])
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(field(4, LENGTH, (as_many + character)[:501].encode()))
    assert caught.value.code == "chat-too-long"


def test_both_players_say_goodbye_after_the_last_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE 9.9: both the player who signs it and the one who receives it."""
    said: list[tuple[Session, str | None]] = []
    end = Session.end

    def ended(session: Session, closed: object, goodbye: Goodbye | None) -> None:
        if session.ending is None:
            said.append((session, None if goodbye is None else goodbye.code))
        end(session, closed, goodbye)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "end", ended)
    clock = Clock()
    ours, theirs = connect_in_process(a_host().side, a_guest().side, clock)
    while not (ours.done.called and theirs.done.called):
        clock.advance(0)
    assert {session for session, _ in said} == {ours, theirs}
    assert [code for _, code in said] == ["finished", "finished"]


def test_a_host_reports_faults_in_the_order_of_the_table() -> None:
    """The first six codes of 11.3: of several faults, the first in the table is reported."""
    hello = Hello((1,), b"", None, "guest 1")
    right = replace(hello, proof=invite_proof(SECRET, LINK, hello))
    own = replace(LINK, guest_key=LINK.host_key)
    future = replace(hello, versions=(2,))
    other = replace(LINK, guest_key=b"o" * 32)

    late = replace(hello, proof=invite_proof(SECRET, other, hello))
    used = SingleGuestPolicy(SECRET)
    used.admit(right, LINK)

    found = []
    for door, said, link in (
        (SingleGuestPolicy(None), future, own),
        (SingleGuestPolicy(None), future, LINK),
        (SingleGuestPolicy(None), hello, LINK),
        (used, hello, other),
        (used, late, other),
        (SingleGuestPolicy(SECRET, [GUEST.public], may_admit=lambda: False), hello, LINK),
    ):
        with pytest.raises(GreetingRefused) as caught:
            door.admit(said, link)
        found.append(caught.value.code)
    assert found == list(table_of("11.3"))[:6]
