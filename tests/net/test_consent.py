"""Extension 2 (WIRE 9.12): consent to showing the log, and when it isn't allowed."""

import pytest
from twisted.internet import reactor

from ginpeer.net.connection import CONSENT_BURST
from ginpeer.net.connector import connect
from ginpeer.net.handshake import SHARED_LOG
from ginpeer.net.session import ConsentUnsupported, SessionOver, TooFast
from protocol.frames import Consent, MalformedFrame, decode_frame
from tests.net.support import (
    a_guest,
    a_host,
    goodbye_to,
    leave,
    let_in,
    open_house,
    seat_both,
    until,
)
from tests.refusals import code_of

SHARES = (SHARED_LOG,)


async def test_what_a_player_says_of_the_log_comes_to_the_other(closing):
    host, guest = a_host(eager=False, speaks=SHARES), a_guest(eager=False, speaks=SHARES)
    here, there = await seat_both(closing, host, guest)
    here.consent(Consent.GIVE)
    there.consent(Consent.GIVE)
    here.consent(Consent.TAKE_BACK)
    await until(lambda: len(guest.player.all("consent")) == 2 and host.player.all("consent"))
    assert guest.player.all("consent") == [Consent.GIVE, Consent.TAKE_BACK]
    assert host.player.all("consent") == [Consent.GIVE]


@pytest.mark.parametrize(("speaks", "asks"), [((), SHARES), (SHARES, ()), ((1,), (1,))])
async def test_where_the_extension_does_not_hold_consent_has_no_place(closing, speaks, asks):
    host = a_host(eager=False, speaks=speaks)
    guest = await let_in(closing, host, Consent.GIVE, asks=asks)
    assert await goodbye_to(guest) == "frame-unexpected"
    assert host.player.all("consent") == []


async def test_who_changes_its_mind_without_end_is_cut_off(closing):
    host = a_host(eager=False, speaks=SHARES)
    words = [Consent.GIVE, Consent.TAKE_BACK] * CONSENT_BURST
    assert await goodbye_to(await let_in(closing, host, *words, asks=SHARES)) == "flood"
    assert len(host.player.all("consent")) == CONSENT_BURST


async def test_our_player_changes_its_mind_no_faster_than_a_peer_stands(closing):
    host, guest = a_host(eager=False, speaks=SHARES), a_guest(eager=False, speaks=SHARES)
    _, there = await seat_both(closing, host, guest)
    for _ in range(5):
        there.consent(Consent.GIVE)
    with pytest.raises(TooFast):
        there.consent(Consent.GIVE)
    there.consent(Consent.TAKE_BACK)
    await leave(there)
    with pytest.raises(SessionOver):
        there.consent(Consent.TAKE_BACK)


async def test_where_the_extension_does_not_hold_our_player_cannot_consent(closing):
    listening = open_house(closing, a_host(eager=False))
    guest = a_guest(eager=False, speaks=SHARES)
    session = await connect(reactor, listening.invite, guest.side)
    assert code_of(ConsentUnsupported, session.consent, Consent.GIVE) == "no-shared-log"


def test_a_word_that_is_none_has_a_code():
    assert code_of(MalformedFrame, decode_frame, b"\x58\x03") == "consent-malformed"
