"""The next honest action after an offence on the wire: cases 29 to 34 of tests/campaign/cases.txt.

tests/net/test_strangers.py and test_framing.py test what each offence costs. This file checks that
the offence is class A and adds nothing to the log, and that the right guest, with the same invite,
plays the match to its end.
"""

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net.connector import connect
from ginpeer.net.not_reached import JoinError
from protocol.frames import MAX_FRAME, Chat, Hello, Ping, Pong
from tests.net.support import (
    OTHER_KEY,
    AnyTLS,
    LineSeat,
    a_guest,
    a_host,
    failure_of,
    open_house,
    pause,
    rude_guest,
    until,
)
from tests.net.test_strangers import TorrentSeat


def length(number):
    return number.to_bytes(4, "big")


# What a guest at the table may send, and the code with which it is disconnected.
OFFENCES = {
    "no length": (lambda peer: peer.send_bytes(length(0)), "frame-empty"),
    "one too many": (lambda peer: peer.send_bytes(length(MAX_FRAME + 1)), "frame-too-large"),
    "2^31": (lambda peer: peer.send_bytes(length(2**31)), "frame-too-large"),
    "2^32 - 1": (lambda peer: peer.send_bytes(length(2**32 - 1)), "frame-too-large"),
    "noise": (lambda peer: peer.send_bytes(length(40) + b"\xff" * 40), "frame-not-canonical"),
    "chat without end": (lambda peer: peer.send(*[Chat("spam")] * 200), "flood"),
    "pings without end": (lambda peer: peer.send(*[Ping(1)] * 200), "flood"),
    "a pong unasked": (lambda peer: peer.send(Pong(0)), "pong-unasked"),
    "a hello again": (lambda peer: peer.send(peer.hello()), "frame-unexpected"),
    "half a frame": (
        lambda peer: (peer.send_bytes(length(40) + b"\x0a"), peer.transport.abortConnection()),
        "connection-lost",
    ),
}


async def an_honest_guest_finishes(listening, host, guest=None, clock=None):
    """Join with the invite that the offender used, and play all lines.

    The host's *clock*, if given, runs what is due, but its time doesn't pass.
    """
    guest = guest or a_guest()
    already = len(host.players)
    coming = connect(reactor, listening.invite, guest.side)
    await until(lambda: (clock and clock.advance(0)) or coming.called)
    session = await coming
    await until(lambda: (clock and clock.advance(0)) or session.done.called)
    closed = await session.done
    assert (closed.code, closed.failure) == ("finished", None)
    await until(lambda: len(host.players) > already and host.player.all("closed"))
    assert host.player.all("closed")[0].code == "finished"
    assert guest.journal.entries == host.journal.entries[-len(guest.journal.entries) :]


@pytest.mark.parametrize("offence", OFFENCES)
async def test_after_an_offence_at_the_table_the_match_is_played(closing, offence):
    offend, code = OFFENCES[offence]
    host = a_host()
    listening = open_house(closing, host)
    peer = await rude_guest(closing, listening.port)
    peer.send(peer.hello())
    await until(lambda: len(peer.frames) == 2)
    offend(peer)
    closed = await host.session.done
    assert (closed.code, closed.failure) == (code, "A")
    assert closed.sentence.endswith(".")
    assert host.journal.entries == [b"0 begin"]
    await until(lambda: peer.lost)
    await an_honest_guest_finishes(listening, host)


STRANGE = {
    "no length": lambda peer: peer.send_bytes(length(0)),
    "2^32 - 1": lambda peer: peer.send_bytes(length(2**32 - 1)),
    "chat first": lambda peer: peer.send(Chat("let me in")),
    "an edited version list": lambda peer: peer.send(_edited(peer.hello(versions=(1, 2)))),
    "another invite": lambda peer: peer.send(peer.hello(secret=b"another secret!!")),
}


def _edited(hello):
    return Hello((1,), hello.proof, hello.position, hello.software)


@pytest.mark.parametrize("offence", STRANGE)
async def test_after_a_stranger_the_right_guest_plays(closing, offence):
    host = a_host()
    listening = open_house(closing, host)
    stranger = await rude_guest(closing, listening.port)
    STRANGE[offence](stranger)
    await until(lambda: stranger.lost)
    assert host.players == host.journal.entries == []
    await an_honest_guest_finishes(listening, host)


async def test_after_a_replayed_greeting_the_right_guest_plays(closing):
    host = a_host()
    listening = open_house(closing, host)
    first = await rude_guest(closing, listening.port)
    second = await rude_guest(closing, listening.port)
    second.send(first.hello())
    await until(lambda: second.lost)
    assert host.players == []
    await an_honest_guest_finishes(listening, host)


async def test_after_silence_the_match_is_played(closing):
    """A byte a second counts as silence: at the deadline the table becomes free, and a guest takes
    it."""
    clock, host = Clock(), a_host()
    listening = open_house(closing, host, clock=clock)
    peer = await rude_guest(closing, listening.port)
    peer.send(peer.hello())
    await until(lambda: len(peer.frames) == 2)
    for second in range(60):
        peer.send_bytes(b"\0\0\1\0"[second : second + 1] or b"x")
        if second % 20 == 0:
            await pause(0.01)
        clock.advance(1)
    closed = await host.session.done
    assert (closed.code, closed.failure) == ("peer-silent", "A")
    assert host.journal.entries == [b"0 begin"]
    await an_honest_guest_finishes(listening, host, clock=clock)


async def test_after_a_guest_that_never_reads_the_match_is_played(closing):
    host = a_host(seat_class=TorrentSeat, length=10**6, eager=False)
    listening = open_house(closing, host)
    peer = await rude_guest(closing, listening.port)
    peer.send(peer.hello())
    await until(lambda: len(peer.frames) == 2)
    peer.transport.pauseProducing()
    host.session.play("the torrent")
    closed = await host.session.done
    assert (closed.code, closed.failure) == ("peer-not-reading", "A")
    assert host.journal.entries == [b"0 begin"]
    host.seat_class, host.length, host.eager = LineSeat, 6, True
    await an_honest_guest_finishes(listening, host)
    peer.transport.resumeProducing()


async def test_after_a_host_with_another_key_the_right_one_is_found(closing):
    """Case 33: the wrong key is refused with a clear message; nothing is signed for it or lost."""
    host, impostor = a_host(), a_host()
    listening = open_house(closing, host)
    impostor.identity = OTHER_KEY
    elsewhere = open_house(closing, impostor)
    guest = a_guest()
    wrong = listening.invite.__class__(
        listening.invite.host, listening.invite.secret, elsewhere.invite.addresses
    )
    error = await failure_of(connect(reactor, wrong, guest.side), JoinError)
    assert error.code == "pinned-key-mismatch"
    assert guest.players == guest.journal.entries == impostor.players == []
    await an_honest_guest_finishes(listening, host, guest)


async def test_after_a_guest_without_its_key_the_right_one_plays(closing):
    """A stranger who has the invite's proof for another key isn't a guest."""
    host = a_host()
    listening = open_house(closing, host)
    stranger = await rude_guest(closing, listening.port, AnyTLS(OTHER_KEY))
    stranger.send(stranger.hello())  # as if it had the guest's key
    await until(lambda: stranger.lost)
    assert host.players == []
    await an_honest_guest_finishes(listening, host)
