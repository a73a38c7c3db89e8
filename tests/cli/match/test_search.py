"""How a host finds its guest: by a reply, or by addresses that the guest has sent."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from cli.match import hosting
from cli.match.hosting import HostContact, HostOptions, _remind
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite, ReplyError
from tests.cli.match.fakes import FakeMatch

REPLIED = (Address("203.0.113.7", 4466), Address("192.168.2.2", 4466))
OWN = (Address("192.168.1.2", 4466), Address("198.51.100.9", 4466))


class Listening:
    occupied = False
    reachable_addresses = ()

    def __init__(self, replied=REPLIED, addresses=OWN):
        self.dialled, self.replied, self.addresses = [], replied, addresses

    def dial_guest(self, reply):
        self.dialled.append(self.replied)
        return self.replied

    def may_dial(self, address):
        return not address.host.startswith("127.")

    def dial(self, addresses):
        self.dialled.append(tuple(addresses))


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch):
    public = SimpleNamespace(same_port=None)
    monkeypatch.setattr(hosting, "PublicAddressLookup", lambda *parts, routers: public)
    monkeypatch.setattr(hosting, "HostRouters", lambda *parts: None)


def a_host(listening):
    match = FakeMatch()
    match.presenter.show_dialling = lambda *_: None
    return HostContact(match, listening, HostOptions())


@pytest.fixture
def search(monkeypatch):
    monkeypatch.setattr(
        "ginpeer.net.codes.parse_reply", lambda text: SimpleNamespace(guest=bytes(16))
    )
    return a_host(Listening())


def test_a_guests_claimed_address_does_not_replace_its_reply(search):
    search.on_paste("ginr1-...")
    search.also_dial(())
    search.also_dial(REPLIED[:1])
    search.also_dial((Address("127.0.0.1", 22), *OWN))
    assert search._listening.dialled == [REPLIED]
    moved = Address("203.0.113.7", 5000)
    search.also_dial((moved,))
    assert search._listening.dialled == [REPLIED, (moved, *REPLIED)]


@pytest.mark.parametrize(
    ("invite", "reply", "told"),
    [
        (REPLIED, REPLIED, None),
        (REPLIED[1:], REPLIED[1:], "Neither of you has"),
        (REPLIED, REPLIED[1:], "The guest has"),
        (REPLIED[1:], REPLIED, "The host has"),
    ],
)
def test_a_reply_that_leads_nowhere_is_reported_when_it_is_pasted(search, invite, reply, told):
    search._listening = Listening(reply, invite)
    search.on_paste("ginr1-...")
    told_us = search._match.told
    assert [line.partition(" given ")[0] for line in told_us] == ([] if told is None else [told])


INVITE = Invite.of(bytes(32), bytes(SECRET_BYTES), (Address("192.0.2.1", 4466),))


@pytest.mark.parametrize("own", [True, False])
def test_an_invite_pasted_at_a_host_is_explained(own):
    listening = Listening()
    listening.invite = INVITE if own else replace(INVITE, host=bytes(16))
    with pytest.raises(ReplyError) as caught:
        a_host(listening).on_paste(f"invite: {INVITE}")
    assert caught.value.code == "invite-here"
    assert ("your own" in caught.value.sentence) is own
    assert ("type quit, then" in caught.value.sentence) is not own


def test_a_paste_that_is_not_a_reply_changes_nothing():
    search = a_host(Listening())
    with pytest.raises(ReplyError):
        search.on_paste("nonsense")
    assert search._listening.dialled == []


@pytest.mark.parametrize("comes", [True, False])
def test_a_waiting_host_is_reminded_of_what_its_friend_types(comes):
    match, arrival = FakeMatch(name="Ann"), Deferred()
    clock, told = match.reactor, match.told
    _remind(match, arrival, '"Ben"')
    clock.advance(60)
    assert len(told) == 1
    assert all(word in told[0] for word in (" 1 minute", '"Ben"', '"Ann"'))
    if comes:
        arrival.callback(object())
        assert not clock.getDelayedCalls()
    clock.advance(240)
    assert len(told) == (1 if comes else 2)
