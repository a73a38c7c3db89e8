"""A pause by agreement, as the players read and type it."""

from types import SimpleNamespace

import pytest

from cli.match.aftermath import Interrupts
from cli.match.decision import MatchState, Next, decide
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import PauseRefused
from protocol import messages as m
from protocol.frames import PAUSED, Pause
from tests.cheating.cheat import tiny
from tests.cli.seated import Seated

PEER = PeerInfo(bytes(32), "aaaaa", "ginpeer", "192.0.2.1:4711")
LOST = CloseReason("connection-lost", "The connection was lost.", "A")
ENDED = CloseReason(PAUSED, "The match is paused by agreement; the log is kept.")


def at_a_turn(interactive, ours=True):
    """The table of the player whose turn it is, or of the other, in the middle of a hand."""
    match = tiny()
    count = match.find(m.Discard) + 1
    seat = match.table_at(count).owed_by
    seat = seat if ours else 1 - seat
    seated = Seated(interactive, seat=seat)
    seated.table.own(match.seat_at(seat, count))
    seated.table.take_up(match.table_at(count))
    return seated.sit()


def asked(seated):
    """The other player asks for a pause."""
    before = len(seated.output.getvalue())
    seated.session.pause_offered = True
    seated.table.pause(Pause.ASK)
    return seated.output.getvalue()[before:]


def test_a_person_who_is_asked_answers_with_yes():
    here = at_a_turn(True)
    assert "asks for a pause" in asked(here)
    here.type("yes")
    assert here.session.paused == 1


def test_a_person_who_is_asked_agrees_with_pause_too():
    here = at_a_turn(True)
    asked(here)
    here.type("pause")
    assert here.session.paused == 1


@pytest.mark.parametrize("line", ["", "help", "score", "say wait", "nonsense", "y 7", "accept"])
def test_nothing_else_agrees_to_a_pause(line):
    here = at_a_turn(True)
    asked(here)
    here.type(line)
    assert here.session.paused == 0
    assert here.session.pause_offered


def test_a_question_of_our_own_is_answered_first():
    """Whoever says yes to leave the table has not agreed to a pause, nor the other way round."""
    here = at_a_turn(True)
    here.type("quit")
    asked(here)
    here.type("no")
    assert here.session.pause_offered
    assert here.session.ending is None
    here.type("no")
    assert not here.session.pause_offered


def test_a_person_declines_with_no_and_hears_that_the_game_goes_on():
    here = at_a_turn(True)
    asked(here)
    assert "You play on" in here.type("no")
    assert not here.session.pause_offered


def test_who_asks_is_told_how_to_take_it_back():
    here = at_a_turn(True)
    assert "until the other player says yes" in here.type("pause")
    assert "take the question" in here.type("no")
    assert not here.session.pause_wanted


def test_a_question_that_is_refused_is_said_why():
    here = at_a_turn(True)
    here.session.error = PauseRefused(
        "pause-too-soon", "You have just asked; ask again in a minute."
    )
    shown = here.type("pause")
    assert "ask again in a minute" in shown
    assert "You may" not in shown


def test_before_anybody_sits_there_nobody_is_asked():
    assert "Your opponent isn't here yet" in Seated(interactive=True).type("pause")


@pytest.mark.parametrize("word", list(Pause))
def test_a_program_hears_of_each_word(word):
    here = at_a_turn(False, ours=False)
    here.table.pause(word)
    what = {Pause.ASK: "asked", Pause.DECLINE: "declined", Pause.WITHDRAW: "withdrawn"}[word]
    other = ("guest", "host")[here.table._state.seat]
    assert here.output.getvalue().splitlines()[-1] == f"event pause seat={other} what={what}"


@pytest.mark.parametrize("ours", [True, False])
def test_a_paused_match_is_put_away_with_all_that_lies_open(ours):
    here = at_a_turn(True, ours)
    before = len(here.output.getvalue())
    here.end(ENDED)
    told = here.output.getvalue()[before:]
    for what in ("The upcard is", "are left in the stock", "Your hand: "):
        assert what in told, told
    assert ("You are next, to draw" if ours else "is next, to draw") in told


def test_a_program_is_told_the_same_in_one_line():
    here = at_a_turn(False)
    before = len(here.output.getvalue())
    here.end(ENDED)
    line, hand = here.output.getvalue()[before:].splitlines()
    seat = ("host", "guest")[here.table._state.seat]
    assert line.startswith("event paused hand=1 entries=")
    assert f" next={seat} awaits=draw" in line
    assert hand.startswith("event hand ")


# --- waiting for long --------------------------------------------------------------------------


def test_a_long_thought_is_mentioned_rarely_and_without_reproach():
    here = at_a_turn(True, ours=False)
    here.table._display.wait_for(here.table._state.table)
    told = []
    for _ in range(3 * 60):
        before = len(here.output.getvalue())
        here.clock.advance(60)
        told.append(here.output.getvalue()[before:])
    minutes = [at for at, text in enumerate(told, 1) if "is still there" in text]
    assert minutes == [10, 30, 60, 120, 180]
    assert "10 minutes to draw" in told[9]
    assert "1 hour to draw" in told[59]
    assert not any(word in "".join(told).lower() for word in ("stall", "cheat"))


def test_what_is_over_is_mentioned_no_more():
    here = at_a_turn(True, ours=False)
    here.table._display.wait_for(here.table._state.table)
    here.end(CloseReason("left", "You left the table; the log is kept."))
    assert not here.clock.getDelayedCalls()


def test_a_peer_that_comes_and_goes_does_not_keep_a_person_from_leaving():
    """Whoever is asked whether to leave stays asked, however often the other one is lost."""
    here = at_a_turn(True)
    here.over = lambda closed: True
    here.type("quit")
    here.end(LOST)
    assert here.output.getvalue().rstrip().endswith("leave the table, yes or no>")
    here.sit()
    here.table.connected(PEER)
    here.table.seated()
    here.table.choose(here.table._state.own.view())
    here.end(LOST)
    here.session.ending = LOST
    here.type("yes")
    assert here.stopped == [True]


def test_ctrl_c_twice_leaves_whatever_the_peer_does_between():
    here = at_a_turn(True)
    here.over = lambda closed: True
    here.table.interrupt()
    here.end(LOST)
    here.session.ending = LOST
    here.table.interrupt()
    assert here.stopped == [True]


def test_who_has_got_up_while_the_connection_was_being_cut_waits_for_nobody():
    here = at_a_turn(True)
    parts = SimpleNamespace(table=here.table, sessions=SimpleNamespace(current=here.session))
    exits = Interrupts(None, parts)

    def follows():
        resumable = here.table._state.own.can_come_back()
        return decide(LOST, MatchState(has_left=exits.has_left, can_resume=resumable))

    assert follows() is Next.RESUME
    here.session.ending = LOST  # the wire is not gone yet
    here.table.leave()
    assert here.stopped == []
    assert follows() is Next.END


@pytest.mark.parametrize("ours", [True, False])
def test_what_the_rules_say_of_a_move_is_answered_without_the_other_player(ours):
    here = at_a_turn(True, ours)
    here.over = lambda closed: True
    here.end(LOST)
    told = [here.type(f"rules {move}") for move in ("draw", "knock 7s")]
    if ours:
        assert [line[:4] for line in told] == ["Yes:", "No: "]
        assert "(RULES " in told[1]
    else:  # nothing may be done
        assert {line[:27] for line in told} == {"No: the connection is lost;"}
    assert "connection is lost" in here.type("draw")  # and nothing is done


def test_a_question_of_the_game_is_gone_with_the_connection():
    here = at_a_turn(True)
    here.over = lambda closed: True
    here.table.choose(here.table._state.own.view())
    assert "Resign?" in here.type("resign")
    here.end(LOST)
    assert "Nothing was asked." in here.type("yes")
