"""The key of our onion service, and the cookie that Tor names."""

import os
import random
import stat
import sys

import pytest

from ginpeer.net.tor_control import is_onion_key
from ginpeer.store import StoreError
from ginpeer.store.tor_files import OnionKeyFile, read_cookie
from tests.fuzz.protobuf import spoilt

KEY = "Ab+/" * 21 + "Ag=="
HERE = sys.platform != "win32"


def test_a_key_is_kept_and_is_private(tmp_path):
    file = OnionKeyFile(tmp_path / "home")
    assert file.load() is None
    file.keep(KEY)
    assert file.load() == KEY
    assert not HERE or stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_a_key_that_is_there_stays(tmp_path):
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
def test_what_is_no_key_is_reported_and_left(tmp_path, data):
    file = OnionKeyFile(tmp_path)
    file.path.write_bytes(data)
    with pytest.raises(StoreError) as caught:
        file.load()
    assert caught.value.code == "bad-onion-key-file"
    assert file.path.read_bytes() == data


def test_a_folder_in_the_place_of_the_key_is_reported(tmp_path):
    (tmp_path / "onion.key").mkdir()
    with pytest.raises(StoreError) as caught:
        OnionKeyFile(tmp_path).load()
    assert caught.value.code == "disk-error"


def test_whatever_lies_there_is_a_key_that_tor_takes_or_is_reported(tmp_path):
    """The key stands in an order to Tor, which a line end or a space would end."""
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
    assert read_cookie(str(path)) == bytes(range(32))


@pytest.mark.parametrize("length", [0, 31, 33, 100_000])
def test_what_has_not_32_bytes_is_no_cookie(tmp_path, length):
    path = tmp_path / "cookie"
    path.write_bytes(bytes(length))
    with pytest.raises((OSError, ValueError)):
        read_cookie(str(path))


def test_a_cookie_is_a_file_named_from_the_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cookie").write_bytes(bytes(32))
    there = str(tmp_path / "cookie")
    assert read_cookie(there) == bytes(32)
    elsewhere = ("/" + there, "\\\\server\\cookie")  # on Windows another machine's
    for path in ("cookie", "", "./cookie", "\0", str(tmp_path), str(tmp_path / "none"), *elsewhere):
        with pytest.raises((OSError, ValueError)):
            read_cookie(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_no_cookie_and_does_not_keep_us(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular"):
        read_cookie(str(tmp_path / "pipe"))
