"""Files and stored matches that a command line names, and that can't be used."""

import errno
import os
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from cli.commands import home_and_files, play
from cli.commands.export import named_matches
from cli.commands.home_and_files import UnreadableFile, writable_target, write_file
from cli.main import main
from cli.program import Failure
from ginpeer.store import Home
from tests.matches.recorded import recorded


@pytest.mark.parametrize("name", ["nothing", "no\0thing", "-"])
def test_a_name_that_is_neither_a_file_nor_a_match_is_reported(name, tmp_path, capsys):
    assert main(["--home", str(tmp_path), "verify", name]) == 2
    err = capsys.readouterr().err
    assert err.endswith("(no-such-log)\n")
    assert ("pipe" in err) is (name == "-")


def test_a_file_in_a_folder_that_may_not_be_entered_is_not_called_missing(log, monkeypatch, capsys):
    def refuse(path, *args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = log()
    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", refuse)
        patch.setattr(os, "open", refuse)
        status = main(["verify", str(path)])
    assert (status, "(no-permission)" in capsys.readouterr().err) == (2, True)


def test_a_stored_match_is_found_from_a_folder_that_may_not_be_entered(tmp_path, monkeypatch):
    (tmp_path / "matches").mkdir()
    recorded().write(tmp_path / "matches" / f"{'a' * 16}.ginlog")
    look = os.lstat

    def refuse(path, *args, **kwargs):
        if not os.path.isabs(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return look(path, *args, **kwargs)

    monkeypatch.setattr(os, "lstat", refuse)
    assert main(["--home", str(tmp_path), "verify", "aaaa"]) == 0


def test_an_ambiguous_prefix_names_no_match(tmp_path, capsys):
    (tmp_path / "matches").mkdir()
    for name in ("a" * 16, "a" * 15 + "b"):
        recorded().write(tmp_path / "matches" / f"{name}.ginlog")
    assert main(["--home", str(tmp_path), "verify", "aaaa"]) == 2
    assert "(ambiguous-log)" in capsys.readouterr().err


def test_without_standard_error_no_progress_is_shown(log, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert main(["verify", str(log())]) == 0


def test_slow_work_shows_its_progress_only_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(home_and_files, "_PROGRESS_DELAY", -1.0)
    monkeypatch.setattr(home_and_files, "_PROGRESS_INTERVAL", -1.0)
    with home_and_files.progress_line() as tell:
        tell("10%")
    assert capsys.readouterr().err == ""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        with home_and_files.progress_line() as tell:
            tell("10%")


def test_a_log_with_an_oversized_record_is_refused(log, tmp_path):
    bad = tmp_path / "bad"
    bad.write_bytes(log().read_bytes() + b"\xff" * 8)
    with pytest.raises(UnreadableFile) as why:
        named_matches([str(log()), str(bad)], None)
    assert why.value.code == "bad-record"


def test_an_impossible_file_name_is_refused():
    with pytest.raises(Failure) as why:
        writable_target("a\0b", replace=True)
    assert why.value.code == "usage"


def test_without_a_current_folder_a_relative_name_cannot_be_written(monkeypatch):
    monkeypatch.setattr(os, "getcwd", Mock(side_effect=FileNotFoundError(errno.ENOENT, "gone")))
    with pytest.raises(Failure, match="gone") as failed:
        writable_target("new", replace=False)
    assert failed.value.code == "disk-error"


def test_a_file_that_exists_is_refused_before_there_is_anything_to_write(log):
    with pytest.raises(Failure) as why:
        writable_target(str(log()), replace=False)
    assert why.value.code == "file-exists"


def test_a_file_created_at_the_last_moment_is_not_overwritten(tmp_path, monkeypatch):
    monkeypatch.setattr(home_and_files.files, "write_atomically", lambda *_, **how: False)
    with pytest.raises(Failure) as why:
        write_file(str(tmp_path / "new"), b"", False)
    assert why.value.code == "file-exists"


@pytest.mark.parametrize("count", [1, 2])
def test_resume_needs_a_name_if_there_are_several_matches(count, tmp_path, monkeypatch):
    left = [
        SimpleNamespace(
            notes=SimpleNamespace(peer=bytes(32), is_practice=False),
            match=SimpleNamespace(short=f"{number}abc"),
        )
        for number in range(count)
    ]
    monkeypatch.setattr(play, "unfinished_matches", lambda home: left)
    monkeypatch.setattr(play, "is_shelved", lambda *_: False)
    if count == 1:
        monkeypatch.setattr(play, "_friend_without_match", lambda *_: bytes(32))
        for named in (None, "Ben"):
            assert play._chosen(Home(tmp_path), named, "ginpeer") is left[0]
        return
    with pytest.raises(Failure) as why:
        play._chosen(Home(tmp_path), None, "ginpeer")
    assert why.value.code == "several-to-resume"


def test_resume_asks_which_match_if_only_one_of_two_with_such_names_can_continue(
    tmp_path, monkeypatch
):
    """The player may mean the other match, whose log may be damaged or end with evidence."""
    alike = tuple(SimpleNamespace(short=f"abcdef{number}") for number in range(2))
    monkeypatch.setattr(Home, "logs_named", lambda home, text: alike)
    monkeypatch.setattr(play, "stored_matches", lambda *_: [SimpleNamespace(match=alike[1])])
    monkeypatch.setattr(play, "_friend_without_match", lambda *_: None)
    with pytest.raises(Failure, match="abcdef0, abcdef1") as why:
        play._chosen(Home(tmp_path), "abcdef", "ginpeer")
    assert why.value.code == "several-to-resume"
