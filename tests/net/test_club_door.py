"""A host that plays anybody who connects: whom its one invite admits, and to which table."""

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net import access_policy
from ginpeer.net.access_policy import BURST, NEWCOMERS, READMITTED_EVERY, REMEMBERED, ClubPolicy
from ginpeer.net.connection import ALLOWED
from ginpeer.net.connector import connect
from ginpeer.net.handshake import ChannelBinding, GreetingRefused, invite_proof
from protocol.crypto.identity import IdentityKey, key_hash
from protocol.frames import Chat, Hello
from tests.net.support import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    SECRET,
    a_guest,
    a_host,
    join_error,
    leave,
    open_house,
    until,
)


class Tables:
    """Several tables, each with its own party for its guest."""

    def __init__(self, tables=1):
        self.tables = tables
        self.parties = {}
        self.all = []
        self.turned_away = []

    @property
    def is_full(self):
        return len(self.parties) >= self.tables

    def assign(self, key):
        if self.is_full:
            return None
        self.parties[key] = a_host(eager=False)
        self.all.append(self.parties[key])
        return self.parties[key].side

    def note_left(self, key):
        del self.parties[key]

    def note_refused(self, key):
        self.turned_away.append(key)


def policy_for(tables=1, **settings):
    given = Tables(tables)
    clock = Clock()
    return ClubPolicy(SECRET, given, clock, **settings), given, clock


def connect_as(door, key, secret=SECRET, versions=(1,)):
    """Let a peer with this key connect. Return the version if it is admitted, or the code of the
    refusal."""
    link = ChannelBinding(b"e" * 32, HOST_KEY.public, key.public)
    blank = Hello(versions, b"", None, "test")
    hello = Hello(versions, invite_proof(secret, link, blank), None, "test")
    try:
        return door.admit(hello, link)
    except GreetingRefused as refused:
        return refused.code


def keys(count):
    return [IdentityKey(number.to_bytes(32, "big")) for number in range(1, count + 1)]


def test_a_guest_at_a_taken_table_is_told_so_and_admitted_when_it_is_free():
    door, tables, _ = policy_for()
    assert connect_as(door, GUEST_KEY) == 1
    assert connect_as(door, OTHER_KEY) == "table-taken"
    assert tables.turned_away == [OTHER_KEY.public]
    door.leave(GUEST_KEY.public)
    assert connect_as(door, OTHER_KEY) == 1


def test_a_known_guest_is_told_too_if_another_has_the_table():
    door, tables, _ = policy_for()
    assert connect_as(door, GUEST_KEY) == 1
    door.leave(GUEST_KEY.public)
    assert connect_as(door, OTHER_KEY) == 1
    assert connect_as(door, GUEST_KEY) == "table-taken"
    assert tables.turned_away == [GUEST_KEY.public]


def test_each_table_takes_a_guest_and_no_guest_takes_two():
    door, _, _ = policy_for(tables=3)
    assert connect_as(door, GUEST_KEY) == 1
    assert connect_as(door, GUEST_KEY) == "table-taken"
    assert connect_as(door, OTHER_KEY) == 1


@pytest.mark.parametrize(
    ("code", "key", "settings"),
    [
        ("invite-wrong", OTHER_KEY, {"secret": b"another one"[:10]}),
        ("same-key", HOST_KEY, {}),
        ("version-mismatch", OTHER_KEY, {"versions": (7,)}),
    ],
)
def test_a_stranger_learns_nothing_about_the_tables(code, key, settings):
    door, tables, _ = policy_for()
    assert connect_as(door, key, **settings) == code
    connect_as(door, GUEST_KEY)
    assert connect_as(door, key, **settings) == code
    assert tables.turned_away == []


def test_an_expected_guest_needs_no_invite():
    door, _, _ = policy_for(expected=[OTHER_KEY.public])
    assert door.expects(key_hash(OTHER_KEY.public))
    assert not door.expects(key_hash(GUEST_KEY.public))
    assert connect_as(door, OTHER_KEY, secret=b"another!!!") == 1


def test_a_guest_who_was_admitted_comes_back_without_the_invite():
    door, _, _ = policy_for()
    assert connect_as(door, GUEST_KEY) == 1
    door.leave(GUEST_KEY.public)
    assert door.expects(key_hash(GUEST_KEY.public))
    assert connect_as(door, GUEST_KEY, secret=b"another!!!") == 1


def test_a_guest_who_comes_and_goes_constantly_keeps_nobody_out():
    door, _, clock = policy_for()
    for _ in range(int(BURST)):
        assert connect_as(door, GUEST_KEY) == 1
        door.leave(GUEST_KEY.public)
    assert connect_as(door, GUEST_KEY) == "table-taken"
    assert connect_as(door, OTHER_KEY) == 1
    door.leave(OTHER_KEY.public)
    clock.advance(READMITTED_EVERY)
    assert connect_as(door, GUEST_KEY) == 1
    assert BURST + 86_400 / READMITTED_EVERY < 3_000  # the most matches of one key in a day


def test_many_keys_gain_no_more_admissions_and_fill_no_memory():
    door, _, clock = policy_for()
    let_in = 0
    for key in keys(int(NEWCOMERS) + 5):
        let_in += connect_as(door, key) == 1
        door.leave(key.public)
    assert let_in == NEWCOMERS
    for key in keys(REMEMBERED + 50):
        clock.advance(access_policy.NEWCOMER_EVERY)
        assert connect_as(door, key) == 1
        door.leave(key.public)
    assert len(door._admissions) == REMEMBERED
    assert not door._sides


def test_a_crowd_of_newcomers_is_admitted_at_once_and_then_a_few_per_hour():
    door, _, clock = policy_for()
    let_in = 0
    for key in keys(360):
        let_in += connect_as(door, key) == 1
        door.leave(key.public)
        clock.advance(10.0)
    assert 60 <= let_in - NEWCOMERS <= 120
    assert NEWCOMERS >= 20


def test_newcomers_who_find_no_table_do_not_count_and_are_not_remembered():
    door, tables, _ = policy_for()
    assert connect_as(door, GUEST_KEY) == 1
    for key in keys(2 * int(NEWCOMERS)):
        assert connect_as(door, key) == "table-taken"
    assert len(tables.turned_away) == 2 * NEWCOMERS
    assert list(door._admissions) == [GUEST_KEY.public]
    door.leave(GUEST_KEY.public)
    assert connect_as(door, OTHER_KEY) == 1


def test_an_expected_guest_does_not_count_as_a_newcomer():
    door, _, _ = policy_for(expected=[OTHER_KEY.public])
    for key in keys(int(NEWCOMERS) + 1):
        connect_as(door, key)
        door.leave(key.public)
    assert connect_as(door, GUEST_KEY) == "table-taken"
    assert connect_as(door, OTHER_KEY) == 1


async def test_two_guests_with_one_invite_sit_at_two_tables_and_a_third_waits(closing):
    tables = Tables(2)
    listening = open_house(closing, a_host(), club=tables)
    ann, ben = a_guest(eager=False), a_guest(identity=OTHER_KEY, eager=False)
    first = await connect(reactor, listening.invite, ann.side)
    second = await connect(reactor, listening.invite, ben.side)
    third = a_guest(identity=IdentityKey(b"t" * 32))
    assert (await join_error(listening.invite, third)).code == "table-taken"
    assert listening.occupied
    await until(lambda: all(party.players for party in tables.all))
    host_keys = [party.session.peer.key for party in tables.all]
    assert host_keys == [GUEST_KEY.public, OTHER_KEY.public]
    await leave(first)
    await until(lambda: not tables.is_full)
    third_session = await connect(reactor, listening.invite, third.side)
    await leave(third_session)
    await leave(second)


async def test_chat_at_one_table_does_not_count_against_the_next(closing):
    tables = Tables()
    listening = open_house(closing, a_host(), club=tables)
    for identity in (GUEST_KEY, OTHER_KEY):
        guest = a_guest(identity=identity, eager=False)
        session = await connect(reactor, listening.invite, guest.side)
        await until(lambda: tables.all[-1].players)
        wire = session._wire
        for number in range(ALLOWED[Chat][0] - 1):
            wire.send(Chat(f"line {number}"))
        player = tables.all[-1].player
        await until(lambda player=player: len(player.all("chat")) == ALLOWED[Chat][0] - 1)
        await leave(session)
        await until(lambda: not tables.is_full)
