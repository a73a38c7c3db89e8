"""`ginpeer archive --with-key` and `restore`: move a home to another computer."""

import sys

import pytest

from cli.commands.archive import ONE_AT_A_TIME
from cli.main import main
from cli.program import OUR_FAULT, USAGE
from ginpeer.store import home_archive


@pytest.fixture
def ginpeer(tmp_path, monkeypatch, capsys):
    """Return a function that runs ginpeer with a home, and returns exit status and output."""
    monkeypatch.setattr(home_archive, "COST", 14)
    words = tmp_path / "words"
    words.write_text("four unrelated words here\n")
    monkeypatch.setenv("GINPEER_PASSPHRASE_FILE", str(words))
    monkeypatch.chdir(tmp_path)

    def run(home, *arguments):
        status = main(["--home", home, *arguments])
        return status, " ".join(capsys.readouterr())

    return run


def test_a_home_moves_with_its_key_and_a_warning_is_shown(ginpeer, tmp_path):
    told = ginpeer("old", "id", "--name", "Ann")[1]
    status, said = ginpeer("old", "archive", "--with-key", "copy")
    assert (status, ONE_AT_A_TIME in said) == (0, True)
    status, said = ginpeer("new", "archive", "--restore", "copy")
    assert (status, ONE_AT_A_TIME in said) == (0, True)
    assert ginpeer("new", "id")[1] == told.replace("/old", "/new")
    assert ginpeer("new", "stats")[0] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")
def test_a_copy_that_replaces_a_file_is_private(ginpeer, tmp_path):
    ginpeer("old", "id")
    (tmp_path / "copy").touch(0o644)
    assert ginpeer("old", "archive", "--with-key", "copy", "--replace")[0] == 0
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


def test_mistyped_commands_change_nothing(ginpeer, tmp_path):
    assert "(nothing-to-pack)" in ginpeer("old", "archive", "--with-key", "copy")[1]
    ginpeer("old", "id")
    ginpeer("old", "archive", "--with-key", "copy")
    copy = (tmp_path / "copy").read_bytes()
    for code, home, *arguments in (
        ("file-exists", "old", "--with-key", "copy"),
        ("home-not-empty", "old", "--restore", "copy"),
        ("usage", "old", "--with-key", "copy", "--restore", "copy"),
        ("usage", "old", "Ben", "--with-key", "copy"),
        ("no-such-log", "new", "--restore", "no such copy"),
    ):
        status, said = ginpeer(home, "archive", *arguments)
        assert (status, f"({code})" in said) == (USAGE, True)
    (tmp_path / "words").write_text("four other words here\n")
    status, said = ginpeer("new", "archive", "--restore", "copy")
    assert (status, "(wrong-passphrase)" in said) == (USAGE, True)
    assert "key" not in said  # which may have a passphrase of its own
    (tmp_path / "copy").write_bytes(copy[:-1])
    (tmp_path / "words").write_text("four unrelated words here\n")
    assert "(bad-archive)" in ginpeer("new", "archive", "--restore", "copy")[1]
    assert not (tmp_path / "new" / "identity.pem").exists()
    status, said = ginpeer("old", "archive", "--with-key", "none/copy")
    assert (status, "Couldn't write" in said, ONE_AT_A_TIME in said) == (OUR_FAULT, True, False)


@pytest.mark.parametrize(
    "named", ["old/identity.pem", "old/copy", "old/matches/copy", "link/copy", "linked.pem"]
)
def test_an_archive_is_never_written_inside_the_home(ginpeer, tmp_path, named):
    ginpeer("old", "id")
    if named == "linked.pem":  # where the key itself is
        (tmp_path / "old" / "identity.pem").rename(tmp_path / named)
        (tmp_path / "old" / "identity.pem").symlink_to(tmp_path / named)
    (tmp_path / "old" / "matches").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "old")
    before = sorted(tmp_path.rglob("*"))
    key = (tmp_path / "old" / "identity.pem").read_bytes()
    status, said = ginpeer("old", "archive", "--with-key", named, "--replace")
    assert (status, "(usage)" in said, "inside the home" in said) == (USAGE, True, True)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "old" / "identity.pem").read_bytes() == key
