"""What the host's player reads about the addresses in the invite, and about refused players."""

import time

import pytest

from cli.text.connecting import (
    REASONS,
    addresses_text,
    more_turned_away,
    outside_line,
    turned_away,
)
from ginpeer.net.address import Address
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.limits import RejectedConnection
from ginpeer.net.own_addresses import Reach, ReachableAddress
from tests.net.support import GUEST_KEY, OTHER_KEY


def place(host, reach):
    return ReachableAddress(Address(host, 4466), reach)


HOME = place("192.168.1.20", Reach.HOME)
SIX = place("2a02:8108::7", Reach.IPV6)


def test_each_address_is_listed_with_who_can_reach_it(transcript):
    """Addresses of the same kind share a sentence."""
    each = (HOME, SIX, place("100.64.0.9", Reach.VPN), place("192.168.7.2", Reach.HOME))
    transcript(addresses_text(each))


@pytest.mark.parametrize("reach", Reach)
def test_every_reach_has_a_description(reach):
    assert addresses_text((place("192.0.2.1", reach),)).startswith("192.0.2.1:4466 (")


def test_a_host_unreachable_from_outside_is_told_so_up_front(transcript):
    seen, alone = place("203.0.113.7", Reach.CLOSED), place("127.0.0.1", Reach.LOOPBACK)
    given, vpn = place("gin.example", Reach.GIVEN), place("100.64.0.9", Reach.VPN)

    def line(*places, asked=False):
        return outside_line(places, 4470, "type quit", asked=asked)

    asked = line(HOME, vpn, asked=True)
    transcript(line(HOME), asked, line(seen, HOME), line(seen, vpn), line(alone))
    assert line(HOME, SIX) is line(HOME, given) is None


# --- who was refused --------------------------------------------------------------------

NOON = time.struct_time((2026, 11, 21, 12, 0, 0, 5, 325, 0))


def test_a_line_about_a_failed_connection_says_when_from_where_and_why(transcript):
    strangers = [
        (RejectedConnection("192.0.2.7:51234", "tls-failed"), False),
        (RejectedConnection("[2001:db8::1]:5", "invite-used", GUEST_KEY.public), False),
        (RejectedConnection("192.0.2.7:51235", "invite-wrong", OTHER_KEY.public), True),
        (RejectedConnection("192.0.2.7:51236", "disk-full", our_fault=True), False),
        (RejectedConnection("192.0.2.7:51237", "frame-unexpected"), False),
    ]
    told = [turned_away(stranger, NOON, met=met) for stranger, met in strangers]
    transcript(told, more_turned_away(990, NOON))


def test_every_refusal_has_a_reason_to_show():
    assert set(REFUSALS) <= set(REASONS)
    assert all(reason[-1] not in ".?!" for reason in REASONS.values())
