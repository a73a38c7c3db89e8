"""Who was turned away at the door, as a host reads it."""

from __future__ import annotations

import time

from cli.text.connecting import REASONS, more_turned_away, turned_away
from ginpeer.net.admission import RejectedConnection
from ginpeer.net.handshake import REFUSALS
from protocol.crypto.identity import fingerprint
from tests.net.support import GUEST_KEY, OTHER_KEY

NOON = time.struct_time((2026, 11, 21, 12, 0, 0, 5, 325, 0))


def test_a_line_says_when_whence_and_why() -> None:
    strangers = [
        (RejectedConnection("192.0.2.7:51234", "tls-failed"), False),
        (RejectedConnection("[2001:db8::1]:5", "invite-used", GUEST_KEY.public), False),
        (RejectedConnection("192.0.2.7:51235", "invite-wrong", OTHER_KEY.public), True),
        (RejectedConnection("192.0.2.7:51236", "disk-full", our_fault=True), False),
        (RejectedConnection("192.0.2.7:51237", "frame-unexpected"), False),
    ]
    told = [turned_away(stranger, NOON, met=met) for stranger, met in strangers]
    assert told == [
        "12:00:00 192.0.2.7:51234 tried to connect and was refused: it doesn't speak our TLS 1.3, "
        "or didn't show a key. (tls-failed)",
        "12:00:00 [2001:db8::1]:5 tried to connect and was refused, with the key "
        f"{fingerprint(GUEST_KEY.public)}: somebody else has used this invite. (invite-used)",
        "12:00:00 192.0.2.7:51235 tried to connect and was refused, with the key "
        f"{fingerprint(OTHER_KEY.public)}, which you have met: its invite has a different secret; "
        "maybe it is an older one. (invite-wrong)",
        "12:00:00 192.0.2.7:51236 tried to connect and was refused: something went wrong on this "
        "machine. (disk-full)",
        "12:00:00 192.0.2.7:51237 tried to connect and was refused: what it sent makes no sense. "
        "(frame-unexpected)",
    ]


def test_every_refusal_of_the_door_has_its_reason() -> None:
    assert set(REFUSALS) <= set(REASONS)
    assert all(reason[-1] not in ".?!" for reason in REASONS.values())


def test_those_who_were_only_counted_are_one_line() -> None:
    assert more_turned_away(990, NOON) == "12:00:00 990 more tried to connect and were refused."
