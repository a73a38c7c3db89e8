"""Several matches in one sitting, between real processes."""

import signal
import sys
import time

import pytest

from cli.table.dispatcher import TYPING
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.store import Home
from tests.free_port import free_port

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

WON = "Matches won "
TO_MOVE = r"(take [^>\r\n]+ or pass|draw[^>\r\n]*|discard[^>\r\n]*)> "


@pytest.fixture
def seat(tmp_path, start_terminal):
    """Return a function that starts a player's program. The player's name is also the home's."""

    def start(name, *arguments):
        named = () if arguments[0] == "resume" else ("--name", name)
        return start_terminal(tmp_path / name, *arguments, *named)

    return start


def logs(home):
    return sorted(log.name for log in Home(home).logs())


def verified(home, name):
    path = next(log.path for log in Home(home).logs() if log.name == name)
    return Record.read(path).verdict.code == "valid"


def give_up(*seats):
    """Let the player whose turn it is resign."""
    for _ in range(60):
        for seat in seats:
            if seat.child.expect([TO_MOVE, pexpect.TIMEOUT], timeout=0.3) == 0:
                seat.type("resign")
                seat.expect("resign the match, yes or no> ")
                seat.type("yes")
                return
    raise AssertionError("nobody's turn came")


@pytest.mark.deep
def test_three_matches_survive_other_rules_a_kill_and_a_closed_window(seat, tmp_path):
    port = free_port()
    host = seat("ann", "host", "--listen", f"127.0.0.1:{port}", "--rules", "target=1")
    guest = seat("ben", "join", host.invite())
    guest.accepts()
    give_up(host, guest)
    for player in (host, guest):
        player.expect(WON)

    host.expect("Another match")
    guest.expect("you will be asked")
    assert "Connected" not in guest.child.before
    host.type("propose oklahoma target=1")
    host.expect("yes or no> ")
    host.type("yes")
    guest.expect("oklahoma")
    guest.is_offered()
    guest.type("no")
    host.expect("match again")
    guest.type("propose straight target=1")
    guest.expect("propose it, yes or no> ")
    guest.type("yes")
    host.expect("ben suggests other rules: straight target=1")
    host.expect("play by .*'s rules .yes. or offer yours .no.> ")
    time.sleep(TYPING)  # earlier input might answer the previous question
    host.type("yes")
    for player in (host, guest):
        player.has_cards()
    host.type("say a fine hand")
    guest.expect("a fine hand")
    guest.child.kill(signal.SIGKILL)
    host.expect("Waiting for ben to come back")
    host.type("say are you there?")
    host.expect("when you reconnect")
    guest = seat("ben", "resume")
    guest.has_cards()
    guest.expect("a fine hand")
    guest.expect("are you there")
    give_up(host, guest)
    host.expect(WON)
    guest.expect(WON)  # `WON` counts the matches of this run of the program

    host.expect("Another match.* straight")
    host.type("yes")
    guest.accepts()
    for player in (host, guest):
        player.has_cards()
    host.child.close()  # as closing a window does
    guest.expect("Waiting for ann to come back")
    host = seat("ann", "host", "--listen", f"127.0.0.1:{port}")
    host.has_cards()
    give_up(host, guest)
    guest.expect(WON)
    host.expect(WON)

    host.expect("Another match.* straight")
    host.type("no")
    guest.expect("left the table")
    assert guest.status() == 0
    assert host.status() == 0
    finished = [name for name in logs(tmp_path / "ann") if verified(tmp_path / "ann", name)]
    assert len(finished) == 3
    assert all(verified(tmp_path / "ben", name) for name in finished)


@pytest.fixture
def seats_at_offer(seat):
    """Return a host, and a guest who is asked whether to play standard gin to 1 point."""

    host = seat("ann", "host", "--listen", "127.0.0.1:0", "--rules", "target=1")
    guest = seat("ben", "join", host.invite())
    guest.is_offered()
    return host, guest


def test_a_guest_who_leaves_before_accepting_has_begun_no_match(seats_at_offer):
    host, guest = seats_at_offer
    guest.type("quit")
    guest.expect("This match hasn't begun.")
    guest.type("yes")
    guest.expect("You left; no match began.")
    host.expect("The guest left; no match began.")
    for each in (host, guest):
        each.status()
        assert "ginlog" not in each.child.before


def test_a_counter_proposal_takes_one_question_and_one_yes(seats_at_offer, tmp_path):
    host, guest = seats_at_offer
    guest.type("propose oklahoma target=1")
    guest.expect("propose it, yes or no> ")
    guest.type("yes")
    guest.expect("Waiting for ")
    host.expect("suggests other rules: oklahoma target=1")
    assert "declined" not in host.child.before
    host.expect("play by .*'s rules .yes. or offer yours .no.> ")
    host.type("yes")
    for player in (host, guest):
        player.has_cards()
    assert "accept the match, yes or no" not in guest.child.before
    for name in ("ann", "ben"):
        (log,) = Home(tmp_path / name).logs()
        assert Record.read(log.path).rules == parse_ruleset("oklahoma target=1")
