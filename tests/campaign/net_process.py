"""Run a host in its own process, for campaigns that measure what strangers cost it.

``python -m tests.campaign.net_process FOLDER SEED RULES`` listens on the loopback until its
standard input ends. It is the product's own code with a bot at the table (tests/net/players), on
the reactor that the command line installs; the only difference is that it lets its guest in however
often it reconnects. It prints ``invite: CODE`` first, then a line for each connection that ends:
``failed CODE`` for a stranger's, ``closed CODE CLASS`` for a session. At the end it writes
FOLDER/host-times.json: when it sent and received each entry, in seconds of the machine's monotonic
clock.
"""

import json
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from math import inf
from pathlib import Path
from subprocess import PIPE, Popen
from unittest import mock

from tests.campaign.reactor_run import reactor

# isort: split

from ginpeer.net import connection as connection_module
from ginpeer.net import session as session_module
from ginpeer.net.acceptor import Acceptor, HostConnection
from ginpeer.net.address import Address
from ginpeer.net.codes import parse_invite
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from protocol.frames import EntryFrame
from tests.campaign.command import Failed
from tests.net.players import NetPlayer
from tests.net.support import LOOPBACK, SECRET

MIB = 1024 * 1024


# --- in the process --------------------------------------------------------------------


class Stopwatch:
    """The times at which each entry was sent and received, before any check."""

    def __init__(self):
        self.sent = {}
        self.came = {}

    @contextmanager
    def running(self):
        send = connection_module.PeerConnection.send
        receive = session_module.Session.receive_entry

        def timed_send(connection, frame):
            if isinstance(frame, EntryFrame):
                self.sent.setdefault(sha256(frame.entry).hexdigest(), time.monotonic())
            send(connection, frame)

        def timed_receive(session, raw):
            self.came.setdefault(sha256(raw).hexdigest(), time.monotonic())
            receive(session, raw)

        with (
            mock.patch.object(connection_module.PeerConnection, "send", timed_send),
            mock.patch.object(session_module.Session, "receive_entry", timed_receive),
        ):
            yield


class _TellingPlayer(NetPlayer):
    def _sit_down(self, session):
        def told(closed):
            print(f"closed {closed.code} {closed.failure}", flush=True)
            return closed

        session.done.addCallback(told)
        return super()._sit_down(session)


def _tell_failures():
    ended = HostConnection.on_end

    def telling(connection):
        if connection.is_stranger:
            print(f"failed {connection.failed.code}", flush=True)
        ended(connection)

    return mock.patch.object(HostConnection, "on_end", telling)


def main(folder, seed, rules):
    player = _TellingPlayer("host", Path(folder), seed, Options(parse_ruleset(rules)))
    watch = Stopwatch()

    def wait_for_the_end():
        sys.stdin.read()
        reactor.callFromThread(reactor.stop)

    with ExitStack() as stack:
        stack.enter_context(_tell_failures())
        stack.enter_context(watch.running())
        listening = Acceptor(
            reactor,
            player.side,
            SECRET,
            address=Address(LOOPBACK, 0),
            timing=connection_module.Timing(admissions=inf),
        )
        print(f"invite: {listening.invite}", flush=True)
        threading.Thread(target=wait_for_the_end, daemon=True).start()
        reactor.run()
    player.keeper.close()
    (Path(folder) / "host-times.json").write_text(
        json.dumps({"sent": watch.sent, "came": watch.came})
    )


# --- from outside ----------------------------------------------------------------------


class HostProcess:
    """The host's process, its output, and the resources it uses (Linux)."""

    def __init__(self, folder, seed, rules):
        self.folder = folder
        command = [sys.executable, "-m", "tests.campaign.net_process", str(folder), seed, rules]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE)
        self.invite = parse_invite(self._line().removeprefix("invite: "))
        self.port = self.invite.addresses[0].port
        self.said = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _line(self):
        return self._process.stdout.readline().decode().strip()

    def _listen(self):
        while line := self._line():
            self.said.append(line)

    def wait_for(self, found, seconds=30):
        """Wait until *found* accepts the output; return False if that doesn't happen."""
        deadline = time.monotonic() + seconds
        while not found(self.said):
            if time.monotonic() > deadline or self._process.poll() is not None:
                return False
            time.sleep(0.005)
        return True

    def memory(self, which="VmRSS"):
        """Return the resident bytes now, or the peak (VmHWM) since `forget_peak`."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith(which):
                return int(line.split()[1]) * 1024
        raise LookupError(which)

    def forget_peak(self):
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")

    @property
    def files(self):
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))

    @property
    def log(self):
        """Return everything that the host has stored in logs."""
        return b"".join(path.read_bytes() for path in self.folder.glob("host/matches/*.ginlog"))

    def stop(self):
        """End the process; return its times. Raises Failed if it didn't end well."""
        self._process.stdin.close()
        if status := self._process.wait(60):
            raise Failed(f"the host ended with {status}")
        return json.loads((self.folder / "host-times.json").read_text())

    def kill(self):
        self._process.kill()
        self._process.wait(30)


@contextmanager
def host_and_guest(folder, seed, rules):
    """Yield a host's process, and its guest in this process. Afterwards both are gone."""
    host = HostProcess(folder, seed, rules)
    guest = NetPlayer("guest", folder, seed, Options(parse_ruleset(rules)))
    try:
        yield host, guest
    finally:
        guest.keeper.close()
        host.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
