"""Notes about ports opened at routers, the key of our onion service, and Tor's cookie file."""

import contextlib
import os
import random
import stat
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from ginpeer.net.tor import is_onion_key
from ginpeer.store import StoreError, small_files
from ginpeer.store.small_files import MappingNotes, OnionKeyFile, read_cookie
from tests.fuzz.protobuf import spoilt
from tests.refusals import code_of

KEY = "Ab+/" * 21 + "Ag=="
HERE = sys.platform != "win32"
PORT = 9  # nothing listens there


def test_a_note_is_kept_for_its_port_until_it_is_forgotten(tmp_path):
    notes = MappingNotes(tmp_path)
    assert (list(notes.ports()), notes.read(4466)) == ([], None)
    notes.write(4470, "other")
    notes.write(4466, "text")
    assert (list(notes.ports()), notes.read(4466)) == ([4466, 4470], "text")
    notes.forget(4466)
    notes.forget(4466)
    assert (list(notes.ports()), notes.read(4466)) == ([4470], None)
    notes.forget(4470)
    assert os.listdir(tmp_path) == []  # empty, so that a backup can still be restored here


def test_a_file_with_another_name_is_not_a_note(tmp_path):
    MappingNotes(tmp_path).write(1, "text")
    for name in ("port-0.json", "port-65536.json", "port-07.json", "port-2.json~"):
        (tmp_path / "routers" / name).write_text("text")
    assert list(MappingNotes(tmp_path).ports()) == [1]


def test_an_unreadable_note_is_ignored(tmp_path):
    notes = MappingNotes(tmp_path)
    notes.write(1, "x" * (1 << 14))
    assert notes.read(1) == "x" * (1 << 14)
    notes.write(1, "x" * ((1 << 14) + 1))
    assert notes.read(1) is None
    (tmp_path / "routers" / "port-2.json").mkdir()
    assert notes.read(2) is None


def test_a_note_that_cannot_be_removed_is_reported(tmp_path):
    (tmp_path / "routers" / "port-2.json").mkdir(parents=True)
    assert code_of(StoreError, lambda: MappingNotes(tmp_path).forget(2)) == "disk-error"


# --- Tor ----------------------------------------------------------------------------------


def test_a_key_is_kept_and_is_private(tmp_path):
    file = OnionKeyFile(tmp_path / "home")
    assert file.load() is None
    file.keep(KEY)
    assert file.load() == KEY
    assert not HERE or stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_an_existing_key_is_kept(tmp_path):
    file = OnionKeyFile(tmp_path)
    file.keep(KEY)
    file.keep("A" * 86 + "==")
    assert file.load() == KEY


@pytest.mark.skipif(not HERE, reason="no modes")
def test_a_key_that_others_can_read_is_made_private(tmp_path):
    file = OnionKeyFile(tmp_path)
    file.keep(KEY)
    file.path.chmod(0o644)
    file.load()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "data",
    [
        b"",
        KEY.encode(),
        b"ginonion2\n" + KEY.encode(),
        b"ginonion1\n" + KEY[:-1].encode(),
        b"ginonion1\n" + KEY.encode() + b" Port=22\n",
        b"ginonion1\n" + KEY.encode() + b"\nDETACH",
        b"ginonion1\n" + b"\xff" * 88,
    ],
)
def test_an_invalid_key_is_reported_and_left_alone(tmp_path, data):
    file = OnionKeyFile(tmp_path)
    file.path.write_bytes(data)
    assert code_of(StoreError, file.load) == "bad-onion-key-file"
    assert file.path.read_bytes() == data


def test_a_folder_in_the_place_of_the_key_is_reported(tmp_path):
    (tmp_path / "onion.key").mkdir()
    assert code_of(StoreError, lambda: OnionKeyFile(tmp_path).load()) == "disk-error"


def test_a_damaged_key_file_gives_a_valid_key_or_is_reported(tmp_path):
    """The key is part of a command to Tor, which a newline or a space would break."""
    rng = random.Random(13)
    file = OnionKeyFile(tmp_path)
    met = set()
    for _ in range(500):
        file.path.write_bytes(spoilt(f"ginonion1\n{KEY}\n".encode(), rng))
        try:
            key = file.load()
        except StoreError as error:
            met.add(error.code)
        else:
            met.add(is_onion_key(key))
    assert met == {True, "bad-onion-key-file"} or met == {True, "bad-onion-key-file", "disk-error"}


def test_a_cookie_is_read(tmp_path):
    path = tmp_path / "cookie"
    path.write_bytes(bytes(range(32)))
    path.chmod(0o600)
    assert read_cookie(str(path), PORT) == bytes(range(32))


@pytest.mark.parametrize("length", [31, 33])
def test_a_cookie_must_have_32_bytes(tmp_path, length):
    path = tmp_path / "cookie"
    path.write_bytes(bytes(length))
    path.chmod(0o600)
    with pytest.raises((OSError, ValueError)):
        read_cookie(str(path), PORT)


def test_a_cookie_must_have_an_absolute_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cookie").write_bytes(bytes(32))
    (tmp_path / "cookie").chmod(0o600)
    there = str(tmp_path / "cookie")
    assert read_cookie(there, PORT) == bytes(32)
    elsewhere = ("/" + there, "\\\\server\\cookie")  # on Windows, a path on another machine
    for path in ("cookie", "", "./cookie", "\0", str(tmp_path), str(tmp_path / "none"), *elsewhere):
        with pytest.raises((OSError, ValueError)):
            read_cookie(path, PORT)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_refused_as_a_cookie_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular"):
        read_cookie(str(tmp_path / "pipe"), PORT)


# --- who owns the cookie ----------------------------------------------------------------

has_owners = pytest.mark.skipif(sys.platform == "win32", reason="files have no owners there")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files away, so needs root"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looked up in /proc")

TOR, OTHER_SYSTEM, PERSON = 111, 112, 1234  # user ids


def owned(path, uid, mode):
    path.write_bytes(bytes(range(32)))
    os.chown(path, uid, uid)
    path.chmod(mode)
    return str(path)


@pytest.mark.skipif(not HERE, reason="paths of POSIX systems")
@pytest.mark.parametrize("path", ["/proc/none", "/sys/none", "/dev/none"])
def test_a_file_made_by_the_kernel_is_refused_as_a_cookie(path):
    with pytest.raises(ValueError, match="kernel"):
        read_cookie(path, PORT)


def test_on_windows_the_owner_of_a_cookie_is_not_checked(tmp_path, monkeypatch):
    path = tmp_path / "cookie"
    path.write_bytes(bytes(32))
    path.chmod(0o666)
    monkeypatch.setattr(small_files, "sys", SimpleNamespace(platform="win32"))
    assert read_cookie(str(path), PORT) == bytes(32)


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), ValueError("odd")])
def test_the_listening_user_is_unknown_if_the_system_does_not_say(monkeypatch, error):
    monkeypatch.setattr(small_files.Path, "read_text", Mock(side_effect=error))
    assert small_files._listening_user(PORT) is None


@has_owners
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_cookie_of_ours_that_others_can_read_or_write_is_refused(tmp_path, mode, monkeypatch):
    path = tmp_path / "cookie"
    path.write_bytes(bytes(32))
    path.chmod(mode)
    us = os.stat(path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: us)
    if us == 0 and mode == 0o640:  # root may be trusted, so its group may read the file
        assert read_cookie(str(path), PORT)
        return
    with pytest.raises(ValueError, match="others can"):
        read_cookie(str(path), PORT)


@has_owners
def test_the_group_of_root_may_read_a_cookie_but_our_group_may_not(monkeypatch):
    monkeypatch.setattr(small_files.os, "geteuid", lambda: PERSON, raising=False)
    small_files._check_owner(SimpleNamespace(st_uid=0, st_mode=0o640), PORT)
    with pytest.raises(ValueError, match="others can"):
        small_files._check_owner(SimpleNamespace(st_uid=PERSON, st_mode=0o640), PORT)


@pytest.fixture
def listen_as():
    """Return a function that starts a listener with this user id and returns its port."""
    with contextlib.ExitStack() as stack:

        def listen(uid, host="127.0.0.1"):
            code = (
                f"import os, socket, sys; os.setgid({uid}); os.setuid({uid}); s = socket.socket(); "
                f"s.bind(({host!r}, 0)); s.listen(); print(s.getsockname()[1], flush=True); "
                "sys.stdin.read()"
            )
            started = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", code],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    cwd="/",
                )
            )
            stack.callback(started.stdin.close)
            return int(started.stdout.readline())

        yield listen


@linux
@needs_root
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_cookie_of_the_listening_system_account_is_read(tmp_path, listen_as, host):
    path = owned(tmp_path / "cookie", TOR, 0o640)
    assert read_cookie(path, listen_as(TOR, host)) == bytes(range(32))


@linux
@needs_root
@pytest.mark.parametrize(
    ("owner", "mode", "listener"),
    [
        (PERSON, 0o600, PERSON),  # an impostor's own file
        (PERSON, 0o640, PERSON),  # an impostor's own file, for a group that we share
        (OTHER_SYSTEM, 0o640, TOR),
        (TOR, 0o640, PERSON),
        (TOR, 0o644, TOR),
        (TOR, 0o660, TOR),
    ],
)
def test_a_cookie_that_another_user_may_have_written_is_refused(
    tmp_path, listen_as, owner, mode, listener
):
    path = owned(tmp_path / "cookie", owner, mode)
    with pytest.raises(ValueError, match=r"belongs to a user|others can"):
        read_cookie(path, listen_as(listener))


@linux
@needs_root
def test_if_no_user_listens_only_root_or_we_may_own_the_cookie(tmp_path):
    with pytest.raises(ValueError, match="belongs to a user"):
        read_cookie(owned(tmp_path / "cookie", TOR, 0o640), PORT)
    assert read_cookie(owned(tmp_path / "other", 0, 0o640), PORT)
