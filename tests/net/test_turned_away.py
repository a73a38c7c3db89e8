"""The host's program is told who was refused, in our words rather than the peer's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net import acceptor
from ginpeer.net.codes import SECRET_BYTES
from ginpeer.net.connector import connect
from ginpeer.net.limits import RejectedConnection
from protocol.frames import Goodbye
from tests.net.support import (
    GUEST_KEY,
    LOOPBACK,
    OTHER_KEY,
    AnyTLS,
    Party,
    a_guest,
    a_host,
    framed,
    join_error,
    leave,
    open_house,
    pause,
    rude_guest,
    until,
)

FROM = f"{LOOPBACK}:"
EITHER_SIDE_OF_TLS = pytest.mark.parametrize("tls", [False, None], ids=["before TLS", "after TLS"])


def a_door(closing, party: Party | None = None, **settings):
    """Return a party's listener, and the list of the connections that it refuses."""
    away: list[RejectedConnection] = []
    house = open_house(closing, party or a_host(eager=False), turned_away=away.append, **settings)
    return house, away


async def codes(away: list[RejectedConnection], count: int = 1) -> list[str]:
    await until(lambda: len(away) >= count)
    await pause(0.05)
    assert all(stranger.address.startswith(FROM) for stranger in away)
    return [stranger.code for stranger in away]


async def test_a_wrong_invite_is_reported_with_the_key(closing):
    house, away = a_door(closing)
    wrong = replace(house.invite, secret=b"not right!")
    await join_error(wrong, a_guest(OTHER_KEY))
    assert await codes(away) == ["invite-wrong"]
    assert away[0].key == OTHER_KEY.public
    assert not away[0].our_fault
    await connect(reactor, house.invite, a_guest(eager=False).side)


async def test_a_used_invite_is_reported_but_not_the_seated_guests_own_return(closing):
    house, away = a_door(closing)
    session = await connect(reactor, house.invite, a_guest(eager=False).side)
    await join_error(house.invite, a_guest(OTHER_KEY))
    assert await codes(away) == ["invite-used"]
    own = await join_error(house.invite, a_guest())  # the same guest, on a second connection
    assert (own.code, session.ending) == ("table-taken", None)
    assert await codes(away) == ["invite-used"]
    await leave(session)
    await pause(0.05)
    assert await codes(away) == ["invite-used"]


@pytest.mark.parametrize(
    ("tls", "said", "code"),
    [
        (False, b"GET / HTTP/1.1\r\n\r\n", "tls-failed"),
        (AnyTLS(alpn=[b"h2"]), b"", "wrong-alpn"),
        (None, framed(Goodbye("left", "192.0.2.7:1 was let in")), "peer-closed"),
    ],
    ids=["no TLS", "another protocol in TLS", "an invalid greeting"],
)
async def test_a_foreign_client_is_reported_without_its_text(closing, tls, said, code):
    house, away = a_door(closing)
    stranger = await rude_guest(closing, house.port, tls, secured=tls is not False)
    stranger.send_bytes(said)
    assert await codes(away) == [code]
    assert not away[0].our_fault
    assert (away[0].key is None) is (tls is not None)
    assert "was let in" not in repr(away)


@EITHER_SIDE_OF_TLS
async def test_a_client_that_is_too_slow_is_reported_once(closing, tls):
    clock = Clock()
    house, away = a_door(closing, clock=clock)
    stranger = await rude_guest(closing, house.port, tls, secured=tls is None)
    await until(lambda: clock.getDelayedCalls())
    await pause(0.05)
    clock.advance(9.9)
    await pause(0.05)
    assert stranger.lost is None
    clock.advance(0.1)
    await until(lambda: stranger.lost)
    assert await codes(away) == ["greeting-timeout"]


@EITHER_SIDE_OF_TLS
async def test_a_port_scan_is_reported(closing, tls):
    house, away = a_door(closing)
    stranger = await rude_guest(closing, house.port, tls, secured=tls is None)
    await until(lambda: house.admission.silent or house.strangers)
    stranger.transport.abortConnection()
    assert await codes(away) == ["connection-lost"]


@EITHER_SIDE_OF_TLS
async def test_a_client_crowded_out_is_reported(closing, monkeypatch, tls):
    monkeypatch.setattr(acceptor, "stranger_limits", lambda: (2, 2, 2))
    house, away = a_door(closing)
    for _ in range(3):
        await rude_guest(closing, house.port, tls, secured=tls is None)
    assert await codes(away) == ["crowded-out"]


async def test_a_host_that_stops_reports_nobody_as_turned_away(closing):
    house, away = a_door(closing)
    silent = await rude_guest(closing, house.port, tls=False, secured=False)
    greeter = await rude_guest(closing, house.port)
    await until(lambda: len(house.admission.silent) == 1)
    await house.stop()
    await until(lambda: silent.lost and greeter.lost)
    await pause(0.05)
    assert away == []


async def test_a_friend_with_the_invite_who_comes_after_an_expected_guest_is_marked(closing):
    house, away = a_door(closing, expected=[GUEST_KEY.public])
    old = replace(house.invite, secret=bytes(SECRET_BYTES))
    session = await connect(reactor, old, a_guest(eager=False).side)
    failed = await join_error(house.invite, a_guest(OTHER_KEY))
    assert failed.code == "not-expected"
    wrong = replace(house.invite, secret=b"not right!")
    await join_error(wrong, a_guest(OTHER_KEY))
    assert await codes(away, 2) == ["not-expected", "invite-wrong"]
    assert [stranger.has_invite for stranger in away] == [True, False]
    await leave(session)
