"""The home folder: our key, the players we have met, and the list of matches."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from ginpeer.names import PeerNames
from ginpeer.store import Home, Journal, MatchNotes, StoreError
from ginpeer.store import home as home_module
from ginpeer.store import peers as peers_module
from ginpeer.store.identity_file import IdentityFile
from ginpeer.store.journal import write_evidence
from protocol.crypto.identity import IdentityKey, fingerprint
from tests.faults.disk import Disk, faulty
from tests.store.failure import failure

posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")
syncs = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="syncs by other means there")


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def rng(seed=1):
    return random.Random(seed).randbytes


# Its folder


def test_the_home_comes_from_the_option_the_environment_or_the_system(tmp_path):
    environ = {"GINPEER_HOME": str(tmp_path / "b")}
    assert Home.locate(str(tmp_path / "a"), environ).path == tmp_path / "a"
    assert Home.locate(None, environ).path == tmp_path / "b"
    assert Home.locate("~/x", {}).path == Path("~/x").expanduser()
    assert Home.locate("./~", {}).path == Path.cwd() / "~"
    assert Home.locate("relative", {}).path == Path.cwd() / "relative"
    assert "ginpeer" in str(Home.locate(None, {}).path)


def test_an_impossible_home_gives_one_sentence(tmp_path):
    assert failure(Home.locate, "nul\0byte", {}) == "home-unusable"
    assert failure(Home.locate, "~no-such-user-here/x", {}) == "no-home"
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name in ("file", "file/x", "link"):
        assert failure(Home(tmp_path / name).identity, rng()) == "home-unusable"
    if sys.platform == "linux":
        assert failure(Home(Path("/proc/ginpeer")).identity, rng()) in (
            "disk-error",
            "no-permission",
        )


@posix
def test_reading_seeds_and_peers_makes_them_private_again(home):
    home.matches.mkdir(parents=True)
    journal = Journal.create(home.matches, MatchNotes(b"t" * 32, "host", "Ann", b"b" * 32, (), 5))
    journal.close()
    home.known_peers(lambda: 1).remember(b"b" * 32, "192.0.2.1:4466", "Ben")
    copied = (journal.path.with_suffix(".seeds"), home.path / "known_peers.json")
    for path in copied:
        path.chmod(0o644)
    home.seeds(b"t" * 32)
    home.known_peers(lambda: 1).all()
    assert [path.stat().st_mode & 0o777 for path in copied] == [0o600, 0o600]


def test_only_what_may_be_the_match_to_resume_counts_as_unreadable(home, monkeypatch):
    home.matches.mkdir(parents=True)
    notes = MatchNotes(b"t" * 32, "host", "Ann", b"b" * 32, (), 5)
    journal = Journal.create(home.matches, notes)
    journal.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert home.unreadable().path == home.unreadable(b"b" * 32).path == journal.path
    assert home.unreadable(b"c" * 32) is None  # the notes name a different player
    write_evidence(home.matches, journal.path.stem, [b"entry"])
    assert home.unreadable() is None


@posix
def test_an_invalid_name_or_a_missing_current_folder_gives_no_home(tmp_path, monkeypatch):
    assert failure(Home.locate, "\ud800", {}) == "no-home"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert failure(Home.locate, "relative", {}) == "no-home"


def test_reading_a_home_creates_nothing(home):
    assert home.logs() == ()
    assert home.log_named("ab") is None
    assert home.known_peers(lambda: 0).all() == ()
    assert not home.path.exists()


# The identity key


def test_the_key_is_made_once_and_kept(home):
    key = home.identity(rng())
    assert key.public == IdentityKey(rng()(32)).public
    assert Home(home.path).identity(rng(2)).public == key.public
    assert sorted(path.name for path in home.path.iterdir()) == [".gitignore", "identity.pem"]


@pytest.mark.parametrize("damage", [b"-----BEGIN", b"x" * 10_000])
def test_a_damaged_key_is_reported_and_never_replaced(home, damage):
    home.path.mkdir()
    file = home.path / "identity.pem"
    file.write_bytes(damage)
    assert failure(home.identity, rng()) in ("bad-identity-file", "disk-error")
    assert file.read_bytes() == damage


def test_a_key_of_another_kind_is_refused(home):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    home.path.mkdir()
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    for key, encryption in (
        (X25519PrivateKey.generate(), serialization.NoEncryption()),
        (Ed25519PrivateKey.generate(), serialization.BestAvailableEncryption(b"password")),
    ):
        (home.path / "identity.pem").write_bytes(key.private_bytes(pem, pkcs8, encryption))
        assert failure(home.identity, rng()) == "bad-identity-file"


def test_a_key_that_has_disappeared_again_is_an_error(home, monkeypatch):
    """Another process created the key just before us, and has already deleted it."""
    monkeypatch.setattr(IdentityFile, "create", lambda *_: False)
    assert failure(home.identity, rng()) == "bad-identity-file"


@syncs
def test_a_key_whose_name_may_be_lost_is_not_used(home):
    home.identity(rng())

    def fails(operation):
        if operation.kind == "sync-folder":
            raise OSError(errno.EIO, "Input/output error")

    with faulty(Disk(home.path, before=fails)):
        assert failure(home.identity, rng()) == "disk-error"


MAKE_IDENTITY = """
import os, sys
from pathlib import Path
from ginpeer.store import Home
print(Home(Path(sys.argv[1])).identity(os.urandom).public.hex())
"""


def run_together(code, *argument_lists):
    processes = [
        subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE)
        for arguments in argument_lists
    ]
    outputs = [process.communicate()[0] for process in processes]
    assert all(process.returncode == 0 for process in processes)
    return outputs


def test_processes_that_start_together_use_one_key(home):
    outputs = run_together(MAKE_IDENTITY, *[[str(home.path)]] * 3)
    assert len(set(outputs)) == 1
    assert sorted(path.name for path in home.path.iterdir()) == [".gitignore", "identity.pem"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_home_within_a_checkout_is_not_seen_by_git(tmp_path):
    """README names `--home other`, which may be typed in the checkout. `git add .` would publish
    the key."""
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    home = Home(tmp_path / "other")
    home.identity(rng())
    asked = ["git", "-C", tmp_path, "status", "--porcelain", "--untracked-files=all"]
    assert subprocess.run(asked, check=True, capture_output=True).stdout == b""
    added = subprocess.run(["git", "-C", tmp_path, "add", "."], check=True, capture_output=True)
    assert (added.stdout, added.stderr) == (b"", b"")
    assert (home.path / "identity.pem").exists()


# Known peers

ANN, BOB = b"a" * 32, b"b" * 32


def test_a_peer_is_remembered_by_key(home):
    times = iter([100.7, 200, 300])
    peers = home.known_peers(lambda: next(times))
    assert peers.name_of(ANN) is None
    peers.remember(ANN, "192.0.2.1:5", "Ann")
    peers.remember(BOB, "192.0.2.2:5", "Bob")
    peers.remember(ANN, "192.0.2.3:5")
    reread = home.known_peers(lambda: 0)
    assert reread.name_of(ANN) == "Ann"
    ann = reread.peer(ANN)
    assert (ann.first_met, ann.last_met) == (100, 300)
    assert ann.addresses == ("192.0.2.3:5", "192.0.2.1:5")
    assert [peer.name for peer in reread.all()] == ["Ann", "Bob"]


def test_a_peer_back_soon_with_only_another_port_is_not_written_again(home):
    clock = [100]
    peers = home.known_peers(lambda: clock[0])
    file = home.path / "known_peers.json"

    def written(*met):
        before = file.read_bytes()
        peers.remember(ANN, *met)
        return file.read_bytes() != before

    peers.remember(ANN, "[2001:db8::1]:5", "Ann")
    clock[0] = 159
    assert not written("[2001:db8::1]:6")
    assert not written("", "Ann")
    assert written("", "Anna")
    assert written("[2001:db8::2]:6")
    assert written("gin.example:7")
    clock[0] = 219
    assert written("gin.example:8")
    clock[0] = 218  # the clock is set back
    assert written("gin.example:9")


def test_a_peer_is_found_by_name_or_fingerprint(home):
    peers = home.known_peers(lambda: 1)
    peers.remember(ANN, "h:1", "Ann")
    peers.remember(BOB, "h:1", "Bob")
    peers.rename(BOB, "Bobby")
    ann, bob = peers.peer(ANN), peers.peer(BOB)
    letters = fingerprint(ANN)
    assert peers.find("aNN") == peers.find(letters) == peers.find(letters[:4].upper()) == (ann,)
    assert peers.find("bobby") == (bob,)
    peers.rename(bob.key, "José")
    assert peers.find("Jose\u0301") == peers.find("JOSÉ") == (peers.peer(bob.key),)
    peers.rename(bob.key, "Bobby")
    assert peers.find("Bob") == peers.find(letters[:3]) == peers.find("") == ()


def test_strangers_and_unchanged_names_are_not_written(home):
    peers = home.known_peers(lambda: 1)
    peers.note_addresses(ANN, ("h:1",))
    peers.forget(ANN)
    assert peers.all() == ()
    peers.remember(ANN, "h:1", "Ann")
    peers.rename(ANN, "Anna")
    number = (home.path / "known_peers.json").stat().st_ino
    peers.rename(ANN, "Anna")
    assert (home.path / "known_peers.json").stat().st_ino == number
    peers.forget(ANN)
    assert peers.all() == ()


def test_the_time_since_a_peer_has_its_name_is_kept_until_it_changes(home):
    times = iter([100, 200, 300, 400])
    peers = home.known_peers(lambda: next(times))
    for name in (None, "Ann", None, "Ann"):
        peers.remember(ANN, "h:1", name)
    assert peers.peer_names() == {ANN: PeerNames("Ann", since=200)}
    file = home.path / "known_peers.json"
    older = json.loads(file.read_text())
    del older["peers"][ANN.hex()]["named"]
    file.write_text(json.dumps(older))
    assert peers.peer_names() == {ANN: PeerNames("Ann", since=100)}
    older["peers"][ANN.hex()]["named"] = "now"
    file.write_text(json.dumps(older))
    assert failure(peers.all) == "bad-known-peers"


def test_a_name_belongs_to_whoever_used_it_first_even_if_the_clock_was_set_back(home):
    ben, other = (bytes([digit]) * 32 for digit in (2, 3))
    for key, now in ((ben, 200), (ben, 100), (other, 100)):
        home.known_peers(lambda now=now: now).remember(key, "h:1", "Ben")
    names = home.known_names(lambda: 100)
    assert (names.owner(ben, "Ben"), names.owner(other, "Ben")) == (None, ben)


def test_a_peer_may_be_known_without_a_name_or_address(home):
    peers = home.known_peers(lambda: 1)
    peers.remember(ANN, "")
    assert peers.name_of(ANN) is None
    assert peers.peer(ANN).addresses == ()


def test_names_are_kept_unchanged_and_do_no_harm(home):
    peers = home.known_peers(lambda: 1)
    for name in ('"},', "\x1b[2J", "../..", "\ud800", "Zoë"):
        peers.remember(ANN, name, name)
        assert peers.name_of(ANN) == name
    (home.path / "known_peers.json").read_bytes().decode("ascii")


def test_addresses_and_names_are_bounded(home):
    peers = home.known_peers(lambda: 1)
    for number in range(20):
        peers.remember(ANN, f"{number:03}" + "x" * 1000, "n" * 1000)
    assert len(peers.peer(ANN).addresses) == 8
    assert peers.peer(ANN).addresses[0].startswith("019")
    assert (home.path / "known_peers.json").stat().st_size < 4000


KNOWN = b'{"name": "", "addresses": [], "first_met": 1, "last_met": 1}'


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"[" * 100_000,
        b'{"version": 2, "peers": {}}',
        b'{"version": 1, "peers": {"zz": {}}}',
        b'{"version": 1, "peers": {"%s": []}}' % (b"61" * 32),
        *(
            b'{"version": 1, "peers": {"%s": %s}}' % (b"61" * 32, KNOWN.replace(right, wrong))
            for right, wrong in (
                (b"[]", b'"h:1"'),
                (b"[]", b"[1]"),
                (b"[]", b'[], "told": {}'),
                (b"[]", b'[], "nickname": 7'),
                (b"1}", b"1%s}" % (b"0" * 30)),
                (b": 1,", b": -1,"),
                (b"[]", b'[], "named": 1%s' % (b"0" * 30)),
            )
        ),
    ],
)
def test_damaged_known_peers_are_reported_and_never_overwritten(home, damage):
    home.path.mkdir()
    file = home.path / "known_peers.json"
    file.write_bytes(damage)
    peers = home.known_peers(lambda: 1)
    assert failure(peers.all) == "bad-known-peers"
    assert failure(peers.remember, ANN, "h:1") == "bad-known-peers"
    assert file.read_bytes() == damage


def test_an_invalid_key_is_not_remembered_and_a_folder_not_read_as_peers(home):
    """Otherwise, the file would be reported as damaged forever."""
    peers = home.known_peers(lambda: 1)
    with pytest.raises(ValueError, match="32 bytes"):
        peers.remember(ANN[1:], "h:1")
    assert peers.all() == ()
    (home.path / "known_peers.json").mkdir(parents=True)
    assert failure(home.known_peers(lambda: 1).all) == "disk-error"
    assert failure(home.known_peers(lambda: 1).remember, ANN, "h:1") == "disk-error"


def test_strangers_do_not_displace_a_friend_with_a_nickname_or_from_whom_we_hide(home, monkeypatch):
    monkeypatch.setattr(peers_module, "_MAX_PEERS", 3)
    time = iter(range(0, 100_000, 100))
    known = home.known_peers(lambda: next(time))
    keys = [bytes([number]) * 32 for number in range(6)]
    known.remember(keys[0], "192.0.2.1:4466", "Ann")
    known.rename(keys[0], "Anna")
    known.remember(keys[1], "192.0.2.1:4466", "Ben")
    known.hide(keys[1], "tor")
    for key in keys[2:]:
        known.remember(key, "192.0.2.2:4466", "Guest")
    assert [peer.key for peer in known.all()] == [keys[5], keys[1], keys[0]]


def test_known_peers_that_grew_too_long_are_read_and_the_oldest_dropped(home):
    """If they couldn't be read, no command of this home would work."""
    long = {"name": "é" * 200, "addresses": ["é" * 200] * 8, "told": ["é" * 200] * 8}
    peers = {
        f"{met:064x}": {**long, "first_met": met, "last_met": met, "nickname": "" if met else "Ann"}
        for met in range(500)
    }
    home.path.mkdir()
    file = home.path / "known_peers.json"
    file.write_text(json.dumps({"version": 1, "peers": peers}))
    assert file.stat().st_size > 2 * 4 * 1024 * 1024
    known = home.known_peers(lambda: 500)
    known.remember(ANN, "h:1")
    assert 3 * 1024 * 1024 < file.stat().st_size <= 4 * 1024 * 1024
    met = [peer.last_met for peer in known.all()]
    assert met == [*range(500, 501 - len(met), -1), 0]


REMEMBER = """
import sys
from pathlib import Path
from ginpeer.store import Home
peers = Home(Path(sys.argv[1])).known_peers(lambda: 1)
for i in range(8):
    peers.remember(bytes([int(sys.argv[2]), i]) * 16, "h:1")
"""


def test_processes_do_not_forget_each_others_peers(home):
    run_together(REMEMBER, *[[str(home.path), str(number)] for number in range(3)])
    assert len(home.known_peers(lambda: 1).all()) == 24


# The list of matches


def match_in(home, first_byte, when):
    notes = MatchNotes(bytes([first_byte]) * 32, "host", "Ann", b"", (), when)
    with Journal.create(home.matches, notes) as journal:
        journal.append(b"x")
    os.utime(journal.path, (when, when))
    return journal


def test_only_matches_are_listed_latest_first(home):
    for first_byte, when in ((0xAA, 100), (0xAB, 300), (0xB0, 200)):
        journal = match_in(home, first_byte, when)
        write_evidence(journal.path.parent, journal.path.stem, [b"bad"])
    (home.matches / "notes.txt").touch()
    (home.matches / "cafe.ginlog").touch()
    (home.matches / ("cc" * 8 + ".ginlog")).mkdir()
    matches = home.logs()
    assert [match.name for match in matches] == ["ab" * 8, "b0" * 8, "aa" * 8]
    assert matches[0].modified == 300
    assert [path.name for path in home.evidence_beside(matches[0].path)] == [
        "ab" * 8 + ".evidence.ginlog"
    ]


def test_our_notes_and_seeds_are_found_beside_a_match(home):
    notes = MatchNotes(b"t" * 32, "host", "Ann", ANN, ("h:1",), 5)
    with Journal.create(home.matches, notes) as journal:
        journal.append_seed(1, b"s" * 32)
    (match,) = home.logs()
    assert home.notes(match) == notes
    assert home.seeds(b"t" * 32) == {1: b"s" * 32}
    assert home.seeds(b"u" * 32) == {}
    match.path.with_suffix(".seeds").write_bytes(b"{")
    for damage in (b"{", b"[" * 60_000, b"x" * 70_000):
        match.path.with_suffix(".match").write_bytes(damage)
        assert home.notes(match) is None
    match.path.with_suffix(".match").unlink()
    assert home.notes(match) is None
    assert failure(home.seeds, b"t" * 32) == "bad-seeds-file"
    match.path.with_suffix(".seeds").unlink()
    match.path.with_suffix(".seeds").mkdir()
    assert failure(home.seeds, b"t" * 32) == "disk-error"


def test_an_unreadable_folder_of_matches_is_an_error(home):
    home.path.mkdir()
    home.matches.touch()
    assert failure(home.logs) == "disk-error"
    # A log outside our folder isn't ours, even if that folder can't be listed.
    assert home.stored_at(home.path / "other.ginlog") is None


def test_a_match_is_found_by_the_beginning_of_its_name(home):
    for first_byte in (0xAA, 0xAB, 0xB0):
        match_in(home, first_byte, 1)
    assert home.log_named("b").name == "b0" * 8
    assert home.log_named("aaa").name == "aa" * 8
    assert failure(home.log_named, "a") == "ambiguous-log"
    for text in ("", "c", "../aa", "aa*", "A", "a" * 17, "/etc/passwd", "aa\0"):
        assert home.log_named(text) is None


def make_match(home, name, created):
    """Store an empty log with this name. Without *created*, it gets no notes."""
    home.matches.mkdir(parents=True, exist_ok=True)
    log = home.matches / f"{name}.ginlog"
    log.write_bytes(b"")
    if created is not None:
        notes = MatchNotes(bytes(32), "host", "Ann", bytes(32), (), created)
        log.with_suffix(".match").write_bytes(notes.encode())
    return log


def short_names(home):
    return {match.name: match.short for match in home.logs()}


FIRST, SECOND, THIRD = "aaaaaa" + "c" * 10, "aaaaaa" + "b" * 10, "aaaaaab" + "a" * 9


def test_a_short_name_has_six_digits_or_as_many_as_distinguish_it(home):
    make_match(home, FIRST, 100)
    assert short_names(home) == {FIRST: "aaaaaa"}
    make_match(home, SECOND, None)
    make_match(home, THIRD, 50)
    make_match(home, "aaaaa0" + "0" * 10, 300)
    called = {
        FIRST: "aaaaaac",
        SECOND: "aaaaaabb",
        THIRD: "aaaaaaba",
        "aaaaa0" + "0" * 10: "aaaaa0",
    }
    assert short_names(home) == called
    for name, short in called.items():
        assert home.log_named(short).name == name
        assert home.log_named(name).name == name
        assert home.short_name(home.matches / f"{name}.ginlog") == short
    assert failure(home.log_named, "aaaaaa") == "ambiguous-log"


def test_an_ambiguous_beginning_is_refused_with_the_matching_names(home):
    for at in range(7):
        make_match(home, f"ab{at}".ljust(16, "0"), at)
    with pytest.raises(StoreError) as caught:
        home.log_named("ab")
    assert caught.value.code == "ambiguous-log"
    assert caught.value.sentence.startswith("7 stored matches start with ab: ab")
    assert caught.value.sentence.endswith(" and others. Type more of the name.")
    assert home.log_named("ab3").name == "ab3".ljust(16, "0")


def test_a_missing_file_is_called_by_its_full_name(home):
    assert home.short_name(home.matches / "gone.ginlog") == "gone"


def test_notes_are_read_again_only_if_their_file_changes(home, monkeypatch):
    read = []
    first, later = (MatchNotes(b"t" * 32, "host", name, b"p" * 32, (), 1) for name in ("A", "B"))
    Journal.create(home.matches, first).close()
    original = home_module.read_notes
    monkeypatch.setattr(home_module, "read_notes", lambda path: read.append(path) or original(path))
    for _ in range(2):
        (log,) = home.logs()
        assert home.notes(log) == first
    assert len(read) == 1
    Journal.create(home.matches, later).close()
    assert (home.notes(log), len(read)) == (later, 2)
    log.path.unlink()
    assert home.logs() == ()
    assert home._notes == {}


def test_a_log_and_its_evidence_are_found_by_the_table(home):
    notes = MatchNotes(b"t" * 32, "host", "A", b"p" * 32, (), 1)
    assert home.log_of(notes.table) is None
    with Journal.create(home.matches, notes) as journal:
        written = tuple(
            write_evidence(journal.path.parent, journal.path.stem, [bytes([number])])
            for number in range(9)
        )
        assert write_evidence(journal.path.parent, journal.path.stem, [b"one more"]) is None
    log = home.log_of(notes.table)
    assert log == journal.path
    assert home.evidence_beside(log) == written


def test_evidence_that_cannot_be_looked_up_is_not_taken_for_none(home, monkeypatch):
    monkeypatch.setattr(os, "stat", Mock(side_effect=OSError(errno.ESTALE, "Stale file handle")))
    with pytest.raises(StoreError):
        home.evidence_beside(home.matches / "0123456789abcdef.ginlog")
