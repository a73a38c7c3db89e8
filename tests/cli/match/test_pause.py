"""Two real programs put a match aside by agreement, and continue it another time."""

import re
import sys

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.store import read_log

RULES = "standard target=1"


@pytest.fixture
def start(tmp_path, start_script):
    return lambda name, *typed: start_script(tmp_path / name, *typed)


def the_log(tmp_path, name):
    (path,) = (tmp_path / name / "matches").glob("????????????????.ginlog")
    return path


def test_two_programs_pause_by_agreement_and_finish_another_time(start, tmp_path):
    host = start("ann", "host", "--name", "Ann", "--rules", RULES, "--listen", "127.0.0.1:0")
    guest = start("ben", "join", "--name", "Ben", "--rules", RULES, host.invite())
    guest.wait_for("hand")
    host.wait_for("hand")
    host.send("pause")
    assert guest.wait_for("pause")["what"] == "asked"
    guest.send("no")
    assert host.wait_for("pause", seat="guest")["what"] == "declined"
    host.send("pause")  # too early: the guest doesn't see it
    assert host.wait_for("refused")["code"] == "pause-too-soon"
    guest.send("pause")
    assert host.wait_for("pause", seat="guest")["what"] == "asked"
    host.send("yes")
    names = set()
    for script in (host, guest):
        stands = script.wait_for("paused")
        assert (stands["hand"], stands["host"], stands["guest"]) == ("1", "0", "0")
        assert stands["upcard"] != "none"
        end = script.wait_for("end")
        assert (end["code"], end["status"]) == ("paused", "0")
        names.add((end["resume"], end["text"]))
        status, errors = script.end()
        assert (status, errors) == (0, "")
    assert len(names) == 1  # both print the same name
    kept = the_log(tmp_path, "ann").read_bytes()
    assert kept == the_log(tmp_path, "ben").read_bytes()
    host = start("ann", "resume", "--bot", "--listen", "127.0.0.1:0")
    guest = start("ben", "join", "--bot", host.invite())
    for script in (host, guest):
        assert script.wait_for("resumed")["entries"] == stands["entries"]
        assert script.wait_for("end")["code"] == "finished"
    whole = the_log(tmp_path, "ann").read_bytes()
    assert whole == the_log(tmp_path, "ben").read_bytes()
    assert whole.startswith(kept)
    verdict = judge(read_log(the_log(tmp_path, "ann")).entries)
    assert verdict.finding is Finding.VALID


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_person_can_pause_a_match_against_a_bot(start, tmp_path, start_terminal):

    host = start("ben", "host", "--bot", "--name", "Ben", "--listen", "127.0.0.1:0")
    person = start_terminal(tmp_path / "ann", "join", "--name", "Ann", host.invite())
    person.accepts()
    person.has_cards()
    person.type("pause")
    person.expect("is paused")
    person.expect("resume [0-9a-f]{6}")
    assert person.status() == 0
    end = host.wait_for("end")
    assert (end["code"], end["status"]) == ("paused", "0")
    assert re.fullmatch("[0-9a-f]{6}", end["resume"])


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_the_host_of_a_paused_match_reads_the_friends_name_before_the_invite(
    start, tmp_path, start_terminal
):
    """The friend needs no invite, so a screen reader needn't spell one before it says that."""
    host = start("ann", "host", "--name", "Ann", "--rules", RULES, "--listen", "127.0.0.1:0")
    guest = start("ben", "join", "--name", "Ben", "--rules", RULES, host.invite())
    for script in (host, guest):
        script.wait_for("hand")
    host.send("pause")
    guest.wait_for("pause")
    guest.send("yes")
    for script in (host, guest):
        assert script.wait_for("end")["code"] == "paused"
        script.end()
    person = start_terminal(tmp_path / "ann", "resume", "--listen", "127.0.0.1:0")
    person.expect("Resuming with Ben.*Ben, who has to type ginpeer resume.*invite: (gin1-)")
