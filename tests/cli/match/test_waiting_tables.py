"""A player who has lost the other side waits, whatever happened there and whatever they have typed
since. These tests use real processes, real sockets and the commands that people type."""

import contextlib
import select
import socket
import threading

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.store import read_log
from tests.cli.match.sides import BEGUN, PATIENCE, Side, begin, check_both_finished
from tests.cli.table.script import play_by_events
from tests.free_port import free_port

OUR_PATIENCE = ("--patience", "60")
KEPT = "the match is kept"


@pytest.mark.deep
def test_a_guest_that_a_host_does_not_let_in_waits_until_it_does(sides):
    """At first, the restarted host wants a new match with anybody who has the new invite."""
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
                except OSError:  # nothing listens there at the moment
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
    """After reconnecting, the guest is asked again, and the match is played."""
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
