"""What a host reads of where it can be reached."""

import pytest

from cli.text.connecting import outside_line, places_text
from ginpeer.net.address import Address
from ginpeer.net.own_addresses import Reach, ReachableAddress


def place(host, reach):
    return ReachableAddress(Address(host, 4466), reach)


HOME = place("192.168.1.20", Reach.HOME)
SIX = place("2a02:8108::7", Reach.IPV6)


def test_of_each_address_it_is_said_who_can_reach_it():
    text = places_text((HOME, SIX, place("100.64.0.9", Reach.VPN)))
    assert text == (
        "192.168.1.20:4466 (in your home network only), "
        "[2a02:8108::7]:4466 (over the Internet by IPv6, unless your router keeps it out), "
        "100.64.0.9:4466 (in the same VPN only)"
    )


@pytest.mark.parametrize("reach", Reach)
def test_every_reach_has_its_words(reach):
    assert places_text((place("192.0.2.1", reach),)).startswith("192.0.2.1:4466 (")


def test_addresses_of_one_kind_share_their_words():
    two = (HOME, place("192.168.7.2", Reach.HOME))
    assert places_text(two) == (
        "192.168.1.20:4466 and 192.168.7.2:4466 (in your home network only)"
    )


def test_where_nobody_outside_gets_in_that_is_said_up_front():
    line = outside_line((HOME,), 4470)
    assert "works only on your own network" in line
    assert "--stun public" in line
    seen = place("203.0.113.7", Reach.CLOSED)
    assert "Nobody outside your home can connect directly" in outside_line((seen, HOME), 4470)
    assert "TCP port 4470" in outside_line((HOME,), 4470)
    assert outside_line((HOME, SIX), 4470) is None
    assert outside_line((HOME, place("gin.example", Reach.GIVEN)), 4470) is None
    alone = (place("127.0.0.1", Reach.LOOPBACK),)
    assert "no network address" in outside_line(alone, 4470)
