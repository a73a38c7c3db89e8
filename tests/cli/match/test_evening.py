"""Several matches in one sitting, between real processes."""

import signal
import sys

import pytest

from ginpeer.record import Record
from ginpeer.store import Home
from tests.free_port import free_port

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

TO_MOVE = r"(take [^>\r\n]+ or pass|draw[^>\r\n]*|discard a card[^>\r\n]*)> "


@pytest.fixture
def seat(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    from tests.cli.table.test_terminal import Terminal

    terminals = []

    class Seat(Terminal):
        def asks(self, pattern, seconds):
            try:
                self.child.expect(pattern, timeout=seconds)
            except pexpect.TIMEOUT:
                return False
            return True

    def start(name, *arguments):
        named = () if arguments[0] == "resume" else ("--name", name)
        terminals.append(Seat(tmp_path / name, *arguments, *named))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.child.close(force=True)


def logs(home):
    return sorted(log.name for log in Home(home).logs())


def verified(home, name):
    path = next(log.path for log in Home(home).logs() if log.name == name)
    return Record.read(path).verdict.code == "valid"


def give_up(*seats):
    """Whose turn it is gives the match up."""
    for _ in range(60):
        for seat in seats:
            if seat.asks(TO_MOVE, 0.3):
                seat.type("resign")
                seat.expect("wins the whole match. yes or no> ", "whole match.")
                seat.type("yes")
                return
    raise AssertionError("nobody's turn came")


def test_an_evening_of_three_matches_with_other_rules_a_kill_and_a_closed_window(seat, tmp_path):
    port = free_port()
    host = seat("ann", "host", "--listen", f"127.0.0.1:{port}", "--rules", "target=1")
    host.expect(r"invite: (gin1-\S+)\r\n")
    guest = seat("ben", "join", host.child.match[1])
    guest.expect("accept the match, yes or no> ")
    guest.type("yes")
    give_up(host, guest)
    for player in (host, guest):
        player.expect("To check it: ginpeer [^\r\n]*verify (\\S+)\r\n")
        player.expect("Matches won this evening: ")

    host.expect(r"Another match with ben, by these rules: standard target=1\?")
    guest.expect(r"If ann offers another match, you are asked\.")
    assert "Connected" not in guest.child.before
    host.type("say once more?")
    guest.expect("once more")
    host.type("rules nonsense")
    host.expect("nonsense")
    host.type("rules oklahoma target=1")
    host.expect(r"By oklahoma target=1, then\. Offer that to ben\?")
    host.type("yes")
    guest.expect("oklahoma")
    guest.expect("accept the match, yes or no> ")
    guest.type("no")
    host.expect(r"ben has declined that offer, and is still there\.")
    host.expect(r"Another match with ben, by these rules: oklahoma target=1\?")
    guest.type("rules straight target=1")
    guest.expect(r"You propose straight target=1\.")
    host.expect(r"ben would like to play by straight target=1; to offer that, type rules theirs\.")
    host.type("rules theirs")
    host.expect(r"By straight target=1, then\. Offer that to ben\?")
    host.type("yes")
    guest.expect("accept the match, yes or no> ")
    guest.type("yes")
    for player in (host, guest):
        player.expect("Your hand: ")
    host.type("say a fine hand")
    guest.expect("a fine hand")
    guest.child.kill(signal.SIGKILL)
    host.expect("Waiting for ben to come back")
    host.type("say are you there?")
    host.expect(r"ben hears it on coming back\.")
    guest = seat("ben", "resume")
    guest.expect("Your hand: ")
    guest.expect('ann said before: "a fine hand"')
    guest.expect(r'ann says: "are you there\?"')
    give_up(host, guest)
    host.expect("Matches won this evening: ")
    guest.expect("Matches won this evening: ")  # in this run of the program

    host.expect(r"Another match with ben, by these rules: straight target=1\?")
    host.type("yes")
    guest.expect("accept the match, yes or no> ")
    guest.type("yes")
    for player in (host, guest):
        player.expect("Your hand: ")
    host.child.close()  # as a window is
    guest.expect("Waiting for ann to come back")
    host = seat("ann", "host", "--listen", f"127.0.0.1:{port}")
    host.expect("Your hand: ")
    give_up(host, guest)
    guest.expect("Matches won this evening: ")
    host.expect("Matches won this evening: ")

    host.expect(r"Another match with ben, by these rules: straight target=1\?")
    host.type("no")
    guest.expect("left the table")
    assert guest.status() == 0
    assert host.status() == 0
    finished = [name for name in logs(tmp_path / "ann") if verified(tmp_path / "ann", name)]
    assert len(finished) == 3
    assert all(verified(tmp_path / "ben", name) for name in finished)
