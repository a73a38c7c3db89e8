"""How a host reads which players were refused."""

from __future__ import annotations

import time

from cli.text.connecting import REASONS, more_turned_away, turned_away
from ginpeer.net.admission import RejectedConnection
from ginpeer.net.handshake import REFUSALS
from tests.net.support import GUEST_KEY, OTHER_KEY

NOON = time.struct_time((2026, 11, 21, 12, 0, 0, 5, 325, 0))


def test_a_line_says_when_whence_and_why(transcript) -> None:
    strangers = [
        (RejectedConnection("192.0.2.7:51234", "tls-failed"), False),
        (RejectedConnection("[2001:db8::1]:5", "invite-used", GUEST_KEY.public), False),
        (RejectedConnection("192.0.2.7:51235", "invite-wrong", OTHER_KEY.public), True),
        (RejectedConnection("192.0.2.7:51236", "disk-full", our_fault=True), False),
        (RejectedConnection("192.0.2.7:51237", "frame-unexpected"), False),
    ]
    told = [turned_away(stranger, NOON, met=met) for stranger, met in strangers]
    transcript(told, more_turned_away(990, NOON))


def test_every_refusal_of_the_door_has_its_reason() -> None:
    assert set(REFUSALS) <= set(REASONS)
    assert all(reason[-1] not in ".?!" for reason in REASONS.values())
