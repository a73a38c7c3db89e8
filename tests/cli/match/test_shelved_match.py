"""An unfinished match and a new one: which one is played, who is asked, and what lists say."""

import re
import shutil
import signal

import pytest

from cli.main import main
from ginpeer.store import read_log
from tests.cli.match.sides import PATIENCE, store_broken_off


def break_off(sides):
    """Kill both players in the middle of a match. Return the match's short name."""
    store_broken_off(sides)
    return sides[0].logs[0].stem[:6]


def log_of(side, name):
    return next(log for log in side.logs if log.stem.startswith(name))


def listed(side, capsys):
    capsys.readouterr()
    assert main(["--home", str(side.home), "logs"]) == 0
    return capsys.readouterr().out


# --- people are asked ---------------------------------------------------------------------


@pytest.fixture
def terminals(start_terminal):
    return lambda side, *typed: start_terminal(side.home, *typed)


ASKED_HOST = "offer a new match .yes. or "


def test_a_host_is_asked_before_it_shelves_a_match_and_no_continues_it(sides, terminals):
    host, guest = sides
    name = break_off(sides)
    ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
    guest.start("join", "--bot", *PATIENCE, ann.invite())
    ann.expect(f"unfinished match .*{name}")
    ann.expect(f"{ASKED_HOST}continue the unfinished one .no.> ")
    assert len(host.logs) == len(guest.logs) == 1
    ann.type("no")
    ann.has_cards()
    guest.wait_for("^event away ")
    told = guest.wait_for("^event resumed ", since=guest.text.index("event away"))
    assert "event connected " in guest.text[guest.text.index("event away") : told.start()]
    assert len(host.logs) == len(guest.logs) == 1
    assert guest.process.poll() is None


def test_both_players_are_asked_and_a_guests_no_changes_nothing(sides, terminals, capsys):
    host, guest = sides
    name = break_off(sides)
    for answer in ("no", "yes"):
        ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
        ben = terminals(guest, "join", ann.invite())
        ann.expect(ASKED_HOST)
        ann.type("yes")
        ben.expect(f"unfinished match .*{name}")
        ben.is_offered()
        ben.type(answer)
        if answer == "no":
            ann.expect(name)  # the guest says that this match isn't finished
            ann.expect("match again")
            ann.expect("offer it again .yes. or continue the unfinished one .no.> ")
            ann.type("no")
            for terminal in (ann, ben):
                terminal.has_cards()
            for terminal in (ann, ben):
                terminal.child.close(force=True)
            assert "shelved" not in listed(guest, capsys)
        else:
            for terminal in (ann, ben):
                terminal.expect(f"shelved the unfinished match {name}")
    for side in (host, guest):
        assert re.search(f"^{name}.*  shelved, ", listed(side, capsys), re.M)


def test_a_guest_is_told_of_its_match_if_the_host_has_lost_it(sides, terminals):
    """Accepting the rules by --rules doesn't answer the question about an unfinished match."""
    host, guest = sides
    name = break_off(sides)
    shutil.rmtree(host.home / "matches")
    host.start("host", "--bot", *PATIENCE, "--listen", "127.0.0.1:0")
    ben = terminals(guest, "join", "--rules", "standard", host.invite())
    ben.expect(f"unfinished match .*{name}")
    ben.is_offered()
    host.wait_for("^event info text=.*asked for match")
    assert len(guest.logs) == 2
    assert len(read_log(next(log for log in guest.logs if name not in log.stem)).entries) == 1


def test_nobody_is_asked_to_keep_a_match_that_is_damaged_at_the_host(sides, terminals):
    """The host's player isn't told how to continue it."""
    host, guest = sides
    name = break_off(sides)
    seeds = log_of(host, name).with_suffix(".seeds")
    seeds.write_bytes(b"".join(seeds.read_bytes().splitlines(keepends=True)[:-1]))
    ann = terminals(host, "host", "--listen", "127.0.0.1:0")
    ben = terminals(guest, "join", ann.invite())
    ann.expect(f"The match {name} is damaged.*seed-lost")
    ben.expect(f"unfinished match .*{name}.* if the host still has")
    ben.is_offered()
    ben.type("no")
    ann.expect("offer it again .yes. or wait .no.> ")
    for promise in ("resume", "continue"):
        assert promise not in ann.child.before


def test_a_former_guest_who_now_hosts_is_asked_and_no_leaves_the_match_as_it_is(sides, terminals):
    """The match cannot continue with the seats exchanged."""
    host, guest = sides
    name = break_off(sides)
    ben = terminals(guest, "host", "--listen", "127.0.0.1:0")
    host.start("join", "--bot", *PATIENCE, ben.invite())
    ben.expect(f"unfinished match .*{name}")
    ben.expect(f"{ASKED_HOST}end this session .no.> ")
    ben.type("no")
    ben.expect(f"The match {name} stays as it is")
    assert ben.status() == 4
    assert host.ends() == 4
    assert "event end code=kept " in host.text
    assert len(guest.logs) == 1


def test_a_question_is_asked_again_if_the_guest_does_not_wait_for_the_answer(sides, terminals):
    host, guest = sides
    break_off(sides)
    ann = terminals(host, "host", "--new", "--listen", "127.0.0.1:0")
    invite = ann.invite()
    for _ in range(2):
        guest.start("join", "--bot", *PATIENCE, invite)
        ann.expect(ASKED_HOST)
        guest.process.send_signal(signal.SIGKILL)
        guest.process.wait()
        ann.expect("Waiting for Ben")
    ann.type("yes")
    ann.expect("isn't here|isn't your turn|There is no question")


def test_a_host_who_resumes_reads_the_friends_name_before_the_invite(sides, terminals):
    """The friend needs no invite, so a screen reader should say that before it spells one."""
    name = break_off(sides)
    ann = terminals(sides[0], "resume", name, "--no-mapping")
    ann.expect("Resuming with Ben.*Ben, who has to type ginpeer resume.*invite: (gin1-)")
    ann.type("quit")
    ann.expect("leave the table, yes or no> ")
    ann.type("yes")
    ann.expect("Nothing was played. The match is kept.")
    assert ann.status() == 4
