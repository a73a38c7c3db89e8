"""Several matches in one sitting, between real processes."""

import signal
import sys
import time

import pytest

from cli.match.series import TYPING
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.store import Home
from tests.cli.table.script import Script
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
                seat.expect("resign the match, yes or no> ")
                seat.type("yes")
                return
    raise AssertionError("nobody's turn came")


@pytest.mark.deep
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

    host.expect(r"Another match with ben, with the rules standard target=1\?")
    guest.expect(r"If ann offers another match, you will be asked\.")
    assert "Connected" not in guest.child.before
    host.type("say once more?")
    guest.expect("once more")
    host.type("propose nonsense")
    host.expect("nonsense")
    host.type("propose oklahoma target=1")
    host.expect(r"Offer ben a match with the rules oklahoma target=1\?")
    host.type("yes")
    guest.expect("oklahoma")
    guest.expect("accept the match, yes or no> ")
    guest.type("no")
    host.expect(r"ben declined the match\.")
    host.expect(r"Offer oklahoma target=1 to ben again\?")
    guest.type("propose straight target=1")
    guest.expect("propose it, yes or no> ")
    guest.type("yes")
    guest.expect(r"You have proposed straight target=1\.")
    host.expect(r"ben suggests straight target=1\. Play that\?")
    host.expect("play the suggested rules, yes or no> ")
    time.sleep(TYPING)  # what comes sooner may have been typed for the question before
    host.type("yes")
    for player in (host, guest):
        player.expect("Your hand: ")
    host.type("say a fine hand")
    guest.expect("a fine hand")
    guest.child.kill(signal.SIGKILL)
    host.expect("Waiting for ben to come back")
    host.type("say are you there?")
    host.expect(r"ben will see it when you reconnect\.")
    guest = seat("ben", "resume")
    guest.expect("Your hand: ")
    guest.expect('ann said before: "a fine hand"')
    guest.expect(r'ann says: "are you there\?"')
    give_up(host, guest)
    host.expect("Matches won this evening: ")
    guest.expect("Matches won this evening: ")  # in this run of the program

    host.expect(r"Another match with ben, with the rules straight target=1\?")
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

    host.expect(r"Another match with ben, with the rules straight target=1\?")
    host.type("no")
    guest.expect("left the table")
    assert guest.status() == 0
    assert host.status() == 0
    finished = [name for name in logs(tmp_path / "ann") if verified(tmp_path / "ann", name)]
    assert len(finished) == 3
    assert all(verified(tmp_path / "ben", name) for name in finished)


@pytest.fixture
def offered(seat):
    """A host and a guest that is asked whether to play standard gin to 1 point."""

    def start(*typed):
        address = "--listen", f"127.0.0.1:{free_port()}"
        host = seat("ann", "host", *address, "--rules", "target=1")
        host.expect(r"invite: (gin1-\S+)\r\n")
        guest = seat("ben", "join", host.child.match[1], *typed)
        guest.expect("accept the match, yes or no> ")
        return host, guest

    return start


def proposes(guest, rules):
    guest.type(f"propose {rules}")
    guest.expect("instead of accepting this offer")
    guest.expect("propose it, yes or no> ")
    guest.type("yes")
    guest.expect("If ann agrees, the match starts", "If the host agrees, the match starts")
    guest.expect("Waiting for the host's answer", "Waiting for ann's answer", "Waiting for Ann's")


SUGGESTED = (
    r"suggests oklahoma target=1\. Play that\? Type yes, no to offer standard target=1 again, "
)


def test_a_counter_proposal_takes_one_question_and_one_yes(offered, tmp_path):
    host, guest = offered()
    guest.type("rules oklahoma target=1")
    guest.expect("The rules oklahoma target=1:")
    guest.expect("accept the match, yes or no> ")
    proposes(guest, "oklahoma target=1")
    host.expect(SUGGESTED)
    assert "declined" not in host.child.before
    host.expect("play the suggested rules, yes or no> ")
    host.type("yes")
    guest.expect("You proposed these rules, so the match starts")
    for player in (host, guest):
        player.expect("Your hand: ")
    assert "accept the match, yes or no" not in guest.child.before
    for name in ("ann", "ben"):
        (log,) = Home(tmp_path / name).logs()
        assert Record.read(log.path).rules == parse_ruleset("oklahoma target=1")


@pytest.mark.deep
def test_a_program_proposes_by_two_lines_and_the_match_starts(seat, tmp_path):
    host = seat("ann", "host", "--listen", f"127.0.0.1:{free_port()}", "--rules", "target=1")
    host.expect(r"invite: (gin1-\S+)\r\n")
    script = Script(tmp_path / "ben", "join", host.child.match[1], "--matches", "2")
    try:
        script.wait_for("confirm", what="accept")
        script.send("propose oklahoma target=1")
        asked = script.wait_for("confirm", what="propose")["text"]
        assert asked == "Propose oklahoma target=1 to ann instead of accepting this offer?"
        script.send("yes")
        host.expect(SUGGESTED)
        host.type("yes")
        script.wait_for("info", text="You proposed these rules, so the match starts.")
        script.wait_for("accept", seat="guest")
        assert not any("confirm what=accept" in line for line in script.lines[-4:])
        host.expect("Your hand: ")
    finally:
        script.kill()


def test_a_program_that_hosts_offers_the_same_again_and_stays(seat, tmp_path):
    address = "--listen", f"127.0.0.1:{free_port()}"
    script = Script(tmp_path / "ann", "host", *address, "--matches", "2", "--name", "ann")
    try:
        script.wait_for("listening")
        invite = next(line for line in script.lines if line.startswith("invite: ")).split()[1]
        guest = seat("ben", "join", invite)
        guest.expect("accept the match, yes or no> ")
        proposes(guest, "oklahoma target=1")
        guest.expect("ann offers a match of gin rummy; the rules: standard")
        guest.expect("accept the match, yes or no> ")
        guest.type("yes")
        guest.expect("Your hand: ")
        told = (fields.get("text", "") for _, fields in script.events())
        assert any("suggests oklahoma target=1." in text for text in told)
    finally:
        script.kill()


def test_at_a_bots_table_a_proposal_is_refused_and_the_offer_stays_open(seat, tmp_path):
    address = "--listen", f"127.0.0.1:{free_port()}"
    script = Script(tmp_path / "club", "host", "--bot", "--club", *address, "--matches", "3")
    try:
        script.wait_for("listening")
        invite = next(line for line in script.lines if line.startswith("invite: ")).split()[1]
        guest = seat("ben", "join", invite)
        guest.expect("accept the match, yes or no> ")
        assert "To propose other rules" not in guest.child.before
        guest.type("propose oklahoma")
        guest.expect(r"A bot plays for [^\r\n]*\. It doesn't take proposals\.")
        guest.expect("accept the match, yes or no> ")
        guest.type("yes")
        guest.expect("Your hand: ")
    finally:
        script.kill()
