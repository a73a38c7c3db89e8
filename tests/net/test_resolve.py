"""The addresses to which a name resolves, and those that are dialled."""

from types import SimpleNamespace

import pytest
from twisted.internet import reactor
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError
from twisted.internet.protocol import Factory, Protocol

from ginpeer.net.address import Address
from ginpeer.net.connection_attempt import Dialler
from ginpeer.net.tcp import MAX_HOSTS, ListenError, _FilteringReactor, bind, resolve
from tests.net.support import a_host, failure_of, open_house
from tests.net.test_onion_address import ONION


class Resolver:
    """The reactor, with a resolver that resolves every name to these addresses, and records the
    names."""

    def __init__(self, *hosts, completes=False):
        self.nameResolver = self
        self.hosts = hosts
        self.completes = completes
        self.asked = []

    def __getattr__(self, name):
        return getattr(reactor, name)

    def resolveHostName(self, receiver, hostName, portNumber=0, **more):
        self.asked.append(hostName)
        self.receiver = receiver
        receiver.resolutionBegan(None)
        for host in self.hosts:
            receiver.addressResolved(IPv4Address("TCP", host, portNumber))
        if self.completes:
            receiver.resolutionComplete()

    def complete(self):
        self.receiver.resolutionComplete()


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
async def test_an_ip_address_is_not_looked_up(host):
    assert await resolve(system := Resolver(), host) == (host,)
    assert system.asked == []


async def test_an_onion_name_is_not_looked_up():
    assert await resolve(system := Resolver(), "abc.onion") == ()
    assert system.asked == []


@pytest.mark.parametrize("or_next", [False, True])
def test_an_onion_name_is_not_looked_up_to_listen_there(or_next):
    system = SimpleNamespace()  # it can't listen, and so not look up the name either
    with pytest.raises(ListenError) as caught:
        bind(system, ONION, Factory(), or_next=or_next)
    assert caught.value.code == "address-not-ours"


async def test_the_system_resolves_localhost():
    found = set(await resolve(reactor, "localhost"))
    assert found
    assert found <= {"127.0.0.1", "::1"}


async def test_a_name_stands_for_at_most_four_distinct_addresses():
    system = Resolver("192.0.2.1", "192.0.2.1", "fe80::1%eth0", *(f"192.0.2.{n}" for n in range(9)))
    found = resolve(system, "example.org")
    assert not found.called
    system.complete()
    assert await found == ("192.0.2.1", "192.0.2.0", "192.0.2.2", "192.0.2.3")


def test_an_answer_after_cancellation_is_dropped():
    found = resolve(system := Resolver(), "example.org")
    found.addErrback(lambda _: None)
    found.cancel()
    system.complete()


def test_only_a_few_addresses_of_a_name_are_dialled():
    heard = []
    receiver = SimpleNamespace(
        addressResolved=lambda address: heard.append(address.host), resolutionComplete=lambda: None
    )
    system = Resolver(*(f"192.168.1.{number}" for number in range(1, 51)), completes=True)
    _FilteringReactor(system).resolveHostName(receiver, "gin.example", 8080)
    assert len(heard) == MAX_HOSTS


async def test_a_name_is_dialled_only_where_its_addresses_may_be(closing):
    listening = open_house(closing, a_host())
    named = Resolver("127.0.0.1", completes=True)
    factory = Factory.forProtocol(Protocol)
    there = await Dialler().connect(named, Address("gin.example", listening.port), factory)
    there.transport.abortConnection()
    dialling = Dialler().connect(named, Address("gin.example", 25), factory)
    refused = Deferred.fromCoroutine(dialling)
    await failure_of(refused, DNSLookupError)
