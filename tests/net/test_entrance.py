"""A friend can connect however many other peers do: which connections are dropped, and at what
cost."""

import random
import sys

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net import acceptor
from ginpeer.net.connector import connect
from ginpeer.net.limits import (
    MAX_GREETERS,
    MAX_SECURING,
    MAX_SILENT,
    RESERVED_FILES,
    BoundedSet,
    origin_of,
    stranger_limits,
)
from tests.net.support import a_guest, a_host, open_house, pause, rude_guest, until

# --- who is dropped --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "newcomers", "gone"),
    [
        (3, "a1 b1 c1", ""),  # nobody is removed while there is room
        (2, "a1 b1 c1 d1", "a b"),  # from one origin: the oldest
        (4, "friend2 a1 b1 c1 d1 e1 f1 g1", "a b c d"),  # never the one from elsewhere
        (3, "a1 b2 c3 d4 e5 f6", "a b c"),  # from many origins: the oldest
    ],
)
def test_the_oldest_from_the_most_crowded_origin_is_removed(limit, newcomers, gone):
    """Each newcomer is written as a name followed by the number of its origin."""
    crowd = BoundedSet(limit)
    went = [crowd.add(each[:-1], each[-1]) for each in newcomers.split()]
    assert [each for each in went if each is not None] == gone.split()
    assert list(crowd) == [each[:-1] for each in newcomers.split() if each[:-1] not in gone.split()]


def test_a_bounded_set_never_exceeds_its_limit():
    rng, crowd = random.Random(35), BoundedSet(7)
    here = []
    for number in range(2000):
        if here and rng.random() < 0.3:
            gone = here.pop(rng.randrange(len(here)))
            crowd.remove(gone)
            crowd.remove(gone)  # removing it again does no harm
        else:
            origin = rng.choice("abc")
            goes = crowd.add(number, origin)
            here.append(number)
            if goes is not None:
                here.remove(goes)
        assert sorted(crowd) == sorted(here)
        assert len(crowd) <= 7


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:0:1::5", "2001:db8:0:1:ffff::9", True),
        ("2001:db8:0:1::5", "2001:db8:0:2::5", False),
        ("fe80::1%eth0", "fe80::1", True),
        ("no address", "another", False),
    ],
)
def test_an_origin_is_what_one_neighbour_cannot_change(one, other, same):
    assert (origin_of(one) == origin_of(other)) is same


# --- over the wire ---------------------------------------------------------------------


def small_room(monkeypatch):
    monkeypatch.setattr(acceptor, "stranger_limits", lambda: (4, 2, 3))


async def silent(closing, port):
    return await rude_guest(closing, port, tls=False, secured=False)


async def begins_tls(closing, port):
    stranger = await silent(closing, port)
    stranger.send_bytes(b"\x16\x03\x01\x02\x00")  # the header of a ClientHello
    return stranger


@pytest.mark.parametrize(
    ("arrive", "limit"),
    [(silent, 4), (begins_tls, 2), (rude_guest, 3)],
    ids=["silent", "begins TLS", "ends TLS"],
)
async def test_unfinished_connections_keep_no_friend_out(closing, monkeypatch, arrive, limit):
    small_room(monkeypatch)
    listening = open_house(closing, a_host(eager=False))
    crowd = []
    for number in range(1, limit + 1):
        crowd.append(await arrive(closing, listening.port))
        await until(lambda: len([*listening.strangers, *listening.admission.silent]) == number)  # noqa: B023
    session = await connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: crowd[0].lost)
    assert all(stranger.lost is None for stranger in crowd[1:])
    assert session.ending is None


async def test_a_seated_friend_does_not_count_as_a_stranger(closing, monkeypatch):
    small_room(monkeypatch)
    host = a_host(eager=False)
    listening = open_house(closing, host)
    session = await connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: host.players)
    for _ in range(6):
        await rude_guest(closing, listening.port)
    await until(lambda: len(listening.strangers) == 3)
    assert session.ending is None
    assert host.session.ending is None


async def test_a_connection_being_turned_away_makes_room_too(closing, monkeypatch):
    small_room(monkeypatch)
    clock = Clock()
    listening = open_house(closing, a_host(), clock=clock)
    refused = await rude_guest(closing, listening.port)
    refused.transport.pauseProducing()  # this keeps the peer from closing its end
    refused.send(refused.hello(secret=b"not right!"))
    (connection,) = listening.strangers
    await until(lambda: connection.failed)
    assert connection.failed.code == "invite-wrong"
    for _ in range(3):
        await rude_guest(closing, listening.port)
    await until(lambda: len(listening._connections) == 3)
    assert connection not in listening.strangers
    refused.transport.resumeProducing()


async def test_silence_before_the_first_byte_counts_towards_the_deadline(closing):
    """There is only one deadline: a peer that waits nine seconds to start has one second for the
    rest."""
    clock = Clock()
    listening = open_house(closing, a_host(), clock=clock)
    stranger = await rude_guest(closing, listening.port, tls=False, secured=False)
    await until(lambda: clock.getDelayedCalls())
    clock.advance(9)
    stranger.send_bytes(b"\x16")
    await until(lambda: len(listening.strangers) == 1)
    clock.advance(0.9)
    await pause(0.05)
    assert stranger.lost is None
    clock.advance(0.1)
    await until(lambda: stranger.lost)
    assert clock.getDelayedCalls() == []


async def test_no_connection_object_is_made_for_a_silent_caller(closing):
    clock = Clock()
    listening = open_house(closing, a_host(), clock=clock)
    silent = await rude_guest(closing, listening.port, tls=False, secured=False)
    await until(lambda: len(listening.admission.silent) == 1)
    assert listening._connections == set()
    clock.advance(10)
    await until(lambda: silent.lost)
    assert len(listening.admission.silent) == 0


# --- the process's own limits ----------------------------------------------------------

EVERYBODY = MAX_SILENT + MAX_SECURING + MAX_GREETERS


@pytest.mark.parametrize(
    ("soft", "hard", "total", "raised"),
    [
        (256, 4096, EVERYBODY, EVERYBODY + RESERVED_FILES),
        (256, 600, 600 - RESERVED_FILES, 600),
        (256, 256, 256 - RESERVED_FILES, 256),
        (4096, 4096, EVERYBODY, 4096),
        (60, 60, 3, 60),
    ],
)
def test_strangers_never_use_up_the_last_file_descriptors(monkeypatch, soft, hard, total, raised):
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    allowed = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: allowed[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, changed: allowed.append(changed))
    room = stranger_limits()
    assert sum(room) == total
    assert min(room) >= 1
    assert allowed[-1] == (raised, hard)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_this_machine_can_hold_at_least_100_silent_strangers():
    assert stranger_limits()[0] >= 100
