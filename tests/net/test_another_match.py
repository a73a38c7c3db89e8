"""Extension 1 (WIRE 9.12): a guest's proposals, and when they aren't allowed."""

import pytest
from twisted.internet import reactor

from ginpeer.net.connection import PROPOSAL_BURST
from ginpeer.net.connector import connect
from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.session import SessionOver, TooFast
from protocol.frames import Goodbye, Proposal
from tests.net.support import LineSeat, a_guest, a_host, goodbye_to, let_in, open_house, until

STAYS = (ANOTHER_MATCH,)
WISH = "oklahoma target=150"


class Undecided(LineSeat):
    """A table at which nothing has been agreed yet."""

    def agreed(self):
        return False


class Agreed(LineSeat):
    """A table at which a match is agreed and in progress."""

    def agreed(self):
        return True


async def at_the_table(closing, host, *wishes, asks=STAYS):
    """Let in a guest that sends these proposals."""
    return await let_in(closing, host, *map(Proposal, wishes), asks=asks)


async def test_a_host_hears_what_its_guest_would_like_to_play(closing):
    host = a_host(eager=False, speaks=STAYS, seat_class=Undecided)
    await at_the_table(closing, host, WISH, "nonsense \x1b[2J")
    await until(lambda: len(host.player.all("proposed")) == 2)
    # The proposal is cleaned when it is shown.
    assert host.player.all("proposed") == [WISH, "nonsense \x1b[2J"]


@pytest.mark.parametrize(("speaks", "asks"), [((), STAYS), (STAYS, ()), ((), ())])
async def test_where_the_extension_does_not_hold_a_proposal_has_no_place(closing, speaks, asks):
    host = a_host(eager=False, speaks=speaks, seat_class=Undecided)
    guest = await at_the_table(closing, host, WISH, asks=asks)
    assert await goodbye_to(guest) == "frame-unexpected"
    assert host.player.all("proposed") == []


async def test_who_proposes_without_end_is_cut_off(closing):
    host = a_host(eager=False, speaks=STAYS, seat_class=Undecided)
    guest = await at_the_table(closing, host, *[WISH] * (PROPOSAL_BURST + 1))
    assert await goodbye_to(guest) == "flood"
    assert len(host.player.all("proposed")) == PROPOSAL_BURST


async def test_once_a_match_is_agreed_a_proposal_is_no_news(closing):
    host = a_host(eager=False, speaks=STAYS, seat_class=Agreed)
    guest = await at_the_table(closing, host, WISH)
    guest.send(Goodbye("left", ""))
    await until(lambda: host.player.all("closed"))
    assert host.player.all("proposed") == []


async def test_to_a_guest_nobody_proposes(closing):
    listening = open_house(closing, a_host(eager=False, speaks=STAYS))
    guest = a_guest(eager=False, speaks=STAYS)
    session = await connect(reactor, listening.invite, guest.side)
    assert session.peer.extensions == STAYS
    assert not session.accepts_proposals


async def test_our_guest_proposes_before_a_match_is_agreed_and_not_too_often(closing):
    host = a_host(eager=False, speaks=STAYS, seat_class=Undecided)
    listening = open_house(closing, host)
    guest = a_guest(eager=False, speaks=STAYS, seat_class=Undecided)
    session = await connect(reactor, listening.invite, guest.side)
    for _ in range(5):
        session.propose(WISH)
    with pytest.raises(TooFast):
        session.propose(WISH)
    await until(lambda: len(host.player.all("proposed")) == 5)
    guest.seat.agreed = lambda: True
    with pytest.raises(SessionOver):
        session.propose(WISH)


async def test_a_guest_whose_host_goes_home_proposes_nothing(closing):
    listening = open_house(closing, a_host(eager=False, seat_class=Undecided))
    guest = a_guest(eager=False, speaks=STAYS, seat_class=Undecided)
    session = await connect(reactor, listening.invite, guest.side)
    assert not session.may_propose
    with pytest.raises(SessionOver):
        session.propose(WISH)
