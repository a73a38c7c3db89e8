"""`ginpeer join` without arguments: it asks for the invite, on a real pseudo-terminal."""

import os
import signal
import socket
import sys
from dataclasses import replace

import pytest

from cli.commands.play import _asked
from cli.main import main
from cli.program import OUR_FAULT, USAGE, Failure
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.store import Home, Peer
from tests.cli.started import named, on_terminal
from tests.cli.table.script import ginpeer
from tests.cli.terminal.screen import Screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

INVITE = Invite(bytes(16), bytes(SECRET_BYTES), (Address("127.0.0.1", 1), Address("::1", 1)))
CODE = str(INVITE)


@pytest.fixture
def known(tmp_path):
    peers = Home.locate(str(tmp_path), {}).known_peers(lambda: 1_700_000_000)
    peers.remember(bytes([1]) * 32, "198.51.100.7:4466", "Bob")
    peers.remember(bytes([2]) * 32, "198.51.100.8:4466", "Ann Smith")
    peers.remember(bytes([3]) * 32, "198.51.100.9:4466", "Eve")
    peers.remember(bytes([4]) * 32, "198.51.100.9:4466", "Eve")
    return peers


@pytest.fixture
def ask(known, monkeypatch):
    """Return a function that types at the prompt for an invite. It returns the resulting invite,
    friend or failure, and the text on the screen."""

    def run(typed, later=""):
        screen = Screen(200)
        screen.type_after("> ", later)
        screen.type(typed)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", screen.stdin)
            patch.setattr(sys, "stdout", screen.stream)
            patch.setattr(sys, "stderr", screen.stream)
            try:
                made = _asked(known, "ginpeer")
            except (Failure, KeyboardInterrupt) as why:
                made = why
        return made, screen.text()

    return run


def test_an_invite_is_asked_for_and_read(ask):
    made, told = ask("", later=f"{CODE}\n")
    assert made == INVITE
    assert "invite> " in told


@pytest.mark.parametrize(
    "typed",
    [
        f"invite: {CODE}\n",
        f"> invite: {CODE}\n",
        f"| invite : `{CODE}`\n",
        f"\n{CODE[:30]}\n{CODE[30:]}\n",
        "".join(f"> {CODE[at : at + 20]}\r\n" for at in range(0, len(CODE), 20)),
        f"{CODE[:30]}\n\n{CODE[30:]}\n",
        f"Here it is, Bobby:\n{CODE}\n",
        f"{CODE[:-3]}x7\n\n{CODE}\n",
        f"ginr1-aaaa\n{CODE}\n",
        f"gin2-aaaa\n{CODE}\n",
    ],
)
def test_an_invite_is_found_in_any_pasted_text(ask, typed):
    made, _ = ask(typed)
    assert made == INVITE


def test_half_an_invite_prompts_for_the_rest(ask):
    made, told = ask(f"{CODE[:30]}\n", later=f"{CODE[30:]}\n")
    assert made == INVITE
    assert "\npart of the invite is missing: paste the rest" in told
    assert "mistyped" not in told


def test_a_paste_of_several_lines_gets_no_prompts_in_between(ask):
    _, told = ask("".join(f"{CODE[at : at + 20]}\n" for at in range(0, len(CODE), 20)))
    assert told.count("> ") <= 1


def test_a_friends_name_is_accepted_instead_of_an_invite(ask, known):
    for typed, name in (("bob", "Bob"), ("Ann Smith", "Ann Smith"), (f"{CODE[:20]}\nbob", "Bob")):
        made, _ = ask(f"{typed}\n")
        assert isinstance(made, Peer)
        assert made.called == name


@pytest.mark.parametrize("name", ["Sam Jr.", "Ann (work)", "join me"])
def test_a_friends_name_may_begin_or_end_like_the_text_around_an_invite(ask, known, name):
    known.rename(bytes([1]) * 32, name)
    made, _ = ask(f" {name}\n")
    assert made.called == name


def test_a_friend_may_be_called_quit(ask, known):
    known.rename(bytes([1]) * 32, "quit")
    made, _ = ask("quit\n")
    assert made.called == "quit"


def test_the_beginning_of_an_invite_is_never_taken_for_a_friends_name(ask, known):
    known.rename(bytes([1]) * 32, CODE[:20])
    made, _ = ask(f"{CODE[:20]}\n{CODE[20:]}\n")
    assert made == INVITE


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Nobody", "no friend with that name"),
        ("Eve", '"Eve" could be any of'),
        ("ginr1-aaaa", "That is a reply"),
        ("gin2-aaaa", "different version"),
        (f"{CODE[:20]}!{CODE[20:]}", "contains only the letters"),
    ],
)
def test_an_unusable_answer_is_explained_and_asked_again(ask, typed, told):
    made, shown = ask(f"{typed}\nbob\n")
    assert made.called == "Bob"
    assert told in " ".join(shown.split())


@pytest.mark.parametrize("typed", ["\n  \n", "\x04", "Nobody\n\n\n"])
def test_two_empty_lines_or_ctrl_d_leave_the_prompt(ask, typed):
    made, _ = ask(typed)
    assert (made.code, made.status) == ("usage", USAGE)


def test_a_disk_error_ends_the_prompt(ask, known, monkeypatch):
    def broken(text):
        raise Failure("disk-error", "The disk is gone.", OUR_FAULT)

    monkeypatch.setattr(known, "find", broken)
    made, _ = ask("bob\n")
    assert made.code == "disk-error"


def test_join_in_a_pipe_refuses_and_reads_nothing(tmp_path, monkeypatch, capsys):
    reading, writing = os.pipe()
    os.write(writing, f"{CODE}\n".encode())
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["--home", str(tmp_path), "join"]) == USAGE
        assert capsys.readouterr().err.endswith("(usage)\n")
        os.close(writing)
        assert stdin.read() == f"{CODE}\n"


def test_disclose_without_rules_is_refused(tmp_path, capsys):
    assert main(["--home", str(tmp_path), "join", CODE, "--disclose", "never"]) == USAGE
    assert "--disclose needs --rules." in capsys.readouterr().err


def test_help_repeats_what_to_paste_and_quit_leaves(ask):
    made, told = ask("?\nhelp\nginpeer join gin1-abc\n?\nquit\n")
    assert isinstance(made, KeyboardInterrupt)
    assert told.count("Paste the invite") == 4
    assert "isn't an invite" not in told


def test_text_pasted_after_the_invite_goes_to_the_table(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # doesn't answer or refuse
        code = str(replace(INVITE, addresses=(Address(*silent.getsockname()),)))
        child = on_terminal(ginpeer(named(tmp_path), "join"), timeout=60, size=(50, 200))
        child.expect("invite> ")
        child.send(f"{code[:40]}\r{code[40:]}\rhelp\r")
        child.expect("Looking for the host")
        child.expect("stops waiting")
    child.send("quit\r")
    child.expect(pexpect.EOF)
    child.close()


def test_ctrl_c_leaves_the_prompt_with_a_message(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    child = on_terminal(ginpeer(named(tmp_path), "join"), timeout=60, size=(50, 200))
    child.expect("invite> ")
    child.kill(signal.SIGINT)
    child.expect("\r\nginpeer: stopped.\r\n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
