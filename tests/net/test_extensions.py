"""Extensions (WIRE 9.12): a guest's proposals (1), consent to showing the log (2), and bots (4, 5).
Each is used only if both sides know it, and no faster than the other side reads."""

from contextlib import nullcontext

import pytest
from twisted.internet import reactor

from ginpeer.net import acceptor, connection_attempt
from ginpeer.net.connection import ALLOWED
from ginpeer.net.connector import connect
from ginpeer.net.handshake import ANOTHER_MATCH, BOT_GUEST, BOT_HOST, SHARED_LOG, with_bots
from ginpeer.net.session import ConsentUnsupported, SessionOver, TooFast
from protocol.frames import Consent, Goodbye, MalformedFrame, Proposal, decode_frame
from tests.net.support import (
    LineSeat,
    a_guest,
    a_host,
    goodbye_to,
    leave,
    let_in,
    open_house,
    rude_guest,
    seat_both,
    until,
)
from tests.refusals import code_of

STAYS, SHARES = (ANOTHER_MATCH,), (SHARED_LOG,)
WISH = "oklahoma target=150"


class Undecided(LineSeat):
    """A table at which nothing has been agreed yet."""

    def agreed(self):
        return False


class Agreed(LineSeat):
    """A table at which a match is agreed and in progress."""

    def agreed(self):
        return True


def undecided(make, supports=STAYS):
    return make(eager=False, supports=supports, seat_class=Undecided)


# --- proposals and consent -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "heard", "supports", "asks"),
    [
        *(
            (Proposal(WISH), "proposed", supports, asks)
            for supports, asks in (((), STAYS), (STAYS, ()), ((), ()))
        ),
        *(
            (Consent.GIVE, "consent", supports, asks)
            for supports, asks in (((), SHARES), (SHARES, ()), (STAYS, STAYS))
        ),
    ],
)
async def test_a_frame_of_an_extension_not_in_use_is_refused(closing, frame, heard, supports, asks):
    host = undecided(a_host, supports)
    guest = await let_in(closing, host, frame, asks=asks)
    assert await goodbye_to(guest) == "frame-unexpected"
    assert host.player.all(heard) == []


@pytest.mark.parametrize(
    ("frames", "heard", "burst", "extension"),
    [
        ([Proposal(WISH)] * (ALLOWED[Proposal][0] + 1), "proposed", ALLOWED[Proposal][0], STAYS),
        ([*Consent] * ALLOWED[Consent][0], "consent", ALLOWED[Consent][0], SHARES),
    ],
)
async def test_a_peer_that_sends_without_end_is_cut_off(closing, frames, heard, burst, extension):
    host = undecided(a_host, extension)
    assert await goodbye_to(await let_in(closing, host, *frames, asks=extension)) == "flood"
    assert len(host.player.all(heard)) == burst


async def test_a_host_receives_its_guests_proposals(closing):
    host = undecided(a_host)
    await let_in(closing, host, Proposal(WISH), Proposal("nonsense \x1b[2J"), asks=STAYS)
    await until(lambda: len(host.player.all("proposed")) == 2)
    # Control characters are removed only when the proposal is shown.
    assert host.player.all("proposed") == [WISH, "nonsense \x1b[2J"]


async def test_a_proposal_after_the_agreement_is_ignored(closing):
    host = a_host(eager=False, supports=STAYS, seat_class=Agreed)
    await let_in(closing, host, Proposal(WISH), Goodbye("left", ""), asks=STAYS)
    await until(lambda: host.player.all("closed"))
    assert host.player.all("proposed") == []


async def test_a_guest_can_propose_only_before_the_agreement_and_not_too_often(closing):
    host, guest = undecided(a_host), undecided(a_guest)
    _, session = await seat_both(closing, host, guest)
    assert session.peer.extensions == STAYS
    assert not session.accepts_proposals  # a guest gets no proposals
    for _ in range(5):
        session.propose(WISH)
    with pytest.raises(TooFast):
        session.propose(WISH)
    await until(lambda: len(host.player.all("proposed")) == 5)
    guest.seat.agreed = lambda: True
    with pytest.raises(SessionOver):
        session.propose(WISH)


@pytest.mark.parametrize(
    ("stays", "bot", "may_propose"),
    [(True, False, True), (False, False, False), (True, True, False)],
)
async def test_only_the_guest_of_a_person_who_stays_can_propose(closing, stays, bot, may_propose):
    host = undecided(a_host, STAYS if stays else ())
    host.bot = bot
    here, there = await seat_both(closing, host, undecided(a_guest))
    assert not here.may_propose  # the host makes offers instead
    assert there.may_propose is may_propose
    with nullcontext() if may_propose else pytest.raises(SessionOver):
        there.propose(WISH)
    await leave(there)
    assert not there.may_propose


async def test_consent_reaches_the_other_player_and_is_limited_in_rate(
    closing,
):
    host, guest = a_host(eager=False, supports=SHARES), a_guest(eager=False, supports=SHARES)
    here, there = await seat_both(closing, host, guest)
    there.consent(Consent.GIVE)
    for _ in range(5):
        here.consent(Consent.GIVE)
    with pytest.raises(TooFast):
        here.consent(Consent.GIVE)
    here.consent(Consent.TAKE_BACK)
    await until(lambda: len(guest.player.all("consent")) == 6 and host.player.all("consent"))
    assert guest.player.all("consent") == [Consent.GIVE] * 5 + [Consent.TAKE_BACK]
    assert host.player.all("consent") == [Consent.GIVE]
    await leave(here)
    with pytest.raises(SessionOver):
        here.consent(Consent.TAKE_BACK)


async def test_a_player_cannot_consent_if_the_extension_is_not_in_use(closing):
    _, session = await seat_both(
        closing, a_host(eager=False), a_guest(eager=False, supports=SHARES)
    )
    assert code_of(ConsentUnsupported, session.consent, Consent.GIVE) == "no-shared-log"


def test_an_unknown_consent_value_has_a_code():
    assert code_of(MalformedFrame, decode_frame, b"\x58\x03") == "consent-malformed"


# --- bots ----------------------------------------------------------------------------------


async def connected(closing, host_is_bot, guest_is_bot):
    """Return what host and guest know of each other."""
    listening = open_house(closing, a_host(eager=False, bot=host_is_bot))
    guest = a_guest(eager=False, bot=guest_is_bot)
    session = await connect(reactor, listening.invite, guest.side)
    seated = await listening.arrival
    await leave(session)
    return seated.peer, session.peer


@pytest.mark.parametrize(("host_is_bot", "guest_is_bot"), [(True, False), (False, True)])
async def test_each_side_learns_whether_the_other_is_a_bot(closing, host_is_bot, guest_is_bot):
    guest, host = await connected(closing, host_is_bot, guest_is_bot)
    assert (host.bot, guest.bot) == (host_is_bot, guest_is_bot)


@pytest.mark.parametrize("silent", [acceptor, connection_attempt])
async def test_a_program_without_the_bot_extension_plays_and_is_told_nothing(
    closing, monkeypatch, silent
):
    monkeypatch.setattr(silent, "with_bots", lambda ours, *, hosts, bot: tuple(ours))
    guest, host = await connected(closing, host_is_bot=True, guest_is_bot=True)
    assert (host.bot, guest.bot) == (False, False)
    assert host.extensions == guest.extensions == ()


async def test_a_hosting_bot_says_so_only_to_programs_that_understand_it(closing):
    listening = open_house(closing, a_host(eager=False, bot=True))
    for asked, told in (((1,), ()), ((1, 4, 5), (4, 5)), ((5,), (5,))):
        guest = await rude_guest(closing, listening.port)
        guest.send(guest.hello(extensions=asked))
        assert (await guest.next_frame()).extensions == told
        guest.transport.loseConnection()
        await until(lambda guest=guest: guest.lost)


def test_the_extension_numbers_are_sorted_as_in_a_greeting():
    assert (BOT_GUEST, BOT_HOST) == (4, 5)
    assert with_bots((1, 2), hosts=True, bot=False) == (1, 2, 4)
    assert with_bots((1, 2), hosts=True, bot=True) == (1, 2, 4, 5)
    assert with_bots((9,), hosts=False, bot=False) == (5, 9)
    assert with_bots((), hosts=False, bot=True) == (4, 5)
