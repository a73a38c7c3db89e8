"""Address updates, which tell a peer how to reach us later: sent beside the log, checked, and
stored by key."""

from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.address import Address, encode_addresses, onion_host
from ginpeer.net.session import TELL_EVERY
from protocol.frames import AddressUpdate
from tests.net.pair import Pair, ended
from tests.net.support import HOST_KEY, a_guest, a_host
from tests.net.test_session_alone import begun

HERE = (Address("203.0.113.2", 4466), Address("gin.example", 4470))


class Known:
    def __init__(self):
        self.kept = []

    def name_of(self, key):
        return None

    def remember(self, key, address):
        pass

    def note_addresses(self, key, addresses):
        self.kept.append((key, addresses))


class Telling:
    """A party that announces its addresses."""

    def __init__(self, party, *addresses):
        self.party, self.addresses = party, addresses

    def __getattr__(self, name):
        return getattr(self.party, name)

    @property
    def side(self):
        return replace(self.party.side, own_addresses=lambda: self.addresses)


def test_each_side_learns_the_others_addresses_and_their_changes():
    guest = a_guest(eager=False, known=Known())
    host = Telling(a_host(eager=False), *HERE)
    pair = Pair(host, guest)
    told = ("203.0.113.2:4466", "gin.example:4470")
    assert guest.known.kept == [(HOST_KEY.public, told)]
    host.addresses = HERE[:1]
    # However often the addresses change, only the latest ones are sent, at intervals.
    for _ in range(3):
        pair.ours.send_addresses()
    pair.turn()
    assert guest.known.kept[1:] == []
    pair.clock.advance(TELL_EVERY)
    pair.turn()
    assert guest.known.kept[1:] == [(HOST_KEY.public, told[:1])]
    assert ended(pair.ours) is ended(pair.theirs) is None


def test_after_a_minute_addresses_are_sent_at_once_again():
    clock = Clock()
    session = begun(Telling(a_host(eager=False), *HERE), clock)
    clock.advance(TELL_EVERY)
    session.send_addresses()
    assert [type(frame) for frame in session._wire.sent].count(AddressUpdate) == 2


class EarlyClock(Clock):
    """A clock whose timers fire slightly early, as rounding can cause."""

    def callLater(self, delay, *call, **more):
        return super().callLater(delay * (1 - 1e-9), *call, **more)


def test_delayed_addresses_are_sent_even_if_the_timer_fires_slightly_early():
    """If the timer were restarted each time, the pauses would shrink to nothing."""
    guest = a_guest(eager=False, known=Known())
    host = Telling(a_host(eager=False), *HERE)
    pair = Pair(host, guest, EarlyClock())
    host.addresses = HERE[:1]
    pair.ours.send_addresses()
    pair.clock.advance(TELL_EVERY * (1 - 1e-9))
    pair.turn()
    assert guest.known.kept[1:] == [(HOST_KEY.public, ("203.0.113.2:4466",))]
    assert ended(pair.ours) is None


@pytest.mark.parametrize("before", [True, False])
def test_no_addresses_are_sent_after_the_session(before):
    host = Telling(a_host(eager=False), *HERE)
    pair = Pair(host)
    if before:
        pair.ours.send_addresses()
    pair.ours.leave()
    pair.turn()
    assert pair.clock.getDelayedCalls() == []
    pair.ours.send_addresses()
    assert pair.clock.getDelayedCalls() == []


def test_the_addresses_of_a_player_who_came_through_tor_are_not_kept():
    host = a_host(eager=False, known=Known())
    pair = Pair(host, Telling(a_guest(eager=False), *HERE), begun=False)
    pair.theirs.peer = replace(pair.theirs.peer, address=f"{onion_host(bytes(32))}:4466")
    pair.turn()
    assert ended(pair.ours) is ended(pair.theirs) is None
    assert host.known.kept == []


def test_no_addresses_are_kept_from_a_player_who_sends_none():
    guest = a_guest(eager=False, known=Known())
    Pair(a_host(eager=False), guest)
    assert guest.known.kept == []


@pytest.mark.parametrize(
    "packed",
    [
        *(b"\x05", b"\x01\x01", encode_addresses(HERE) * 5, b"\x81\x01\x02\0\0"),
        *(b"\x00\x04\x1b[2J", b"\x04\xc0\xa8\x01\x02", b"\x81\x01\x02\x11\x72"),
    ],
    ids=[
        *("unknown kind", "cut off", "ten addresses", "port zero", "an escape"),
        *("192.168 as any other", "a port that goes without saying"),
    ],
)
def test_malformed_addresses_end_the_connection_and_blame_nobody(packed):
    host = a_host(eager=False, known=Known())
    pair = Pair(host)
    pair.wire(AddressUpdate(packed))
    assert ended(pair.ours) == ("whereabouts-malformed", "A")
    assert "\x1b" not in pair.ours.ending.sentence
    assert host.known.kept == []


def test_addresses_are_accepted_without_a_list_of_friends():
    pair = Pair()
    pair.wire(AddressUpdate(encode_addresses(HERE)))
    assert ended(pair.ours) is None


def test_the_encoding_is_as_short_as_possible():
    some = (Address("192.168.1.2", 4466), Address("10.0.0.1", 4466), Address("203.0.113.9", 5))
    assert encode_addresses(some) == bytes.fromhex("010102" + "02000001" + "84cb0071090005")
    assert encode_addresses(some[::-1]) == bytes.fromhex(
        "84cb0071090005" + "820000011172" + "010102"
    )
