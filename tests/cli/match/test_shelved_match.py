"""An unfinished match and a new one: which goes on, who is asked, who is told, what lists say."""

import re
import shutil
import signal

import pytest

from cli.main import main
from ginpeer.referee.referee import Finding, judge
from ginpeer.store import read_log
from ginpeer.store.log import log_bytes
from tests.cli.match.sides import PATIENCE, again, broken_off
from tests.cli.match.test_waiting_tables import BEGUN
from tests.free_port import free_port

RULES = "standard hands=1"
SHORT = "standard target=1"


def break_off(host, guest, rules=RULES, *hosts):
    """A match of theirs is begun, and both are killed in the middle; its short name."""
    before, since = {log.stem for log in host.logs}, len(guest.text)
    if before:
        again(host, guest, ("host", "--rules", rules, *hosts), ("join",))
        guest.wait_for(BEGUN, since=since)
        for side in (host, guest):
            side.kill()
    else:
        broken_off((host, guest), rules, BEGUN)
    (name,) = {log.stem for log in host.logs} - before
    return name[:6]


def log_of(side, name):
    return next(log for log in side.logs if log.stem.startswith(name))


def finished(side, name):
    return judge(read_log(log_of(side, name)).entries).finding is Finding.VALID


def both_end(host, guest):
    assert (host.ends(), guest.ends()) == (0, 0), host.text[-1500:] + guest.text[-1500:]


def listed(side, capsys):
    capsys.readouterr()
    assert main(["--home", str(side.home), "logs"]) == 0
    return capsys.readouterr().out


@pytest.mark.deep  # asked and answered: below
def test_what_a_new_match_puts_aside_is_told_on_both_sides_and_counted_from_then_on(sides, capsys):
    host, guest = sides
    name = break_off(host, guest)
    assert "shelved" not in listed(host, capsys)
    again(host, guest, ("host", "--new", "--rules", SHORT), ("join",))
    both_end(host, guest)
    for side, whom in ((host, "you"), (guest, "the host")):
        assert re.search(
            f'^event aside match={name} by=host text="The unfinished match {name} was '
            f"shelved by {whom}",
            side.text,
            re.MULTILINE,
        )
        assert re.search(
            f'^event info text="You have 1 match shelved with this player: {name}\\.',
            side.text,
            re.M,
        )
        shown = listed(side, capsys)
        assert re.search(f"^{name}.*  shelved, ", shown, re.M)
        assert "\n1 unfinished match is shelved; to continue it, type ginpeer --home" in shown
    # Put aside once, it is in nobody's way; asked for by its name, it goes on and is not aside.
    again(host, guest, ("host", "--rules", SHORT), ("join",))
    both_end(host, guest)
    assert len(host.logs) == 3
    assert not finished(host, name)
    again(host, guest, ("resume", name), ("resume", name, "--at", "127.0.0.1:1"))
    host.kill()
    guest.kill()
    port = free_port()
    host.start("resume", "--bot", *PATIENCE, "--listen", f"127.0.0.1:{port}")
    guest.start("resume", "--bot", *PATIENCE, "--at", f"127.0.0.1:{port}")
    both_end(host, guest)
    assert finished(host, name)
    assert finished(guest, name)
    assert "shelved" not in listed(host, capsys)


# --- people are asked ---------------------------------------------------------------------


@pytest.fixture
def terminals():
    pytest.importorskip("pexpect")
    from tests.cli.table.test_terminal import Terminal

    opened = []

    def at(side, *arguments):
        opened.append(Terminal(side.home, *arguments))
        return opened[-1]

    yield at
    for terminal in opened:
        terminal.child.close(force=True)


ASKED_HOST = r"begin a new match, yes or no> "
ASKED_GUEST = r"accept the match, yes or no> "


def invite_of(terminal):
    terminal.expect(r"invite: (\S+)\r\n")
    return terminal.child.match[1]


def test_a_host_is_asked_before_it_puts_a_match_aside_and_no_means_that_it_goes_on(
    sides, terminals
):
    host, guest = sides
    name = break_off(host, guest)
    ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
    guest.start("join", "--bot", *PATIENCE, invite_of(ann))
    ann.expect(f"You have an unfinished match with this player: {name}, last played on ")
    ann.expect(ASKED_HOST)
    ann.type("help")
    ann.expect("Answer the question first, with yes or no")
    ann.expect(ASKED_HOST)
    assert len(host.logs) == len(guest.logs) == 1
    ann.type("no")
    ann.expect(r"is back\.")
    ann.expect("The match continues with hand 1")
    ann.expect("Your hand: ")
    guest.wait_for('^event away text="No new match was started. Your unfinished match continues')
    told = guest.wait_for("^event resumed ", since=guest.text.index("event away"))
    assert "event connected " in guest.text[guest.text.index("event away") : told.start()]
    assert len(host.logs) == len(guest.logs) == 1
    assert guest.process.poll() is None


def test_both_players_are_asked_and_a_guests_no_changes_nothing(sides, terminals, capsys):
    host, guest = sides
    name = break_off(host, guest)
    for answer in ("no", "yes"):
        ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
        ben = terminals(guest, "join", invite_of(ann))
        ann.expect(ASKED_HOST)
        ann.type("yes")
        ben.expect(f"You have an unfinished match with this player: {name}, last played on ")
        ben.expect(ASKED_GUEST)
        ben.type(answer)
        if answer == "no":
            ann.expect(
                r"[\s|]+".join(
                    ("The other side said:", '"Our', "match", name, "isn't", r"finished\.")
                )
            )
            ann.expect("Offer standard[^?]* again\\? Type yes, no to wait, or quit to leave")
            ann.type("no")
            ann.expect("You haven't offered anything")
            ann.type("quit")
            ann.expect("yes or no> ")
            ann.type("yes")
            assert (ann.status(), ben.status()) == (4, 4)
            assert "shelved" not in listed(guest, capsys)
        else:
            ann.expect(f"The unfinished match {name} was shelved by you")
            ben.expect(f"The unfinished match {name} was shelved by the host")
    for side in (host, guest):
        assert re.search(f"^{name}.*  shelved, ", listed(side, capsys), re.M)


@pytest.mark.parametrize("rules", [(), ("--rules", "standard")])
def test_a_guest_hears_of_its_match_where_the_host_has_lost_it(sides, terminals, rules):
    """Also one that accepts these rules unasked: an unfinished match is another question."""
    host, guest = sides
    name = break_off(host, guest)
    shutil.rmtree(host.home / "matches")
    seen = len(host.text)
    host.start("host", "--bot", *PATIENCE, "--listen", "127.0.0.1:0")
    invite = host.wait_for(r"^invite: (\S+)$", since=seen)[1]
    ben = terminals(guest, "join", *rules, invite)
    ben.expect(f"You have an unfinished match with this player: {name}, last played on ")
    ben.expect(ASKED_GUEST)
    told = host.wait_for(r"^event info text=.*program named the match", since=seen)
    assert told
    assert "Here, a new match begins." in host.text
    assert len(guest.logs) == 2
    assert len(read_log(next(log for log in guest.logs if name not in log.stem)).entries) == 1


def test_who_was_the_guest_and_hosts_now_is_asked_and_no_leaves_the_match_as_it_is(
    sides, terminals
):
    """The match could not go on with the seats exchanged."""
    host, guest = sides
    name = break_off(host, guest)
    ben = terminals(guest, "host", "--listen", "127.0.0.1:0")
    seen = len(host.text)
    host.start("join", "--bot", *PATIENCE, invite_of(ben))
    ben.expect(f"You have an unfinished match with this player: {name}, ")
    ben.expect(ASKED_HOST)
    ben.type("no")
    ben.expect(
        f"The match {name} stays as it is\\. To continue, both of you type "
        r"ginpeer --home \S+ resume\."
    )
    assert ben.status() == 4
    assert host.ends() == 4
    assert "event end code=kept " in host.text[seen:]
    assert re.search(r"To continue, both of you type ginpeer [^.]*resume\.", host.text[seen:])
    assert len(guest.logs) == 1


def test_a_question_that_the_guest_does_not_wait_for_is_asked_again(sides, terminals):
    host, guest = sides
    break_off(host, guest)
    ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
    invite = invite_of(ann)
    for _ in range(2):
        guest.start("join", "--bot", *PATIENCE, invite)
        ann.expect(ASKED_HOST)
        guest.process.send_signal(signal.SIGKILL)
        guest.process.wait()
        ann.expect("Waiting for Ben to come back")
    ann.type("yes")
    ann.expect("Your opponent isn't here|It isn't your turn|Nothing was asked")


@pytest.mark.deep
def test_a_guest_that_has_lost_its_matches_hears_what_can_be_done(sides):
    """The cards that it held cannot be read again by anybody."""
    host, guest = sides
    break_off(host, guest)
    shutil.rmtree(guest.home / "matches")
    again(host, guest, ("host",), ("join",))
    assert guest.ends() == 70
    assert re.search(
        "code=seed-lost .*The host can start a new match with ginpeer host --new", guest.text
    )
    host.kill()
    again(host, guest, ("host", "--new", "--rules", SHORT), ("join",))
    both_end(host, guest)


@pytest.mark.deep
def test_a_host_that_wants_to_play_does_not_end_with_a_guest_that_lacked_an_old_end(sides):
    host, guest = sides
    again(host, guest, ("host", "--rules", SHORT), ("join",))
    both_end(host, guest)
    (log,) = guest.logs
    log.write_bytes(log_bytes(read_log(log).entries[:-1]))
    seen = len(host.text)
    host.start("host", "--bot", "--rules", SHORT, *PATIENCE, "--listen", "127.0.0.1:0")
    invite = host.wait_for(r"^invite: (\S+)$", since=seen)[1]
    guest.start("join", "--bot", *PATIENCE, invite)
    assert guest.ends() == 0
    host.wait_for(f'^event info text="The match {log.stem[:6]} is over', since=seen)
    guest.start("join", "--bot", *PATIENCE, invite)
    both_end(host, guest)
    assert len(host.logs) == len(guest.logs) == 2
    assert finished(guest, log.stem)
