"""A pause needs both players: one asks, and the other agrees."""

import pytest

from ginpeer.net.session import PAUSE_ASKED_EVERY, PAUSE_HEARD_EVERY, PauseRefused, SessionOver
from protocol.frames import Goodbye, Pause
from tests.net.pair import Pair, ended
from tests.net.support import a_guest, a_host
from tests.refusals import code_of


def pair_with_pause_asked():
    """Return a pair whose host has asked its guest for a pause."""
    pair = Pair()
    pair.ours.pause()
    pair.turn()
    return pair


def test_asking_and_agreeing_end_the_session_alike():
    pair = pair_with_pause_asked()
    assert pair.guest.player.all("pause") == [Pause.ASK]
    assert pair.ours.pause_wanted
    assert pair.theirs.pause_offered
    assert ended(pair.ours) is ended(pair.theirs) is None  # the question stays open
    pair.theirs.pause()
    pair.turn()
    assert pair.ours.ending == pair.theirs.ending
    assert ended(pair.ours) == ("paused", None)
    assert pair.host.player.all("closed") == pair.guest.player.all("closed") == [pair.ours.ending]


def test_two_players_who_ask_at_once_agree():
    pair = Pair()
    pair.ours.pause()
    pair.theirs.pause()
    pair.turn()
    assert ended(pair.ours) == ended(pair.theirs) == ("paused", None)


def test_a_declined_pause_changes_nothing():
    pair = pair_with_pause_asked()
    pair.theirs.decline_pause()
    pair.turn()
    assert pair.host.player.all("pause") == [Pause.DECLINE]
    assert not pair.ours.pause_wanted
    assert not pair.theirs.pause_offered
    pair.theirs.play("a line")
    pair.turn()
    assert pair.host.player.all("choose") == [2]


def test_the_game_continues_while_a_question_is_open():
    pair = pair_with_pause_asked()
    pair.theirs.play("before we stop")
    pair.turn()
    pair.ours.play("that, too")
    pair.turn()
    pair.theirs.pause()
    pair.turn()
    assert ended(pair.ours) == ended(pair.theirs) == ("paused", None)
    assert pair.host.journal.entries == pair.guest.journal.entries
    assert len(pair.host.journal.entries) == 3


def test_a_withdrawn_question_can_no_longer_be_answered():
    pair = pair_with_pause_asked()
    pair.ours.decline_pause()
    pair.turn()
    assert pair.guest.player.all("pause") == [Pause.ASK, Pause.WITHDRAW]
    assert code_of(PauseRefused, pair.theirs.decline_pause) == "nothing-asked"


def test_a_yes_that_crosses_a_withdrawal_counts_as_leaving():
    """The player who withdrew the question didn't agree, so they aren't told of a pause."""
    pair = pair_with_pause_asked()
    pair.ours.decline_pause()
    pair.theirs.pause()
    pair.turn()
    assert ended(pair.theirs) == ("paused", None)
    assert ended(pair.ours) == ("peer-left", None)


def test_the_other_side_alone_cannot_pause_the_match():
    pair = Pair()
    pair.wire(Pause.ASK, Pause.DECLINE, Pause.WITHDRAW, Pause.DECLINE)
    assert ended(pair.ours) is None
    pair.wire(Goodbye("paused", "The match is paused by agreement."))
    assert ended(pair.ours) == ("peer-left", None)


def test_we_ask_for_a_pause_at_most_once_a_minute():
    pair = Pair()
    pair.ours.pause()
    assert code_of(PauseRefused, pair.ours.pause) == "pause-open"
    pair.turn()
    pair.theirs.decline_pause()
    pair.turn()
    assert code_of(PauseRefused, pair.ours.pause) == "pause-too-soon"
    pair.clock.advance(PAUSE_ASKED_EVERY)
    pair.ours.pause()
    pair.turn()
    assert pair.guest.player.all("pause") == [Pause.ASK, Pause.ASK]


def test_a_player_is_asked_no_more_often_than_an_honest_peer_asks():
    pair = Pair()
    for _ in range(5):
        pair.wire(Pause.ASK, Pause.WITHDRAW)
    assert pair.host.player.all("pause") == [Pause.ASK, Pause.WITHDRAW]
    pair.clock.advance(PAUSE_HEARD_EVERY)
    pair.wire(Pause.ASK, Pause.ASK, Pause.ASK)
    assert pair.host.player.all("pause") == [Pause.ASK, Pause.WITHDRAW, Pause.ASK]


def test_a_pause_is_impossible_before_and_after_the_match():
    pair = Pair(a_host(eager=False, length=1), a_guest(eager=False, length=1))
    with pytest.raises(SessionOver):
        pair.ours.pause()
    early = Pair()
    early.ours._seat.lines.clear()  # as before the offer is accepted
    assert code_of(PauseRefused, early.ours.pause) == "no-match"
    early.wire(Pause.ASK)
    assert early.host.player.all("pause") == []
