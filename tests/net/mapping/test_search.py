"""The search for a router's description: whose answers count, and how it ends."""

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net.mapping import datagrams
from ginpeer.net.mapping.datagrams import search
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import RouterUrl
from ginpeer.net.mapping.results import Refusal
from tests.net.mapping.asking import OnePort, refused

ROUTER, GROUP, PORT = "192.168.1.1", "239.255.255.250", 1900
FOUND = b"HTTP/1.1 200 OK\r\nLocation: http://192.168.1.1:5000/d\r\n\r\n"
ELSEWHERE = b"HTTP/1.1 200 OK\r\nLocation: http://192.0.2.1/\r\n\r\n"
OTHER = b"NOTIFY * HTTP/1.1\r\n\r\n"


@pytest.fixture
def begin_search():
    """Return a function that starts a search and returns it with its wire and its clock."""

    def begin(*no_way_to, waits=(1.0, 2.0)):
        clock = Clock()
        wire = OnePort(clock, no_way_to)
        looking = search(wire, Gateway(ROUTER, "192.168.1.7"), PORT, GROUP, waits)
        return looking, wire, clock

    return begin


def ended(looking, wire):
    """Return the code with which a search has ended."""
    assert not wire.open
    failures = []
    looking.addErrback(failures.append)
    failures[0].trap(Refusal)
    return failures[0].value.code


def test_the_router_and_the_multicast_group_are_asked_before_each_wait(begin_search):
    looking, wire, clock = begin_search()
    both = [(ROUTER, PORT)] * len(datagrams.SEARCH_TARGETS) + [(GROUP, PORT)] * len(
        datagrams.SEARCH_TARGETS
    )
    assert [to for _, to in wire.sent] == both
    clock.advance(1.0)
    assert [to for _, to in wire.sent] == both * 2
    clock.advance(2.0)
    assert ended(looking, wire) == "no-answer"


def test_the_routers_answer_counts_whatever_others_sent_before(begin_search):
    looking, wire, _ = begin_search()
    wire.hear(FOUND, ("192.168.1.66", PORT))
    assert wire.open
    wire.hear(OTHER, (ROUTER, PORT))
    wire.hear(ELSEWHERE, (ROUTER, 49152))
    wire.hear(FOUND, (ROUTER, 49152))
    wire.hear(FOUND, (ROUTER, PORT))  # a second answer, sent before the search ended
    assert looking.result == RouterUrl(ROUTER, 5000, "/d")
    assert not wire.open


def test_the_router_is_asked_even_if_the_group_is_unreachable(begin_search):
    _, wire, _ = begin_search(GROUP)
    assert {to for _, to in wire.sent} == {(ROUTER, PORT)}
    assert wire.open


def test_the_search_ends_if_both_router_and_group_are_unreachable(begin_search):
    looking, wire, clock = begin_search(GROUP, ROUTER)
    assert ended(looking, wire) == "router-unreachable"
    assert not clock.getDelayedCalls()


async def test_a_question_from_a_foreign_address_reports_an_unreachable_router():
    looking = search(reactor, Gateway(ROUTER, "192.0.2.77"), PORT, GROUP, (1.0,))
    assert await refused(looking) == "router-unreachable"
