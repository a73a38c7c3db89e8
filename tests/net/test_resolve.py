"""The addresses to which a name resolves."""

from types import SimpleNamespace

import pytest
from twisted.internet import reactor

from ginpeer.net.tcp import resolve


class Resolver:
    """A resolver that gives preset answers and records the questions."""

    def __init__(self, *hosts):
        self.nameResolver = self
        self.hosts = hosts
        self.asked = []

    def resolveHostName(self, receiver, host):
        self.asked.append(host)
        self.receiver = receiver
        receiver.resolutionBegan(None)
        for each in self.hosts:
            receiver.addressResolved(SimpleNamespace(host=each))

    def complete(self):
        self.receiver.resolutionComplete()


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
async def test_an_ip_address_is_asked_of_nobody(host):
    assert await resolve(system := Resolver(), host) == (host,)
    assert system.asked == []


async def test_an_onion_name_is_asked_of_nobody():
    assert await resolve(system := Resolver(), "abc.onion") == ()
    assert system.asked == []


async def test_the_system_knows_this_machine():
    assert set(await resolve(reactor, "localhost")) <= {"127.0.0.1", "::1"}


async def test_a_name_stands_for_four_addresses_at_most_each_once_and_none_of_a_card():
    system = Resolver("192.0.2.1", "192.0.2.1", "fe80::1%eth0", *(f"192.0.2.{n}" for n in range(9)))
    found = resolve(system, "example.org")
    assert not found.called
    system.complete()
    assert await found == ("192.0.2.1", "192.0.2.0", "192.0.2.2", "192.0.2.3")


def test_an_answer_that_nobody_waits_for_any_more_is_dropped():
    found = resolve(system := Resolver(), "example.org")
    found.addErrback(lambda _: None)
    found.cancel()
    system.complete()
