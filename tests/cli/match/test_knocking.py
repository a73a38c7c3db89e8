"""`ginpeer host -v`: who knocked and was not let in, and why; and that no stranger can abuse it."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.task import Clock

from cli.match.knocking import BURST, PAUSE, RATE, REASONS, Knocking
from ginpeer.net import host
from ginpeer.net.entrance import Room
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.host import TurnedAway
from ginpeer.net.join import JoinError, join
from protocol.crypto.identity import fingerprint
from protocol.frames import Goodbye
from tests.cli.table.script import Script
from tests.net.support import (
    GUEST_KEY,
    LOOPBACK,
    OTHER_KEY,
    AnyTLS,
    Party,
    a_guest,
    a_host,
    failure_of,
    leave,
    open_house,
    pause,
    rude_guest,
    until,
)

NOON = time.struct_time((2026, 11, 21, 12, 0, 0, 5, 325, 0))
FROM = f"{LOOPBACK}:"


def knocking(clock: Clock, told: list[str], known: tuple[bytes, ...] = ()) -> Knocking:
    return Knocking(clock, told.append, known.__contains__, lambda: NOON)


# --- what the host reads --------------------------------------------------------------------------


def test_a_line_says_when_whence_and_why() -> None:
    told: list[str] = []
    listener = knocking(Clock(), told, (OTHER_KEY.public,))
    listener.turned_away(TurnedAway("192.0.2.7:51234", "tls-failed"))
    listener.turned_away(TurnedAway("[2001:db8::1]:5", "invite-used", GUEST_KEY.public))
    listener.turned_away(TurnedAway("192.0.2.7:51235", "invite-wrong", OTHER_KEY.public))
    listener.turned_away(TurnedAway("192.0.2.7:51236", "disk-full", our_fault=True))
    listener.turned_away(TurnedAway("192.0.2.7:51237", "frame-unexpected"))
    assert told == [
        "12:00:00 192.0.2.7:51234 knocked and was not let in: it does not speak our TLS 1.3, or "
        "showed no key of its own. (tls-failed)",
        "12:00:00 [2001:db8::1]:5 knocked and was not let in, with the key "
        f"{fingerprint(GUEST_KEY.public)}: this invite has been used by somebody else. "
        "(invite-used)",
        "12:00:00 192.0.2.7:51235 knocked and was not let in, with the key "
        f"{fingerprint(OTHER_KEY.public)}, which you have met: it has not the secret of this "
        "invite; maybe it has an older one. (invite-wrong)",
        "12:00:00 192.0.2.7:51236 knocked and was not let in: something went wrong on this "
        "machine. (disk-full)",
        "12:00:00 192.0.2.7:51237 knocked and was not let in: what it sent makes no sense. "
        "(frame-unexpected)",
    ]


def test_every_refusal_of_the_door_has_its_reason() -> None:
    assert set(REFUSALS) <= set(REASONS)
    assert all(reason[-1] not in ".?!" for reason in REASONS.values())


def test_strangers_by_the_thousand_are_counted() -> None:
    clock, told = Clock(), []
    listener = knocking(clock, told)
    for port in range(1000):
        listener.turned_away(TurnedAway(f"192.0.2.7:{port}", "tls-failed"))
    assert len(told) == BURST
    clock.advance(PAUSE - 0.1)
    assert len(told) == BURST
    clock.advance(0.1)
    assert told[BURST:] == [f"12:00:00 {1000 - BURST} more knocked and were not let in."]
    clock.advance(PAUSE * 10)
    assert len(told) == BURST + 1
    assert clock.getDelayedCalls() == []


def test_a_flood_for_an_hour_is_a_few_lines_a_minute_and_nobody_is_forgotten() -> None:
    clock, told = Clock(), []
    listener = knocking(clock, told)
    for _ in range(3600):
        for _ in range(3):
            listener.turned_away(TurnedAway("192.0.2.7:1", "tls-failed"))
        clock.advance(1)
    clock.advance(PAUSE)
    assert len(told) < BURST + 60 * 5
    counted = [int(line.split()[1]) for line in told if " more " in line]
    assert sum(counted) + len(told) - len(counted) == 3 * 3600


def test_who_was_counted_is_told_before_the_next() -> None:
    clock, told = Clock(), []
    listener = knocking(clock, told)
    for _ in range(BURST + 7):
        listener.turned_away(TurnedAway("192.0.2.7:1", "tls-failed"))
    clock.advance(1 / RATE)
    listener.turned_away(TurnedAway("192.0.2.8:2", "tls-failed"))
    assert told[BURST] == "12:00:00 7 more knocked and were not let in."
    assert "192.0.2.8:2 knocked" in told[BURST + 1]
    assert clock.getDelayedCalls() == []
    for _ in range(3):
        listener.turned_away(TurnedAway("192.0.2.7:1", "tls-failed"))
    listener.stop()
    assert clock.getDelayedCalls() == []


# --- who is a stranger ----------------------------------------------------------------------------


def a_door(closing, party: Party | None = None, **settings):
    """An open house, and who was turned away from it."""
    away: list[TurnedAway] = []
    house = open_house(closing, party or a_host(eager=False), turned_away=away.append, **settings)
    return house, away


async def codes(away: list[TurnedAway], count: int = 1) -> list[str]:
    await until(lambda: len(away) >= count)
    await pause(0.05)
    assert all(stranger.address.startswith(FROM) for stranger in away)
    return [stranger.code for stranger in away]


@ensureDeferred
async def test_a_wrong_invite_is_told_with_the_key(closing):
    house, away = a_door(closing)
    wrong = replace(house.invite, secret=b"another secret!!")
    await failure_of(join(reactor, wrong, a_guest(OTHER_KEY).side), JoinError)
    assert await codes(away) == ["invite-wrong"]
    assert away[0].key == OTHER_KEY.public
    assert not away[0].our_fault


@ensureDeferred
async def test_a_used_invite_is_told_and_the_guest_who_sits_is_not(closing):
    house, away = a_door(closing)
    session = await join(reactor, house.invite, a_guest(eager=False).side)
    await failure_of(join(reactor, house.invite, a_guest(OTHER_KEY).side), JoinError)
    assert await codes(away) == ["invite-used"]
    own = join(reactor, house.invite, a_guest().side)  # the same guest by a second way
    assert (await failure_of(own, JoinError)).code == "table-taken"
    assert await codes(away) == ["invite-used"]
    await leave(session)
    await pause(0.05)
    assert await codes(away) == ["invite-used"]


@ensureDeferred
async def test_who_speaks_no_tls_is_told(closing):
    house, away = a_door(closing)
    stranger = await rude_guest(closing, house.port, tls=False, secured=False)
    stranger.transport.write(b"GET / HTTP/1.1\r\n\r\n")
    assert await codes(away) == ["tls-failed"]
    assert away[0].key is None


@ensureDeferred
async def test_who_speaks_another_protocol_in_tls_is_told(closing):
    house, away = a_door(closing)
    await rude_guest(closing, house.port, AnyTLS(alpn=[b"h2"]))
    assert await codes(away) == ["wrong-alpn"]


@ensureDeferred
async def test_a_greeting_that_is_none_is_told_without_its_words(closing):
    house, away = a_door(closing)
    stranger = await rude_guest(closing, house.port)
    stranger.send(Goodbye("left", "12:00:00 192.0.2.7:1 knocked and was let in"))
    assert await codes(away) == ["peer-closed"]
    assert "was let in" not in repr(away)


@pytest.mark.parametrize("tls", [False, None], ids=["before TLS", "after TLS"])
@ensureDeferred
async def test_who_is_too_slow_is_told_once(closing, tls):
    clock = Clock()
    house, away = a_door(closing, clock=clock)
    stranger = await rude_guest(closing, house.port, tls, secured=tls is None)
    await until(lambda: clock.getDelayedCalls())
    await pause(0.05)
    clock.advance(10)
    await until(lambda: stranger.lost)
    assert await codes(away) == ["greeting-timeout"]


@pytest.mark.parametrize("tls", [False, None], ids=["before TLS", "after TLS"])
@ensureDeferred
async def test_who_looks_whether_the_port_is_open_is_told(closing, tls):
    house, away = a_door(closing)
    stranger = await rude_guest(closing, house.port, tls, secured=tls is None)
    await until(lambda: house._entrance.silent or house._hall.strangers)
    stranger.transport.abortConnection()
    assert await codes(away) == ["connection-lost"]


@ensureDeferred
async def test_who_makes_room_is_told(closing, monkeypatch):
    monkeypatch.setattr(host, "room_for_strangers", lambda: Room(2, 2, 2))
    house, away = a_door(closing)
    for _ in range(3):
        await rude_guest(closing, house.port, tls=False, secured=False)
    assert await codes(away) == ["crowded-out"]


@ensureDeferred
async def test_a_host_that_stops_has_turned_nobody_away(closing):
    house, away = a_door(closing)
    silent = await rude_guest(closing, house.port, tls=False, secured=False)
    greeter = await rude_guest(closing, house.port)
    await until(lambda: len(house._entrance.silent) == 1)
    await house.stop()
    await until(lambda: silent.lost and greeter.lost)
    await pause(0.05)
    assert away == []


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [["-v"], []])
def test_the_host_is_told_if_it_asks_for_it(tmp_path, options):
    script = Script(tmp_path, "host", "--listen", f"{LOOPBACK}:0", *options)
    try:
        port = int(script.wait_for("listening")["addresses"].rpartition(":")[2])
        for _ in range(2):
            with socket.create_connection((LOOPBACK, port), timeout=10) as stranger:
                stranger.sendall(b"\x1b[2J event info text=lies\r\n\r\n")
                while stranger.recv(1000):  # until it is closed
                    pass
        if options:
            told = [script.wait_for("info")["text"] for _ in range(2)]
            assert all(f" {LOOPBACK}:" in line for line in told)
            assert all(line.endswith(f": {REASONS['tls-failed']}. (tls-failed)") for line in told)
        status, errors = script.end("quit")
    finally:
        script.kill()
    assert (status, errors) == (4, "")
    assert not any("lies" in line for line in script.lines)
    assert options or not any("knocked" in line for line in script.lines)
