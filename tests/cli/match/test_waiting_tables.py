"""A table that has lost its other side waits, whatever happened to that side and whatever its
player has typed since. Real processes, real sockets, and the commands that people use."""

import contextlib
import re
import select
import socket
import threading

import pytest

from cli.match.joining import refusal_line
from ginpeer.referee.referee import Finding, judge
from ginpeer.store import read_log
from tests.cli.match.sides import BEGUN, PATIENCE, RULES, Side, begin, check_both_finished
from tests.cli.table.script import play_by_events
from tests.free_port import free_port

OUR_PATIENCE = ("--patience", "60")
KEPT = "the match is kept"


@pytest.mark.deep
def test_a_guest_that_a_host_does_not_let_in_waits_until_it_does(sides):
    """At first, the host wants a new match with anybody who has the new invite."""
    host, guest = sides
    port = free_port()
    begin(host, guest, port)
    guest.wait_for(BEGUN)
    host.kill()
    guest.wait_for("^event away")
    listen = ("--listen", f"127.0.0.1:{port}")
    host.start("host", "--new", "--bot", *PATIENCE, *listen)
    guest.wait_for(f"^event info text=.*{KEPT}")
    host.kill()
    host.start("host", "--bot", "--name", "Ann", *PATIENCE, *listen)
    check_both_finished(host, guest)
    assert guest.text.count(KEPT) == 1


def test_a_guest_turned_away_between_two_matches_is_told_how_to_get_in(transcript):
    """The host was started again and expects nobody."""
    transcript(refusal_line("Wrong.", "New: join.", under_way=way) for way in (False, True))


class Line:
    """A proxy to a port of this machine, which can break connections."""

    def __init__(self, port):
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._ends = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                try:
                    there = socket.create_connection(("127.0.0.1", self._to))
                except OSError:  # nothing listens there now
                    here.close()
                    continue
                self._ends = [here, there]
                threading.Thread(target=self._carry, args=(here, there), daemon=True).start()

    def _carry(self, here, there):
        with contextlib.suppress(OSError, ValueError), here, there:
            while True:
                for end in select.select([here, there], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    (there if end is here else here).sendall(data)

    def cut(self):
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listening.close()
        self.cut()


@pytest.mark.deep
def test_a_connection_lost_before_the_match_is_accepted_ends_neither_table(tmp_path, start_script):
    """The guest is asked again when the connection is back, and the match is played."""
    port = free_port()
    line = Line(port)
    host = Side(tmp_path / "ann")
    host.start(
        *("host", "--bot", "--name", "Ann", "--rules", "standard target=1", *PATIENCE),
        *("--listen", f"127.0.0.1:{port}", "--advertise", f"127.0.0.1:{line.port}"),
    )
    invite = host.invite()
    guest = start_script(tmp_path / "ben", "join", "--name", "Ben", *OUR_PATIENCE, invite)
    try:
        guest.wait_for("confirm", what="accept")
        line.cut()
        guest.wait_for("away")
        host.wait_for("^event away")
        guest.wait_for("confirm", what="accept")
        guest.send("yes")
        assert play_by_events(guest)["code"] == "finished"
        assert host.ends() == 0
    finally:
        line.close()
        if host.process.poll() is None:
            host.kill()
    (log,) = host.logs
    assert judge(read_log(log).entries).finding is Finding.VALID


def test_a_terminal_closed_during_a_match_does_not_end_the_other_table(tmp_path, start_terminal):
    """The terminal itself closes, so reading and writing fail, too."""

    host = Side(tmp_path / "ann")
    port = free_port()
    host.start("host", "--bot", *PATIENCE, "--rules", RULES, "--listen", f"127.0.0.1:{port}")
    invite = host.invite()
    guest = start_terminal(tmp_path / "ben", "join", invite)
    try:
        guest.accepts()
        guest.asked()
        guest.child.close(force=False)
        host.wait_for("^event away")
        assert host.process.poll() is None
        assert "event end" not in host.text
    finally:
        host.kill()


def test_a_match_offered_but_not_accepted_cannot_be_resumed(tmp_path):
    host, guest = Side(tmp_path / "ann"), Side(tmp_path / "ben")
    host.start("host", "--bot", "--rules", RULES, "--listen", "127.0.0.1:0")
    invite = host.invite()
    guest.start("join", "--bot", "--rules", "oklahoma", invite)
    assert (host.ends(), guest.ends()) == (4, 4)
    for side in (host, guest):
        seen = len(side.text)
        assert side.logs == []
        side.start("resume", "--bot")
        assert side.ends() == 2
        assert "(nothing-to-resume)" in side.text[seen:]
        assert re.search("resume=none$", side.text, re.MULTILINE)


# --- where a host says that it waits --------------------------------------------------------


def test_a_host_that_is_reached_elsewhere_says_where_it_waits_and_where_the_invite_leads(
    tmp_path, start_terminal
):

    where = ("--listen", "127.0.0.1:0", "--advertise", "my.home.example:4466")
    host = start_terminal(tmp_path, "host", *where)
    host.expect(r"Waiting on port (\d+)[^(]* leads to\s+(\S+)\s+\(")
    assert host.child.match[2] == "my.home.example:4466"
    with socket.create_connection(("127.0.0.1", int(host.child.match[1]))):
        pass


WITHOUT_NETWORK = """
import sys
import ifaddr
import ginpeer.net.own_addresses as own
ifaddr.get_adapters = lambda: []
own.ELSEWHERE = ()
from cli.main import main
sys.exit(main())
"""


def test_a_host_without_a_network_says_that_its_invite_works_only_locally(tmp_path, start_script):
    host = start_script(tmp_path, "host", "--bot", code=WITHOUT_NETWORK)
    assert re.fullmatch("127.0.0.1:[0-9]+", host.wait_for("listening")["addresses"])
    while "This invite works only on this machine" not in host.wait_for("info")["text"]:
        pass
