"""What a host reads about the addresses at which it can be reached."""

import pytest

from cli.text.connecting import addresses_text, outside_line
from ginpeer.net.address import Address
from ginpeer.net.own_addresses import Reach, ReachableAddress


def place(host, reach):
    return ReachableAddress(Address(host, 4466), reach)


HOME = place("192.168.1.20", Reach.HOME)
SIX = place("2a02:8108::7", Reach.IPV6)


def test_of_each_address_it_is_said_who_can_reach_it(transcript):
    """Addresses of one kind share a sentence."""
    each = (HOME, SIX, place("100.64.0.9", Reach.VPN), place("192.168.7.2", Reach.HOME))
    transcript(addresses_text(each))


@pytest.mark.parametrize("reach", Reach)
def test_every_reach_has_its_words(reach):
    assert addresses_text((place("192.0.2.1", reach),)).startswith("192.0.2.1:4466 (")


def test_where_nobody_outside_gets_in_that_is_said_up_front(transcript):
    seen, alone = place("203.0.113.7", Reach.CLOSED), place("127.0.0.1", Reach.LOOPBACK)
    transcript(outside_line(places, 4470) for places in ((HOME,), (seen, HOME), (alone,)))
    assert outside_line((HOME, SIX), 4470) is None
    assert outside_line((HOME, place("gin.example", Reach.GIVEN)), 4470) is None
