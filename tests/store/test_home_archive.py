"""Copies of a home: reading one treats it as untrusted input."""

import os
import time
import tracemalloc
from functools import cache
from unittest.mock import Mock

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from ginpeer.store import Home, StoreError, files, home_archive
from ginpeer.store.archive_file import BadArchive
from ginpeer.store.home_archive import MAGIC, is_home_copy, pack_home, unpack_home
from ginpeer.store.identity_file import SealedKey
from ginpeer.store.small_files import change_settings, read_settings
from protocol.crypto.identity import IdentityKey
from tests.refusals import code_of

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


@cache
def sealed_key():
    """Return a key, and the beginning of a copy that is encrypted with it."""
    key = IdentityKey(os.urandom(32))
    return key, MAGIC + SealedKey.seal(key, WORDS, os.urandom, 14).encode()


def made_of(content):
    """Return a copy with this content, as somebody who knows the passphrase can make it."""
    key, head = sealed_key()
    return head + ChaCha20Poly1305(key.secret_seed).encrypt(bytes(12), content, head)


def unpack(home, data, words=WORDS):
    """Unpack a copy that consists of these bytes."""
    copy = home.parent / "old" / "copy"
    copy.write_bytes(data)
    try:
        return unpack_home(home, copy, lambda: words)
    finally:
        copy.unlink()


def test_a_copy_unpacks_to_the_same_key_settings_and_matches(home, tmp_path):
    data = pack_home(home.path, WORDS, os.urandom)
    new = Home(tmp_path / "new")
    assert unpack(new.path, data) == 1
    assert new.identity(os.urandom).public == home.identity(os.urandom).public
    assert read_settings(new.path).name == "Ann"
    for suffix in (".ginlog", ".seeds"):
        name = f"{NAME}{suffix}"
        assert (new.matches / name).read_bytes() == (home.matches / name).read_bytes()
    assert (new.path / ".gitignore").read_bytes() == (home.path / ".gitignore").read_bytes()
    assert b"a log" not in data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_a_home_that_is_not_empty_is_left_alone(home, tmp_path):
    copy, asked = tmp_path / "copy", Mock()
    copy.write_bytes(pack_home(home.path, WORDS, os.urandom))
    key = (home.path / "identity.pem").read_bytes()
    assert code_of(StoreError, unpack_home, home.path, copy, asked) == "home-not-empty"
    asked.assert_not_called()  # no passphrase is typed for nothing
    assert (home.path / "identity.pem").read_bytes() == key


def test_a_copy_is_unpacked_where_a_link_leads(home, tmp_path):
    disk = tmp_path / "disk"
    (disk / "new").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(disk / "new")
    assert unpack(link, pack_home(home.path, WORDS, os.urandom)) == 1
    assert link.is_symlink()
    assert (disk / "new" / "identity.pem").exists()
    assert [path.name for path in disk.iterdir()] == ["new"]


def test_nothing_is_unpacked_where_a_disk_is_mounted(home, tmp_path, monkeypatch):
    copy, asked = tmp_path / "copy", Mock()
    copy.write_bytes(pack_home(home.path, WORDS, os.urandom))
    monkeypatch.setattr(os.path, "ismount", lambda path: path == tmp_path / "new")
    assert code_of(StoreError, unpack_home, tmp_path / "new", copy, asked) == "home-unusable"
    asked.assert_not_called()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "old"]


def test_a_wrong_passphrase_and_every_damage_are_refused(home, tmp_path):
    data = pack_home(home.path, WORDS, os.urandom)
    new = tmp_path / "new"
    assert code_of(StoreError, unpack, new, data, "four other words here") == "wrong-passphrase"
    for at in (0, len(MAGIC) + 2, len(data) // 2, len(data) - 1):
        with pytest.raises((BadArchive, StoreError)):
            unpack(new, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises((BadArchive, StoreError)):
            unpack(new, data[:at])
    assert not new.exists()


KEY = SealedKey(14, bytes(16), bytes(48)).encode()


def held(*members):
    """Return the content of a copy with a key and these files."""
    every = (b"identity.pem", KEY), *members
    return b"".join(b"%s 0 %d\n%s" % (name, len(data), data) for name, data in every)


NEVER, TOO_MUCH = "something that doesn", "too many files"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *(
            (held((name, b"x")), NEVER)
            for name in (
                *(b"../evil", b"matches/../../evil.ginlog", b"matches/a.ginlog"),
                *(b"bot/bot/identity.pem", b"identity.pem", b"settings.json\n"),
            )
        ),
        *(
            (held() + b"settings.json %s\nx" % fields, NEVER)
            for fields in (b"1", b"-1 1", b"01 1", b"99999999999 1")
        ),
        (held() + b"settings.json 0 2\nx", TOO_MUCH),
        (held((b"settings.json", bytes(16 * 1024 * 1024 + 1))), TOO_MUCH),
        (b"", "no key"),
        (b"settings.json 0 1\nx", "no key"),
        (b"identity.pem 0 3\nabc", "stored identity.pem"),
        (held((b"bot/identity.pem", b"abc")), "stored bot/identity.pem"),
    ],
)
def test_a_forged_copy_writes_nothing(home, tmp_path, content, said):
    with pytest.raises(BadArchive, match=said):
        unpack(tmp_path / "new", made_of(content))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]


def test_a_copy_may_have_a_limited_number_of_files(tmp_path, monkeypatch):
    (tmp_path / "old").mkdir()
    monkeypatch.setattr(home_archive, "_MAX_MEMBERS", 2)
    both = (b"settings.json", b"{}"), (b"known_peers.json", b"{}")
    with pytest.raises(BadArchive, match=TOO_MUCH):
        unpack(tmp_path / "new", made_of(held(*both)))
    assert unpack(tmp_path / "new", made_of(held(*both[:1]))) == 0


@pytest.mark.parametrize("head", [b"", b"ginhome2\n", MAGIC + b"no key", MAGIC + KEY[:-1] + b"0\n"])
def test_a_file_with_a_wrong_beginning_is_refused_before_the_passphrase(tmp_path, head):
    copy, asked = tmp_path / "copy", Mock()
    copy.write_bytes(head + (b"" if head.startswith(MAGIC) else KEY) + bytes(100))
    with pytest.raises(BadArchive, match="The file"):
        unpack_home(tmp_path / "new", copy, asked)
    asked.assert_not_called()


def test_a_copy_is_recognised_by_its_beginning(tmp_path):
    (tmp_path / "copy").write_bytes(MAGIC)
    (tmp_path / "other").write_bytes(MAGIC[:-1])
    found = {name: is_home_copy(tmp_path / name) for name in ("copy", "other", "no such", "\0")}
    assert found == {"copy": True, "other": False, "no such": False, "\0": False}


@pytest.mark.parametrize(("head", "size"), [(MAGIC, 2**30), (MAGIC + KEY, 20 * 2**30)])
def test_a_file_that_cannot_be_a_copy_is_refused_before_it_is_read(home, tmp_path, head, size):
    copy = tmp_path / "copy"
    copy.write_bytes(head)
    os.truncate(copy, size)  # a sparse file
    asked = Mock()
    tracemalloc.start()
    try:
        with pytest.raises(BadArchive):
            unpack_home(tmp_path / "new", copy, asked)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    asked.assert_not_called()


def test_every_unpacked_file_is_synced_once(home, tmp_path, monkeypatch):
    data = pack_home(home.path, WORDS, os.urandom)
    synced = []

    def sync(fd):
        synced.append(os.fstat(fd).st_ino)

    monkeypatch.setattr(files, "sync", sync)
    unpack(tmp_path / "new", data)
    assert {path.stat().st_ino for path in (tmp_path / "new").rglob("*")} <= set(synced)
    assert len(synced) < 15


@pytest.mark.parametrize(
    ("name", "content"), [("stun-servers.txt", b"x" * 17_000_000), ("identity.pem", b"garbage")]
)
def test_a_home_that_could_not_be_unpacked_is_not_packed(home, name, content):
    (home.path / name).write_bytes(content)
    with pytest.raises((BadArchive, StoreError)) as caught:
        pack_home(home.path, WORDS, os.urandom)
    assert caught.value.code in ("bad-archive", "disk-error")


@pytest.mark.parametrize("limit", ["_MAX_MEMBERS", "_MAX_BYTES"])
def test_a_home_that_is_too_large_for_a_copy_is_not_packed(home, monkeypatch, limit):
    monkeypatch.setattr(home_archive, limit, 3)  # the home has four files
    with pytest.raises(BadArchive, match="too large for one file"):
        pack_home(home.path, WORDS, os.urandom)


def test_a_copy_needs_a_passphrase_that_is_good_enough_for_the_key(home):
    assert code_of(StoreError, pack_home, home.path, "short", os.urandom) == "bad-passphrase"


def test_the_rest_of_a_killed_unpacking_has_no_key_and_is_removed_next_time(
    home, tmp_path, monkeypatch
):
    data = pack_home(home.path, WORDS, os.urandom)
    new, documents = tmp_path / "new [1]", tmp_path / "documents"
    documents.mkdir()
    (documents / "letter").touch()
    (tmp_path / "new [1].0123456789abcdef.tmp").symlink_to(documents)  # a trap
    with monkeypatch.context() as patch:
        patch.setattr(files, "write_atomically", Mock(side_effect=KeyboardInterrupt))
        patch.setattr(files, "remove_folder", Mock())  # a killed program removes nothing
        with pytest.raises(KeyboardInterrupt):
            unpack(new, data)
    (left,) = (path for path in tmp_path.glob("new*.tmp") if not path.is_symlink())
    assert not (left / "identity.pem").exists()
    (
        file := tmp_path / "new [1].fedcba9876543210.tmp"
    ).touch()  # unpacking leaves no files behind, only folders
    with pytest.raises(StoreError):
        unpack(new, data, "four other words here")
    assert left.exists()  # with a wrong passphrase, nothing changes
    assert unpack(new, data) == 1
    assert not left.exists()
    assert (new / "identity.pem").exists()
    assert (documents / "letter").exists()
    assert file.exists()
    assert len(list(tmp_path.iterdir())) == 5


def test_unpacked_matches_keep_their_times_but_none_is_in_the_future(home, tmp_path):
    log, seeds = home.matches / f"{NAME}.ginlog", home.matches / f"{NAME}.seeds"
    os.utime(log, (1_600_000_000,) * 2)
    os.utime(seeds, (2**40,) * 2)
    unpack(tmp_path / "new", pack_home(home.path, WORDS, os.urandom))
    new = tmp_path / "new" / "matches"
    assert (new / log.name).stat().st_mtime == 1_600_000_000
    assert abs((new / seeds.name).stat().st_mtime - time.time()) < 60


def test_the_practice_bots_key_and_logs_are_copied_but_not_counted(home, tmp_path):
    bot = Home(home.path / "bot")
    key = bot.identity(os.urandom)
    bot.matches.mkdir()
    (bot.matches / f"{NAME}.ginlog").write_bytes(b"the bot's log")
    (bot.matches / f"{NAME}.seeds").write_bytes(b"the bot's seeds")
    new = Home(tmp_path / "new" / "bot")
    assert unpack(tmp_path / "new", pack_home(home.path, WORDS, os.urandom)) == 1
    assert new.identity(os.urandom).public == key.public
    for each in bot.matches.iterdir():
        assert (new.matches / each.name).read_bytes() == each.read_bytes()


def test_a_file_gets_its_time_before_it_is_synced(tmp_path, monkeypatch):
    """Otherwise, a power cut could leave the time of unpacking, and reactivate shelved matches."""
    synced = []
    monkeypatch.setattr(files, "sync", lambda fd: synced.append(os.fstat(fd).st_mtime_ns))
    files.write_new(tmp_path / "log", b"one", 5)
    assert synced == [5]
