"""A copy of a home is read as untrusted input."""

import os

import pytest

from ginpeer.store import Home, StoreError, home_archive
from ginpeer.store.archive_file import BadArchive
from ginpeer.store.home_archive import MAGIC, is_home_copy, pack_home, unpack_home
from ginpeer.store.settings import change_settings, read_settings

WORDS = "four unrelated words here"
NAME = "0123456789abcdef"


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    monkeypatch.setattr(home_archive, "COST", 14)


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "old")
    home.identity(os.urandom)
    change_settings(home.path, name="Ann")
    home.matches.mkdir()
    (home.matches / f"{NAME}.ginlog").write_bytes(b"a log")
    (home.matches / f"{NAME}.seeds").write_bytes(b"seeds")
    return home


def made_of(monkeypatch, home, content):
    """Return a copy with this content, made by somebody who knows the passphrase."""
    with monkeypatch.context() as patch:
        patch.setattr(home_archive, "_members", lambda _: ["forged"])
        (home.path / "forged").write_bytes(content)
        data = bytearray()
        patch.setattr(home_archive, "bytes", lambda _: content, raising=False)
        data += pack_home(home.path, WORDS, os.urandom)
    return bytes(data)


def test_a_copy_unpacks_to_the_same_key_settings_and_matches(home, tmp_path):
    data = pack_home(home.path, WORDS, os.urandom)
    new = Home(tmp_path / "new")
    assert unpack_home(new.path, data, WORDS) == 1
    assert new.identity(os.urandom).public == home.identity(os.urandom).public
    assert read_settings(new.path).name == "Ann"
    for suffix in (".ginlog", ".seeds"):
        name = f"{NAME}{suffix}"
        assert (new.matches / name).read_bytes() == (home.matches / name).read_bytes()
    assert b"a log" not in data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_a_home_with_anything_in_it_is_left_alone(home, tmp_path):
    data = pack_home(home.path, WORDS, os.urandom)
    key = (home.path / "identity.pem").read_bytes()
    with pytest.raises(StoreError) as caught:
        unpack_home(home.path, data, WORDS)
    assert caught.value.code == "home-not-empty"
    assert (home.path / "identity.pem").read_bytes() == key


def test_a_wrong_passphrase_and_every_damage_are_refused(home, tmp_path):
    data = pack_home(home.path, WORDS, os.urandom)
    new = tmp_path / "new"
    with pytest.raises(StoreError) as caught:
        unpack_home(new, data, "four other words here")
    assert caught.value.code == "wrong-passphrase"
    for at in (0, len(MAGIC) + 2, len(data) // 2, len(data) - 1):
        with pytest.raises((BadArchive, StoreError)):
            unpack_home(new, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], WORDS)
        with pytest.raises((BadArchive, StoreError)):
            unpack_home(new, data[:at], WORDS)
    assert not new.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"../evil 1\nx",
        b"/etc/passwd 1\nx",
        b"matches/../../evil.ginlog 1\nx",
        b"bot/identity.pem 1\nx",
        b"settings.json 9999999999\nx",
        b"settings.json 1\nxsettings.json 1\nx",
        b"identity.pem 3\nabc",
    ],
)
def test_a_forged_copy_writes_nothing(home, tmp_path, monkeypatch, content):
    data = made_of(monkeypatch, home, content)
    assert is_home_copy(tmp_path / "no such") is False
    with pytest.raises(BadArchive):
        unpack_home(tmp_path / "new", data, WORDS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]
