"""`ginpeer id`, the key's passphrase, and which of our files other users can read."""

import getpass
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cli import program
from cli.main import main as run
from cli.match.identity import player_name
from cli.terminal import questions
from ginpeer.store import Home, identity_file
from tests.cli.started import on_terminal, start
from tests.cli.table.script import PATIENCE
from tests.cli.table.script import ginpeer as command_line
from tests.matches.recorded import recorded

WORDS = "four words in a row"
posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a new home in which encrypting the key takes less time than usual."""
    monkeypatch.setattr(identity_file, "COST", 14)
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(questions.FILE_VARIABLE, raising=False)
    return Home(tmp_path / "home")


@pytest.fixture
def answers(monkeypatch):
    """Return a list of answers. Each prompt for a passphrase takes the next one."""
    lines = []

    def answer(prompt):
        assert prompt == "Repeat it: " or prompt.endswith(" (hidden): ")
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr(getpass, "getpass", answer)
    return lines


@pytest.fixture
def protected(home, answers, capsys):
    """Return a home whose key has been protected with WORDS."""
    answers[:] = [WORDS, WORDS]
    assert run(["id", "--protect"]) == 0
    capsys.readouterr()
    return home


@pytest.fixture
def in_file(tmp_path, monkeypatch):
    def write(data):
        path = tmp_path / "words"
        path.write_bytes(data)
        monkeypatch.setenv(questions.FILE_VARIABLE, str(path))

    return write


def fingerprint(capsys):
    capsys.readouterr()
    assert run(["id"]) == 0
    return capsys.readouterr().out.split("Fingerprint: ")[1].split()[0]


def ends(capsys, status, code):
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.endswith(f"({code})")
    assert last.startswith("ginpeer: ")
    return status


# Passphrases typed by a person


def test_a_passphrase_can_be_set_changed_and_removed(home, answers, capsys):
    before = fingerprint(capsys)
    answers[:] = [WORDS, WORDS]
    assert run(["id", "--protect"]) == 0
    out, err = capsys.readouterr()
    assert "on this disk" in out
    assert "The passphrase doesn't protect your matches" in out
    assert WORDS not in out + err
    answers[:] = [WORDS]
    assert fingerprint(capsys) == before
    answers[:] = [WORDS, "other words in a row", "other words in a row"]
    assert run(["id", "--protect"]) == 0
    assert "on this disk" not in capsys.readouterr().out  # no unencrypted key was left
    answers[:] = ["other words in a row"]
    assert run(["id", "--unprotect"]) == 0
    assert answers == []
    assert fingerprint(capsys) == before


def test_a_new_key_may_be_protected_before_it_is_ever_stored(home, answers, capsys):
    answers[:] = [WORDS, WORDS]
    assert run(["id", "--protect"]) == 0
    out = capsys.readouterr().out
    assert "Its fingerprint: " in out
    assert "on this disk" not in out
    assert home.identity_file.is_sealed()
    assert (home.path / ".gitignore").read_text() == "*\n"


def test_a_protected_key_still_counts_a_match_that_was_copied_here(home, answers, capsys):
    key = recorded().identities[0]
    home.identity_file.create(key, WORDS, os.urandom)
    assert run(["stats"]) == 0  # nothing is stored, so nobody is asked
    home.matches.mkdir()
    recorded().write(home.matches / f"{'a' * 16}.ginlog")
    answers[:] = [WORDS]
    assert run(["stats"]) == 0
    assert "Counted: 1 match " in capsys.readouterr().out


def test_a_passphrase_may_be_tried_three_times(protected, answers, capsys):
    answers[:] = ["wrong words", "", WORDS]
    assert run(["id"]) == 0
    out, err = capsys.readouterr()
    assert err.count("Try again.") == 2
    assert out.startswith("Name: ")
    answers[:] = ["wrong", "still wrong", "wrong again", WORDS]
    assert run(["id"]) == ends(capsys, program.USAGE, "wrong-passphrase")
    assert answers == [WORDS]


def test_a_new_passphrase_must_be_typed_twice_the_same(home, answers, capsys):
    answers[:] = [WORDS, WORDS + "!", "short", WORDS, WORDS]
    assert run(["id", "--protect"]) == 0
    err = capsys.readouterr().err
    assert "The passphrases don't match. Try again." in err
    assert "at least 8 characters" in err
    answers[:] = [WORDS, *["short"] * 3]
    assert run(["id", "--protect"]) == program.USAGE
    answers[:] = [WORDS]
    assert run(["id"]) == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, ""), "bad-passphrase"),
        (getpass.GetPassWarning(), "no-passphrase"),  # it can't be typed without being shown
        (EOFError(), "no-passphrase"),
        (OSError(), "no-passphrase"),
    ],
)
def test_a_passphrase_that_cannot_be_typed_is_reported(monkeypatch, error, code):
    def fails(_):
        raise error

    monkeypatch.setattr(getpass, "getpass", fails)
    with pytest.raises(program.Failure) as caught:
        questions.ask_passphrase({})
    assert caught.value.code == code


def test_a_question_needs_a_terminal_at_both_ends(monkeypatch):
    for ends in ((True, True), (True, False), (False, True)):
        for name, is_one in zip(("stdin", "stdout"), ends, strict=True):
            monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda is_one=is_one: is_one))
        assert questions.can_ask() is all(ends)


def test_a_protected_key_without_a_terminal_is_an_error(protected, capsys):
    for arguments in (["id"], ["practice"], ["host"], ["id", "--protect"], ["id", "--unprotect"]):
        assert run(arguments) == ends(capsys, program.USAGE, "no-passphrase")


def test_an_unprotected_key_cannot_be_unprotected(home, capsys):
    for _ in range(2):
        assert run(["id", "--unprotect"]) == ends(capsys, program.USAGE, "not-protected")
        assert run(["id"]) == 0
    assert run(["id", "--protect", "--unprotect"]) == ends(capsys, program.USAGE, "usage")


def test_a_passphrase_is_not_accepted_as_an_argument(home, capsys):
    assert run(["id", "--protect", WORDS]) == program.USAGE
    assert run(["id", "--protect=" + WORDS]) == program.USAGE


# Passphrases in a file, for programs


@pytest.mark.parametrize("data", [b"%s", b"%s\n", b"\xef\xbb\xbf%s\r\n"])
def test_a_file_may_hold_the_passphrase(home, in_file, capsys, data):
    in_file(data % WORDS.encode())
    before = fingerprint(capsys)
    assert run(["id", "--protect"]) == 0
    assert home.identity(os.urandom, lambda: WORDS)
    assert fingerprint(capsys) == before


def test_a_wrong_passphrase_file_is_tried_once(home, in_file, capsys, monkeypatch):
    in_file(WORDS.encode())
    assert run(["id", "--protect"]) == 0
    for data, code in (
        (b"other words", "wrong-passphrase"),
        (b"", "bad-passphrase"),
        (b"\xff\xfe", "bad-passphrase"),
        (b"two\nlines", "bad-passphrase"),
        (b"x" * 10_000, "bad-passphrase"),
    ):
        in_file(data)
        capsys.readouterr()
        assert run(["id"]) == program.USAGE
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.endswith(f"({code})\n")
    assert "isn't a line of text" in err  # the whole sentence is printed
    for name in ("/no/such/file", "nul\0", str(home.path)):
        monkeypatch.setattr(os, "environ", {**os.environ, questions.FILE_VARIABLE: name})
        with pytest.raises(program.Failure) as failed:
            questions.ask_passphrase(os.environ)
        assert failed.value.code in ("no-passphrase", "bad-passphrase")


def test_a_changed_passphrase_must_be_typed_even_if_a_file_holds_the_old_one(
    home, in_file, answers, capsys
):
    in_file(WORDS.encode())
    assert run(["id", "--protect"]) == 0
    capsys.readouterr()
    assert run(["id", "--protect"]) == program.USAGE
    (told,) = capsys.readouterr().err.splitlines()
    assert told.endswith("only at a terminal. (no-passphrase)")  # the file can't contain both
    answers[:] = ["other words in a row"] * 2
    assert run(["id", "--protect"]) == 0
    assert home.identity(os.urandom, lambda: "other words in a row")


# The real command


@posix
def test_a_typed_passphrase_is_not_shown_on_a_terminal(protected):
    pytest.importorskip("pexpect")
    command = command_line(protected.path, "practice", "--name", "Ada")
    child = on_terminal(command, timeout=PATIENCE)
    child.expect_exact("Passphrase for your key (hidden): ")
    assert child.before == ""  # nothing was shown before the question
    child.waitnoecho(PATIENCE)
    child.sendline(WORDS)
    child.expect_exact("You are playing against the bot")
    assert WORDS not in child.before
    child.close(force=True)


@posix
def test_piped_input_is_not_read_as_a_passphrase(protected):
    """Otherwise, a script's moves could be read as the passphrase and shown in the error
    message."""
    done = subprocess.run(
        command_line(protected.path, "id"),
        input=f"{WORDS}\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        start_new_session=True,  # so that it can't open /dev/tty, either
    )
    assert done.returncode == program.USAGE
    assert done.stdout == ""
    assert done.stderr.endswith("(no-passphrase)\n")
    assert done.stderr.count("\n") == 1


@posix
def test_everything_a_command_creates_is_private_under_any_umask(tmp_path):
    """This includes the home's parent folders and the bot's home. tests/cli/match/test_secrets.py
    plays a match under umask 0."""
    deep = tmp_path / "not" / "yet" / "there"
    with start(
        command_line(deep, "practice", "--name", "Ada", "--rules", "standard", "target=1"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        umask=0o777,
    ) as practice:
        assert practice.wait(PATIENCE) == 4
    made = [tmp_path / "not", *(tmp_path / "not").rglob("*")]
    wrong = {
        (path.name, oct(path.stat().st_mode))
        for path in made
        if path.stat().st_mode & 0o777 != (0o700 if path.is_dir() else 0o600)
    }
    assert wrong == set()
    assert {"not", "yet", "there", "matches", "bot"} <= {path.name for path in made}
    assert {".pem", ".ginlog", ".seeds", ".match"} <= {path.suffix for path in made}


@posix
def test_a_home_open_to_others_is_reported_and_its_key_made_private(home, capsys):
    assert run(["id"]) == 0
    assert capsys.readouterr().err == ""
    home.path.chmod(0o777)
    home.identity_file.path.chmod(0o644)
    assert run(["id"]) == 0
    err = capsys.readouterr().err
    assert "Others on this machine can change" in err
    assert err.count("\n") == 1
    assert home.identity_file.path.stat().st_mode & 0o777 == 0o600


def test_the_name_given_or_last_set_is_used(home, monkeypatch, capsys):
    monkeypatch.setattr(getpass, "getuser", lambda: "login")
    assert run(["id"]) == 0
    assert capsys.readouterr().out.startswith("Name: login\n")
    assert run(["id", "--name", " Anna  Smith "]) == 0
    assert capsys.readouterr().out.startswith("Name: Anna Smith\n")
    assert run(["id"]) == 0
    assert capsys.readouterr().out.startswith("Name: Anna Smith\n")
    assert player_name(home, None) == "Anna Smith"
    assert player_name(home, "Ben") == "Ben"


def test_an_unusable_name_is_refused_and_not_saved(home, capsys):
    assert run(["id", "--name", "\x1b[2J"]) == ends(capsys, program.USAGE, "bad-name")
    assert not home.path.exists()
