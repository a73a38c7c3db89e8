"""Two real programs put a match aside by agreement, and continue it another time."""

import re
import sys

import pytest

RULES = "standard target=1"


@pytest.fixture
def start(tmp_path, start_script):
    return lambda name, *typed: start_script(tmp_path / name, *typed)


def test_two_programs_pause_by_agreement_and_continue_another_time(start, tmp_path):
    host = start("ann", "host", "--name", "Ann", "--rules", RULES, "--listen", "127.0.0.1:0")
    guest = start("ben", "join", "--name", "Ben", "--rules", RULES, host.invite())
    for script in (host, guest):
        script.wait_for("hand")
    host.send("pause")
    assert guest.wait_for("pause")["what"] == "asked"
    guest.send("yes")
    names = set()
    for script in (host, guest):
        stands = script.wait_for("paused")
        assert (stands["hand"], stands["host"], stands["guest"]) == ("1", "0", "0")
        assert stands["upcard"] != "none"
        end = script.wait_for("end")
        assert (end["code"], end["status"]) == ("paused", "0")
        names.add((end["resume"], end["text"]))
        assert script.end() == (0, "")
    assert len(names) == 1  # both print the same name
    ours, theirs = (log.read_bytes() for log in tmp_path.glob("*/matches/????????????????.ginlog"))
    assert ours == theirs
    host = start("ann", "resume", "--bot", "--listen", "127.0.0.1:0")
    guest = start("ben", "join", "--bot", host.invite())
    for script in (host, guest):
        assert script.wait_for("resumed")["entries"] == stands["entries"]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_person_can_pause_a_match_against_a_bot(start, tmp_path, start_terminal):
    host = start("ben", "host", "--bot", "--name", "Ben", "--listen", "127.0.0.1:0")
    person = start_terminal(tmp_path / "ann", "join", "--name", "Ann", host.invite())
    person.accepts()
    person.has_cards()
    person.child.send("pause\rgood ga")
    person.expect("is paused")
    person.expect("resume [0-9a-f]{6}")
    person.child.send("me\r")  # the shell mustn't get the end of a line meant for the table
    person.expect("came too late")
    assert person.status() == 0
    end = host.wait_for("end")
    assert (end["code"], end["status"]) == ("paused", "0")
    assert re.fullmatch("[0-9a-f]{6}", end["resume"])
