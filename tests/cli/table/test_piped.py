"""The table behind pipes: scripts can play, and nothing they send breaks it."""

import signal
import sys

import pytest

from cli.main import main
from cli.match.practice import FIRST
from cli.program import OUR_FAULT
from ginpeer.adviser.levels import BEST
from ginpeer.store import Home
from ginpeer.store.small_files import read_settings
from tests.cli.started import run
from tests.cli.table.script import EVENT, parse, play_by_events


@pytest.fixture
def practice(tmp_path, start_script):
    return start_script(tmp_path, "practice", "--name", "Ada", "--rules", "standard target=1")


@pytest.fixture
def start_host(tmp_path, start_script):
    """Return a function that starts a host with these options, and returns it and its invite."""

    def start(*options):
        host = start_script(
            tmp_path / "a", "host", "--listen", "127.0.0.1:0", "--name", "Ada", *options
        )
        return host, host.invite()

    return start


def test_a_script_plays_a_whole_match_and_the_log_verifies(practice, tmp_path):
    end = play_by_events(practice)
    assert practice.end() == (0, "")
    assert (end["code"], end["status"]) == ("finished", "0")
    assert all(EVENT.fullmatch(line) and line.isascii() for line in practice.lines)
    assert main(["verify", end["log"]]) == 0
    kept = read_settings(tmp_path)
    assert kept.level == (FIRST + 1 if kept.won else FIRST - 1)  # the level of the next match


def test_the_end_of_input_leaves_the_table_and_keeps_the_log(practice, tmp_path):
    practice.wait_for("choose")
    assert practice.end("hint") == (4, "")
    events = [parse(line) for line in practice.lines]
    told = [fields["text"] for kind, fields in events if kind == "info"]
    assert f"level {FIRST} of {BEST}" in told[0]
    assert any(text.startswith(("Take", "Pass", "Draw")) for text in told)
    end = events[-1][1]
    assert (end["code"], end["status"]) == ("left", "4")
    assert main(["verify", end["log"]]) == 3
    assert read_settings(tmp_path).level == 0  # no match was finished
    (stored,) = Home(tmp_path).logs()
    assert Home(tmp_path).notes(stored).level == FIRST  # `ginpeer logs` shows this level


BROKEN = """
import sys
import cli.table.dispatcher
from cli.main import main

def fail(*arguments):
    raise ZeroDivisionError

cli.table.dispatcher.look_up = fail
sys.exit(main())
"""


def test_a_line_that_makes_ginpeer_fail_ends_it_with_a_reason(tmp_path):
    arguments = "host", "--listen", "127.0.0.1:0", "--name", "Ada"
    command = [sys.executable, "-c", BROKEN, "--home", str(tmp_path), *arguments]
    done = run(command, input="score\nsay still here\n", timeout=60, text=True)
    kind, fields = parse(done.stdout.splitlines()[-1])
    assert (kind, fields["code"], done.returncode) == ("end", "internal-error", OUR_FAULT)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize(
    ("name", "code"), [("SIGINT", "left"), ("SIGHUP", "hung-up"), ("SIGTERM", "left")]
)
@pytest.mark.deep(keep=1)
def test_a_signal_leaves_the_table_cleanly(practice, name, code):
    practice.wait_for("hand")
    practice.process.send_signal(getattr(signal, name))
    assert practice.wait_for("end")["code"] == code
    assert practice.end() == (4, "")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE there")
def test_unread_output_ends_the_program_without_a_traceback(practice):
    practice.wait_for("hand")
    practice.process.stdout.close()
    practice.send("score", "score")
    errors = practice.process.stderr.read()
    assert (practice.process.wait(), errors) == (141, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("practice", "--rules", "box=twenty"), "unreadable-rules"),
        (("practice", "--name", "\u202e"), "bad-name"),
        (("practice", "--name", "x" * 65), "bad-name"),
        (("join", "gin1-aaaaaa"), "invite-checksum"),
        (("join", "hello"), "invite-unreadable"),
        (("host", "--listen", "nonsense:x"), "address-unreadable"),
        (("host", "--listen", "127.0.0.1:0", "--advertise", "a b"), "address-unreadable"),
    ],
)
def test_unusable_arguments_are_refused_in_one_line(tmp_path, capsys, arguments, code):
    assert main(["--home", str(tmp_path), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.endswith(f"({code})\n")


def test_two_scripts_play_over_tcp_and_their_chat_is_cleaned(tmp_path, start_host, start_script):
    host, invite = start_host()
    guest = start_script(tmp_path / "b", "join", invite, "--name", "Ben")
    assert guest.wait_for("confirm", what="accept")["text"].startswith("Ada ")
    guest.send("yes")
    guest.wait_for("hand")
    guest.send("say \x1b[31mred\x1b[0m \u202e hello")
    assert host.wait_for("chat")["text"] == "\ufffd[31mred\ufffd[0m \ufffd hello"
    assert guest.end()[0] == 4
    assert host.wait_for("end")["code"] == "peer-left"
    assert host.end() == (4, "")


@pytest.mark.parametrize(
    ("arguments", "lines", "said"),
    [((), ("no",), ""), (("--bot", "--rules", "standard"), (), "target=150, not 100.")],
    ids=["person", "bot"],
)
def test_a_guest_who_declines_has_signed_nothing(
    tmp_path, start_host, start_script, arguments, lines, said
):
    host, invite = start_host("--rules", "oklahoma target=150")
    guest = start_script(tmp_path / "b", "join", invite, *arguments)
    guest.send(*lines)
    told = guest.wait_for("end")
    assert told["log"] == "none"
    for script, end in ((guest, told), (host, host.wait_for("end"))):
        assert (end["code"], end["status"]) == ("declined", "4")
        assert said in end["text"]
        assert script.end() == (4, "")


CHEAT = """
import sys
import ginpeer.match_store.table_keeper as keeper
from cli.main import main
from ginpeer.seat.seat import Send
from ginpeer.seat.seat import Seat
from protocol import messages as m
from protocol.entry import sign_entry

class Cheat(Seat):  # signs a final score, once, where a move is due
    cheated = False

    def owes_choice(self):
        return not self.cheated and super().owes_choice()

    def play(self, move):
        self.cheated = True
        score, table = m.Settle(1, 0, 500, m.Winner.GUEST), self.table
        body = m.Body(table.table_id, table.sequence, table.head, score)
        yield Send(sign_entry(self._identity, body))

keeper.Seat = Cheat
sys.exit(main(sys.argv[1:]))
"""


def test_a_player_who_cheats_is_named_and_the_proof_can_be_verified(
    tmp_path, start_host, start_script
):
    host, invite = start_host()
    start_script(tmp_path / "b", "join", "--bot", invite, code=CHEAT)
    end = play_by_events(host)
    assert (end["code"], end["status"]) == ("not-allowed-now", "1")
    assert host.end() == (1, "")
    assert main(["verify", end["log"]]) == 1


NEWER = """
import sys
from dataclasses import replace
import ginpeer.match_store.table_keeper as keeper
from cli.main import main
from ginpeer.seat.seat import Send
from ginpeer.seat.seat import Seat
from protocol import messages as m
from protocol.entry import GENESIS, sign_entry

class Newer(Seat):  # offers a rule that nobody has heard of yet
    def _submit_owed(self):
        offer = replace(self._offer(), rules="standard bridge=yes")
        yield Send(sign_entry(self._identity, m.Body(self._table_id, 0, GENESIS, offer)))

keeper.Seat = Newer
sys.exit(main(sys.argv[1:]))
"""


def test_rules_of_a_newer_version_are_reported_and_not_asked_about(tmp_path, start_script):
    newer = start_script(tmp_path / "a", "host", "--bot", "--listen", "127.0.0.1:0", code=NEWER)
    guest = start_script(tmp_path / "b", "join", newer.invite())
    end = guest.wait_for("end")
    assert (end["code"], end["status"]) == ("rules-unsupported", "4")
    assert "'bridge'" in end["text"]
    assert not any(" confirm " in line for line in guest.lines)
    assert guest.end() == (4, "")
