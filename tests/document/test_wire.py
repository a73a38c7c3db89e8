"""The formulas of WIRE.md 9, computed independently. A reader of the document once had to guess
them."""

from __future__ import annotations

import hmac
from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.access_policy import SingleGuestPolicy
from ginpeer.net.handshake import ChannelBinding, GreetingRefused, check_welcome, invite_proof
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.session import Session
from protocol.crypto.hashing import frame
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
from tests.document import WIRE
from tests.document.test_document import table_of
from tests.net.support import a_guest, a_host
from tests.protocol.wire import LENGTH, field

HOST, GUEST = (IdentityKey(bytes([n]) * 32) for n in (1, 2))
LINK = ChannelBinding(b"e" * 32, HOST.public, GUEST.public)
SECRET = b"s" * 16


def example() -> dict[str, bytes]:
    """Return the rows of A.5; a line without a name continues the row above."""
    rows: dict[str, str] = {}
    name = ""
    for line in WIRE.split("```text greeting\n")[1].split("\n```")[0].split("\n"):
        *names, digits = line.split()
        name = names[0] if names else name
        rows[name] = rows.get(name, "") + digits
    return {name: bytes.fromhex(digits) for name, digits in rows.items()}


def test_the_example_greeting_has_the_stated_rows_and_is_accepted() -> None:
    said = example()
    host, guest = IdentityKey(said["host-secret"]), IdentityKey(said["guest-secret"])
    assert (host.public, guest.public) == (said["host-key"], said["guest-key"])
    link = frame("exporter", said["exporter"])
    link += frame("host-key", host.public) + frame("guest-key", guest.public)
    assert said["link"] == link
    message = said["proof-head"] + link + frame("hello", said["hello-0"])
    assert hmac.digest(said["secret"], message, "sha256") == said["proof"]
    length, hello_frame = said["hello"][:4], said["hello"][4:]
    assert int.from_bytes(length, "big") == len(hello_frame)
    hello = decode_frame(hello_frame)
    assert isinstance(hello, Hello)
    assert hello.proof == said["proof"]
    assert encode_frame(replace(hello, proof=b"")) == said["hello-0"]
    welcome = decode_frame(said["welcome"][4:])
    assert isinstance(welcome, Welcome)
    assert encode_frame(replace(welcome, signature=bytes(64))) == said["welcome-0"]
    message = said["sign-head"] + link + frame("hello", hello_frame)
    assert host.sign(message + frame("welcome", said["welcome-0"])) == said["signature"]
    assert welcome.signature == said["signature"]
    tls = ChannelBinding(said["exporter"], host.public, guest.public)
    assert SingleGuestPolicy(said["secret"]).admit(hello, tls) == welcome.version == 1
    check_welcome(tls, hello, welcome)


@pytest.mark.parametrize("character", ["x", "\u00e9", "e\u0301", "\U0001f600", "\x00"])
def test_a_character_is_a_code_point(character: str) -> None:
    """A character's appearance and its number of bytes don't matter (Conventions)."""
    as_many = character * 500
    assert decode_frame(field(4, LENGTH, as_many[:500].encode())) == Chat(as_many[:500])
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(field(4, LENGTH, (as_many + character)[:501].encode()))
    assert caught.value.code == "chat-too-long"


def test_both_players_say_goodbye_after_the_last_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE 9.9: the player who signs the last entry says goodbye; so does the one who gets it."""
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
    """Check the first six codes of 11.3: of several faults, the first in the table is reported."""
    hello = Hello((1,), b"", None, "guest 1")
    right = replace(hello, proof=invite_proof(SECRET, LINK, hello))
    own = replace(LINK, guest_key=LINK.host_key)
    future = replace(hello, versions=(2,))
    other = replace(LINK, guest_key=b"o" * 32)

    late = replace(hello, proof=invite_proof(SECRET, other, hello))
    used = SingleGuestPolicy(SECRET)
    used.admit(right, LINK)
    closed = SingleGuestPolicy(SECRET, nobody_else=True)

    found = []
    for door, said, link in (
        (closed, future, own),
        (closed, future, LINK),
        (closed, hello, LINK),
        (used, hello, other),
        (used, late, other),
        (SingleGuestPolicy(SECRET, [GUEST.public], may_admit=lambda: False), hello, LINK),
    ):
        with pytest.raises(GreetingRefused) as caught:
            door.admit(said, link)
        found.append(caught.value.code)
    assert found == list(table_of("11.3"))[:6]
