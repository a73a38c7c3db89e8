"""The command line as a whole: help, usage errors, and how it ends."""

import argparse
import errno
import os
import shlex
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from cli import main, program
from cli.commands import logs
from cli.main import main as run
from cli.parser import parser
from cli.program import own_command
from ginpeer import __version__
from ginpeer.rules import parse_ruleset
from ginpeer.store import Home, MatchNotes
from tests.cli.started import COMMAND, start
from tests.matches.recorded import recorded

NAMES = """demo practice host join rules verify replay export analyse tally link logs stats archive
id friends doctor"""
COMMANDS = tuple(NAMES.split())
HEAVY = ("twisted", "google", "cryptography", "rbcl", "OpenSSL", "ginpeer", "protocol")


def test_every_command_has_an_implementation_and_is_in_the_help(capsys):
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    typed = set(commands.choices) - {"help"}
    assert typed == {*COMMANDS, "resume"}
    assert all(callable(main.body_of(name)) for name in typed)
    assert run(["--help"]) == 0
    help_text = capsys.readouterr().out
    assert all(f"  ginpeer {name} " in help_text for name in typed)


LOADED = "; print(sorted(sys.modules), file=sys.stderr)"


def test_help_imports_nothing_heavy():
    """This keeps --help far below 0.2 seconds."""
    script = "import sys; from cli.main import main; main(['--help'])"
    script += "".join(f"; main(['{name}', '--help'])" for name in COMMANDS)
    done = subprocess.run(
        [sys.executable, "-c", script + LOADED], capture_output=True, text=True, timeout=60
    )
    loaded = {name.partition(".")[0] for name in eval(done.stderr)}
    assert "cli" in loaded
    assert not loaded & set(HEAVY)


UNUSED = ("ginpeer.record", "ginpeer.notation", "ginpeer.tally", "ifaddr", "doctest", "unittest")


@pytest.mark.deep
def test_practice_imports_nothing_unneeded_before_the_first_move(tmp_path):
    """This keeps the time to the first prompt to about half a second of processor time."""
    script = "import sys; from cli.main import main; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", script + LOADED, "--home", str(tmp_path), "practice"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert any(line.startswith("event choose") for line in program.stdout)
        program.stdin.close()
        loaded = set(eval(program.stderr.read().splitlines()[-1]))
    assert "ginpeer.net.session" in loaded
    assert not loaded & set(UNUSED)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frob"], ["no command 'frob'", "practice, host, join, resume, rules"]),
        (["verify"], ["LOG"]),
        (["verify", "a", "b"], ["b"]),
        (["host", "--disclose", "sometimes"], ["--disclose"]),
        (["join"], ["INVITE"]),
        (["replay", "x", "--hand", "-1"], ["--hand"]),
        (["ho\x1b[31m\n"], ["no command"]),
        (["host", "--adv", "x"], ["--adv"]),
        (["help", "frob"], ["no command 'frob'"]),
        (["verfy"], ["no command 'verfy'. Did you mean verify?"]),
        (["host", "--lisen", "1"], ["--lisen", "Did you mean --listen?", "host --help"]),
        (["logs", "--limt=3"], ["Did you mean --limit?"]),
        (["--home", "analyze", "analyze"], ["ginpeer analyse --help"]),
        (["--home", "", "logs"], ["--home"]),
        (["logs", "--json"], ["Try: ginpeer logs --help"]),
        (["--home", "x", "host", "--frob", "--rules", "oklahoma"], ["Try: ginpeer host --help"]),
        (["--frob", "verify", "LOG"], ["Try: ginpeer verify --help"]),
        (["--frob"], ["Try: ginpeer --help"]),
    ],
)
def test_wrong_usage_gives_one_message_and_status_2(capsys, arguments, words):
    assert run(arguments) == program.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ginpeer: ")
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert all(word.casefold() in err.casefold() for word in words)
    assert "--help (usage)" in err


def test_newer_pythons_add_no_colours_or_suggestions():
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    for each in (parser(), *commands.choices.values()):
        assert (each.color, each.suggest_on_error) == (False, False)


INVITE = "gin1-3ce4aj-n7dsfa-l4ojlz-dljxto-dlpbti-5p2y3a-kpb7yw-q7ss2z-kp7cp"


@pytest.mark.parametrize("rest", [["--bot"], ["-h"], ["--name", "-abc"]])
def test_an_invite_broken_before_a_hyphen_is_joined_again(rest):
    for at in range(4, len(INVITE)):
        if INVITE[at] != "-":
            continue
        pieces = [INVITE[:at], INVITE[at:]]
        whole = ["--home", "x", "join", INVITE, *rest]
        assert main._with_whole_invite(["--home", "x", "join", *pieces, *rest]) == whole
    alone = ["join", *INVITE.replace("-", " - ").split(" ")]
    assert main._with_whole_invite([*alone, *rest]) == [*alone, *rest]  # argparse handles these
    mixed = ["join", "(gin1", "-aaaa", "-", "bbbb", "-cccc)"]
    assert main._with_whole_invite(mixed[:-1]) == ["join", "(gin1-aaaa", "-", "bbbb"]
    unlike = ["verify", INVITE, "-abc"]
    assert main._with_whole_invite(unlike) == unlike


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["host", INVITE], "join and the invite"),
        (["host", "ginr1-aaaa-bbbb"], "host and send"),
        (["join", "reply:", "ginr1-aaaa"], "for the host to paste"),
    ],
)
def test_a_code_in_the_wrong_place_is_recognised_and_advice_given(typed, told, tmp_path, capsys):
    assert main.main(["--home", str(tmp_path), *typed]) == 2
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--hands", "6", "--rules", "hollywood"], "rules-contradict"),
        (["--hands", "6", "--rules", "standard target=700"], "rules-contradict"),
        (["--hands", "6", "--rules", "standard hands=6"], "repeated-rule"),
        (["--hands", "0"], "rule-out-of-range"),
        (["--hands", "six"], "unreadable-rules"),
    ],
)
def test_a_number_of_hands_is_checked_like_any_other_rule(capsys, arguments, code):
    assert run(["host", *arguments]) == program.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"({code})\n")


@pytest.fixture
def begun_rules(monkeypatch):
    """Return a list that gets the rules of each match that is begun. None of them is played."""
    from cli.commands import play, practice

    rules = []

    class Begun:
        def __init__(self, args, plan):
            rules.append(str(plan.offers.rules))

        def run(self, begin):
            return 0

    for command in (play, practice):
        monkeypatch.setattr(command, "OneMatch", Begun)
    return rules


def test_a_number_of_hands_takes_the_place_of_the_target(begun_rules):
    assert run(["host", "--hands", "6"]) == 0
    assert run(["host", "--hands", "6", "--rules", "oklahoma box=20"]) == 0
    assert run(["host"]) == 0
    assert begun_rules == ["standard hands=6", "oklahoma hands=6 box=20", "standard"]


@pytest.mark.parametrize(
    "words",
    [
        ["oklahoma hollywood box=20"],
        ["oklahoma", "hollywood", "box=20"],
        ["Oklahoma, Hollywood", "BOX = 20"],
    ],
)
@pytest.mark.parametrize("command", ["host", "practice"])
def test_rules_can_be_typed_in_many_ways(begun_rules, command, words):
    assert run([command, "--rules", *words, "--name", "Ada"]) == 0
    assert begun_rules == [str(parse_ruleset("oklahoma hollywood box=20"))]


def test_without_a_command_four_lines_show_what_to_type_first(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run([]) == program.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    typed = [line.split()[:2] for line in err.splitlines()]
    assert typed == [["ginpeer", name] for name in ("practice", "host", "join", "help")]


@pytest.mark.parametrize("command", [None, "resume", "help"])
def test_help_is_also_a_command(capsys, command):
    words = [command] if command else []
    assert run([*words, "--help"]) == 0
    told = capsys.readouterr().out
    assert run(["help", *words]) == 0
    assert capsys.readouterr().out == told


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(capsys, option):
    assert run([option]) == 0
    assert capsys.readouterr().out == f"ginpeer {__version__}\n"


def test_the_package_can_be_run_by_its_name():
    done = subprocess.run(
        [sys.executable, "-m", "ginpeer", "-V"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ginpeer {__version__}\n", "")


def test_an_unexpected_error_is_reported_in_one_line(monkeypatch, capsys):
    def broken(_):
        raise ZeroDivisionError("a secret\nin two lines")

    monkeypatch.setattr(logs, "run_logs", broken)
    monkeypatch.delenv("GINPEER_DEBUG", raising=False)
    assert run(["logs"]) == program.OUR_FAULT
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "GINPEER_DEBUG=1" in err
    monkeypatch.setenv("GINPEER_DEBUG", "1")
    assert run(["logs"]) == program.OUR_FAULT
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_prints_no_traceback(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(logs, "run_logs", interrupted)
    assert run(["logs"]) == main.INTERRUPTED
    assert capsys.readouterr().err.count("\n") == 1


def test_a_closed_pipe_is_quiet(tmp_path):
    """An example is `ginpeer replay LOG | head -1`, in which the reader ends first."""
    log = recorded().write(tmp_path / "log")
    player = start(
        [*COMMAND, "replay", str(log)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    player.stdout.close()
    err = player.stderr.read()
    player.stderr.close()
    assert player.wait(60) == main.PIPE_CLOSED
    assert err == b""


def test_windows_reports_a_closed_pipe_as_an_invalid_argument(monkeypatch):
    invalid = OSError(errno.EINVAL, "Invalid argument")
    reading, writing = os.pipe()
    with (
        open(reading, "rb"),
        open(writing, "wb") as pipe,
        open(os.devnull, "wb") as file,
        monkeypatch.context() as patch,
    ):
        patch.setattr(sys, "platform", "win32")
        patch.setattr(main, "_make_output_safe", lambda: None)
        patch.setattr(main, "_run", Mock(side_effect=invalid))
        patch.setattr(main, "_discard", lambda stream: None)
        patch.setattr(main, "_let_go_of_output", lambda: None)
        for stream, flushed, status in (
            (pipe, invalid, main.PIPE_CLOSED),
            (pipe, None, program.OUR_FAULT),  # not an error of the output
            (file, invalid, program.OUR_FAULT),
        ):
            flush = Mock(side_effect=flushed)
            patch.setattr(sys, "stdout", SimpleNamespace(fileno=stream.fileno, flush=flush))
            assert main.main([]) == status


def test_failing_to_let_go_of_output_is_quiet(monkeypatch):
    def fail(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    stream = open(os.devnull, "wb")  # noqa: SIM115 - it is closed below
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        main._discard(stream)
    stream.close()
    main._discard(stream)
    main._discard(None)


def test_only_output_lost_with_its_terminal_is_no_error(monkeypatch, tmp_path):
    with open(os.devnull, "wb") as device, (tmp_path / "file").open("wb") as file:
        for number, stream, lost in (
            (errno.EIO, device, True),
            (errno.EIO, file, False),
            (errno.ENOSPC, device, False),
        ):

            def fail(number=number):
                raise OSError(number, os.strerror(number))

            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", SimpleNamespace(flush=fail, fileno=stream.fileno))
                with nullcontext() if lost else pytest.raises(OSError, match=os.strerror(number)):
                    main._flush_output()


def test_without_standard_error_no_error_message_is_printed(monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert run(["verify", "no such file"]) == program.USAGE
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("command", ["verify", "--help"])
def test_a_full_disk_is_reported_as_an_error(tmp_path, command):
    log = recorded().write(tmp_path / "log", recorded().entries[:3])
    with (
        open("/dev/full", "wb") as full,
        start(
            [*COMMAND, command, str(log)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        ) as done,
    ):
        _, err = done.communicate(timeout=60)
    assert done.returncode == program.OUR_FAULT
    assert err.startswith("ginpeer: something went wrong on this machine: No space left")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")
@pytest.mark.parametrize(
    "closed",
    [*(pytest.param((each,), marks=pytest.mark.deep) for each in range(3)), (0, 1, 2)],
)
def test_no_file_takes_the_place_of_a_closed_stream(tmp_path, closed):
    """Otherwise, a library's last messages would be written into the next file to be opened."""
    script = (
        "import os, sys; from cli.main import main; main(['id']); "
        "sys.exit(100 + os.open(os.devnull, os.O_RDONLY))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "GINPEER_HOME": str(tmp_path)},
        preexec_fn=lambda: [os.close(number) for number in closed],
        timeout=60,
    )
    assert done.returncode > 102


def test_a_replay_without_standard_output_is_not_an_error(tmp_path, monkeypatch, capsys):
    log = recorded().write(tmp_path / "log", recorded().entries[:3])
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert run(["replay", str(log)]) == 3
    assert capsys.readouterr().err == ""


# --- logs and id --------------------------------------------------------------------------


def test_the_key_stays_the_same(tmp_path, capsys):
    told = []
    for _ in range(2):
        assert run(["--home", str(tmp_path / "home"), "id"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    fields = dict(line.split(": ", 1) for line in told[0].splitlines())
    assert list(fields) == ["Name", "Fingerprint", "Public key", "Passphrase", "Home"]
    assert len(bytes.fromhex(fields["Public key"])) == 32


def test_the_home_option_may_stand_before_or_after_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "other"))
    home = str(tmp_path / "chosen")
    for arguments in (["--home", home, "id"], ["id", "--home", home]):
        assert run(arguments) == 0
        assert f"Home: {home}\n" in capsys.readouterr().out
    assert run(["id"]) == 0
    assert f"Home: {tmp_path / 'other'}\n" in capsys.readouterr().out
    link = tmp_path / "link"
    link.symlink_to(home)
    assert run(["--home", str(link), "id"]) == 0
    assert f"Home: {home}\n" in capsys.readouterr().out  # where a file manager finds it


def test_a_suggested_command_works_in_another_folder_too(tmp_path, monkeypatch):
    """After a match, ginpeer prints such a command: ginpeer --home DIR resume abcdef."""
    monkeypatch.chdir(tmp_path)
    chosen = Home.locate("other", {})
    for home, environ in (
        ("other", {}),
        ("./other", {"GINPEER_HOME": "/elsewhere"}),
        (str(tmp_path / "other"), {}),
        (None, {"GINPEER_HOME": "other"}),
    ):
        name, option, told = shlex.split(own_command(home, environ))
        assert (name, option) == ("ginpeer", "--home")
        monkeypatch.chdir("/")
        assert Home.locate(told, {}).path == chosen.path
        monkeypatch.chdir(tmp_path)
    assert own_command("~/two words", {}) == f"ginpeer --home '{Path.home()}/two words'"
    assert own_command(None, {"GINPEER_HOME": str(tmp_path)}) == "ginpeer"
    assert own_command(None, {"GINPEER_HOME": ""}) == own_command(None, {}) == "ginpeer"


def test_nothing_to_resume_names_the_folder_that_was_searched(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["--home", "other", "resume"]) == program.USAGE
    err = capsys.readouterr().err
    assert f"no unfinished match in {tmp_path / 'other'};" in err
    assert not (tmp_path / "other").exists()


def test_an_empty_store_is_reported_as_empty(tmp_path, capsys):
    assert run(["logs", "--home", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("No matches are stored in ")


@pytest.fixture
def store_match(tmp_path, monkeypatch):
    """Return a function that stores a match in a home: it takes the first digit of the file's name,
    the entries and our role."""
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path))
    matches = tmp_path / "matches"
    matches.mkdir()

    def store(digit, entries, role=None):
        path = recorded().write(matches / f"{digit}{'0' * 15}.ginlog", entries)
        if role:
            notes = MatchNotes(bytes(32), role, "", bytes(32), (), 0)
            path.with_suffix(".match").write_bytes(notes.encode())
        return path

    return store


def test_stored_matches_are_listed_with_their_state(store_match, capsys, transcript):
    entries = recorded().entries
    store_match("1", entries, "host")
    store_match("2", entries, "guest")
    store_match("3", entries[:30], "guest")
    store_match("4", entries[:-1])
    store_match("5", (*entries[:10], entries[11]))
    store_match("6", ()).write_bytes(b"what is this")
    store_match("7", entries[:1], "guest")
    assert run(["logs"]) == 0
    rows = sorted(capsys.readouterr().out.splitlines())
    transcript(line[0] + line[24:].rstrip() for line in rows)


def first_help(capsys, monkeypatch, *arguments):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run([*arguments]) == program.USAGE
    return capsys.readouterr().err.splitlines()


def test_ginpeer_alone_at_a_terminal_lists_unfinished_matches(store_match, capsys, monkeypatch):
    monkeypatch.setattr("ginpeer.match_store.matches.judge", None)  # it takes seconds
    entries = recorded().entries
    store_match("1", entries, "host")
    store_match("2", entries[:-1], "host")  # its settlement is missing
    store_match("7", entries[:1], "guest")
    assert len(first_help(capsys, monkeypatch)) == 4
    path = store_match("3", entries[:30], "guest")
    *_, row = first_help(capsys, monkeypatch)
    assert row.startswith("  ginpeer resume 300000  ")
    rows = first_help(capsys, monkeypatch, "--home", str(path.parent.parent))
    assert f"  ginpeer --home {path.parent.parent} resume 300000" in rows[4]


def test_an_unreadable_home_does_not_change_the_first_help(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    for home in ("file", "none"):
        assert len(first_help(capsys, monkeypatch, "--home", str(tmp_path / home))) == 4


def test_a_home_that_is_a_file_is_reported_in_one_line(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("")
    for arguments in (["id"], ["logs"]):
        assert run([*arguments, "--home", str(file)]) == program.OUR_FAULT
        assert capsys.readouterr().err.count("\n") == 1
