"""Extensions 4 and 5 (WIRE 9.12): a side for which a bot plays says so in its greeting."""

import pytest
from twisted.internet import reactor

from ginpeer.net import acceptor, connection_attempt
from ginpeer.net.connector import connect
from ginpeer.net.handshake import BOT_GUEST, BOT_HOST, with_bots
from tests.net.support import a_guest, a_host, leave, open_house, rude_guest, until


async def connected(closing, host_is_bot, guest_is_bot):
    """Return what host and guest know of each other."""
    listening = open_house(closing, a_host(eager=False, bot=host_is_bot))
    guest = a_guest(eager=False, bot=guest_is_bot)
    session = await connect(reactor, listening.invite, guest.side)
    seated = await listening.arrival
    await leave(session)
    return seated.peer, session.peer


@pytest.mark.parametrize("host_is_bot", [True, False])
@pytest.mark.parametrize("guest_is_bot", [True, False])
async def test_each_side_learns_whether_a_bot_plays_for_the_other(
    closing, host_is_bot, guest_is_bot
):
    guest, host = await connected(closing, host_is_bot, guest_is_bot)
    assert (host.bot, guest.bot) == (host_is_bot, guest_is_bot)


@pytest.mark.parametrize("silent", [acceptor, connection_attempt])
async def test_a_program_that_knows_nothing_of_it_plays_and_is_told_nothing(
    closing, monkeypatch, silent
):
    monkeypatch.setattr(silent, "with_bots", lambda ours, *, hosts, bot: tuple(ours))
    guest, host = await connected(closing, host_is_bot=True, guest_is_bot=True)
    assert (host.bot, guest.bot) == (False, False)
    assert host.extensions == guest.extensions == ()


async def test_a_bot_that_hosts_says_so_to_those_who_can_read_it_and_to_no_others(closing):
    listening = open_house(closing, a_host(eager=False, bot=True))
    for asked, told in (((1,), ()), ((1, 4, 5), (4, 5)), ((5,), (5,))):
        guest = await rude_guest(closing, listening.port)
        guest.send(guest.hello(extensions=asked))
        assert (await guest.next_frame()).extensions == told
        guest.transport.loseConnection()
        await until(lambda guest=guest: guest.lost)


def test_the_numbers_stand_in_the_order_in_which_a_greeting_lists_them():
    assert (BOT_GUEST, BOT_HOST) == (4, 5)
    assert with_bots((1, 2), hosts=True, bot=False) == (1, 2, 4)
    assert with_bots((1, 2), hosts=True, bot=True) == (1, 2, 4, 5)
    assert with_bots((9,), hosts=False, bot=False) == (5, 9)
    assert with_bots((), hosts=False, bot=True) == (4, 5)
