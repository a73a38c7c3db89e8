"""Short parts of the campaigns with failing disks and killed programs, faults that these campaigns
must notice, and the modes of files.

The full campaigns are tests/campaign/{killpoints,crash_images,full_disk}.py.
"""

import errno
import os
import random
import stat
import sys
from unittest.mock import Mock

import pytest

from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store import Home, Journal, MatchNotes, StoreError, files
from ginpeer.store import journal as journal_module
from protocol.messages import Disclosure
from tests.campaign import crash_images, full_disk, killpoints
from tests.faults.children import forked
from tests.faults.disk import Disk, faulty, in_memory
from tests.faults.stored import Broken, Match, illegal_entry
from tests.refusals import code_of
from tests.toy_group import toy_group

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="forks, and syncs as Linux does"
)
NOTES = MatchNotes(bytes(range(32)), "host", "Ann", b"k" * 32, (), 1)


def test_after_a_power_cut_everything_shown_is_stored_and_the_match_continues():
    counts = crash_images.run(15, 1, per_point=1, share=0.2, every=60)
    assert counts["images"] >= 15
    assert counts["played on"] >= 3


def test_syncing_a_file_again_without_rewriting_it_is_noticed(monkeypatch):
    monkeypatch.setattr(files, "write_again", only_cut)
    lasting = "an error from here on"
    monkeypatch.setattr(full_disk, "KINDS", {lasting: full_disk.KINDS[lasting]})
    with pytest.raises(Broken, match="after a restart without reboot"):
        full_disk.run(400, 1, every=20)


def only_cut(fd, start, data):
    if files.size_of(fd) < start + len(data):
        files.write_at(fd, start, data)
    files.truncate(fd, start + len(data))


@pytest.mark.parametrize("kills", [4, pytest.param(12, marks=pytest.mark.deep)])
def test_after_a_kill_everything_shown_is_stored_and_the_match_continues(kills):
    counts = killpoints.run(kills, 2, every=80)
    assert counts["kills"] >= kills
    assert counts["played on"] >= kills // 3


@pytest.mark.parametrize("faults", [2, pytest.param(8, marks=pytest.mark.deep)])
def test_after_a_full_disk_the_match_continues(faults):
    counts = full_disk.run(faults, 3, every=80)
    assert counts["faults"] >= faults


def test_an_entry_that_is_not_synced_is_noticed(monkeypatch):
    monkeypatch.setattr(
        journal_module, "_append", lambda fd, data: files.write_at(fd, files.size_of(fd), data)
    )
    with pytest.raises(
        Broken, match=r"an entry was lost|a seed was lost|is not what was signed|does not open"
    ):
        crash_images.run(500, 1, per_point=2, share=0, every=4)


@pytest.mark.parametrize(("name", "every"), [("sync", 4), ("sync_folder", 2)])
def test_a_store_that_does_not_sync_files_or_folders_is_noticed(monkeypatch, name, every):
    monkeypatch.setattr(files, name, lambda _: None)
    with pytest.raises(Broken, match=r"is not stored|was lost|is forgotten|isn't an"):
        crash_images.run(500, 1, per_point=2, share=0, every=every)


def test_an_entry_that_is_sent_before_it_is_stored_is_noticed(monkeypatch):
    def forgets(self, entry):
        self.entries.append(entry)

    monkeypatch.setattr(Journal, "append", forgets)
    with pytest.raises(Broken, match=r"was lost|logs differ"):
        killpoints.run(50, 1, every=5)


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_every_file_of_a_match_is_private_from_its_first_moment(umask):
    """All files, even temporary ones, are checked before and after each change to the disk."""
    wrong, seen = [], set()

    def look(operation):
        for path in root.rglob("*"):
            mode = stat.S_IMODE(path.stat().st_mode)
            seen.add(path.suffix)
            # A new file may at first have fewer permissions than later, but never more.
            if mode & ~(0o700 if path.is_dir() else 0o600):
                wrong.append((path.name, oct(mode)))

    with in_memory() as root, toy_group():
        match = Match(root, "private", parse_ruleset("standard target=1"), Disclosure.NEVER)
        for name in ("host", "guest"):
            (root / name).chmod(0o700)
        disks = [Disk(root / name, before=look, after=look) for name in ("host", "guest")]
        usual = os.umask(umask)
        try:
            with faulty(*disks):
                for number, (player, act) in enumerate(match.steps()):
                    if number > 30 and act == player.decide:
                        other = match.players[1 - player.role]
                        other.receive(illegal_entry(player))
                        break
                    act()
        finally:
            os.umask(usual)
            for player in match.players:
                player.let_go()
        for path in (p for name in ("host", "guest") for p in (root / name).rglob("*")):
            wanted = 0o700 if path.is_dir() else 0o600
            if stat.S_IMODE(path.stat().st_mode) != wanted:
                wrong.append(path.name)
        assert list(root.rglob("*.evidence.ginlog"))
    assert not wrong
    assert {".tmp", ".pem", ".json", ".ginlog", ".seeds", ".match"} <= seen


# A disk that fails to sync, and a program that restarts while the machine keeps running


def store_item(journal, kind, number):
    """Store one entry or seed."""
    if kind == "entry":
        journal.append(b"entry %d " % number * 200)
    else:
        journal.append_seed(number, bytes([number]) * 32)


def stored_items(journal, kind):
    return list(journal.entries) if kind == "entry" else list(journal.seeds.items())


@pytest.mark.parametrize("working", [0, 1], ids=["nothing", "cutting it off"])
@pytest.mark.parametrize("kind", ["entry", "seed"])
def test_after_a_failed_sync_only_what_is_on_the_disk_counts(tmp_path, kind, working):
    """Undoing the write also fails, in its first or second step, and so does opening the match."""
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk")
    with faulty(disk):
        journal = Journal.create(disk.folder, NOTES)
        store_item(journal, kind, 1)
        disk.before = failing_from_the_sync(working)
        assert code_of(StoreError, store_item, journal, kind, 2) == "disk-error"
        disk.before = failing_from_the_sync(0)
        with pytest.raises(StoreError):
            Journal.reopen(journal.path)
        disk.before = None
        with Journal.reopen(journal.path) as again:
            shown = stored_items(again, kind)
            assert len(shown) == 2 - working
            for cut in range(40):  # now the power fails
                image = disk.crash(random.Random(cut), tmp_path / f"image {cut}")
                with Journal.reopen(image / journal.path.name) as left:
                    assert stored_items(left, kind)[: len(shown)] == shown
            store_item(again, kind, 3)
            shown = stored_items(again, kind)
        for cut in range(40, 80):
            image = disk.crash(random.Random(cut), tmp_path / f"image {cut}")
            with Journal.reopen(image / journal.path.name) as left:
                assert stored_items(left, kind) == shown


def test_a_folder_whose_name_was_not_synced_is_synced_by_the_next_process(tmp_path):
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk", before=failing_from_the_sync(0, "sync-folder"))
    folder = disk.folder / "home" / "matches"
    with faulty(disk):
        for _ in folder.relative_to(disk.folder).parts:
            disk.before = failing_from_the_sync(0, "sync-folder")
            with pytest.raises(StoreError):
                files.make_folder(folder)
            disk.before = None
        files.make_folder(folder)
        for cut in range(20):
            assert (disk.crash(random.Random(cut), tmp_path / f"{cut}") / "home/matches").is_dir()


def failing_from_the_sync(working, kind="sync"):
    """Return a hook that fails at the first sync, lets *working* more operations succeed, and then
    always fails."""
    since = 0

    def before(operation):
        nonlocal since
        since += bool(since) or operation.kind == kind
        if since == 1 or since > 1 + working:
            raise OSError(errno.EIO, "input/output error")

    return before


@pytest.mark.parametrize("ending", ["write", "utime", "sync"])
def test_a_power_cut_while_opening_a_match_loses_nothing(tmp_path, ending):
    """Opening rewrites the last record in place, without first cutting it off."""
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk")
    cuts = iter(range(1_000_000))

    def look(operation):
        if operation.path.suffix != ".ginlog" or operation.kind not in ("truncate", ending):
            return
        for _ in range(20):
            number = next(cuts)
            image = disk.crash(random.Random(number), tmp_path / f"image {number}")
            with Journal.reopen(image / journal.path.name) as left:
                assert (left.entries, left.seeds) == (journal.entries, journal.seeds)

    with faulty(disk):
        with Journal.create(disk.folder, NOTES) as journal:
            for number in (1, 2):
                store_item(journal, "entry", number)
                store_item(journal, "seed", number)
        disk.before = disk.after = look
        Journal.reopen(journal.path).close()
    assert next(cuts) == 80


def test_opening_a_match_keeps_the_time_of_its_last_entry(tmp_path):
    with Journal.create(tmp_path, NOTES) as journal:
        store_item(journal, "entry", 1)
    with journal.path.open("ab") as file:
        file.write(b"\0\0\0")  # a torn record
    os.utime(journal.path, ns=(5, 1_790_000_000_123_456_700))
    with Journal.reopen(journal.path) as again:
        assert journal.path.stat().st_mtime_ns == 1_790_000_000_123_456_700
        store_item(again, "entry", 2)
    assert journal.path.stat().st_mtime_ns != 1_790_000_000_123_456_700


# Two processes and one name


def test_a_log_given_up_by_a_failed_creation_is_not_used_by_another_process(tmp_path):
    """The other process opens the file before it is unlinked, and gets the lock afterwards."""
    path = tmp_path / f"{NOTES.table.hex()[:16]}.ginlog"
    taken = files.create(path)
    held = files.open_for_writing(path)
    assert files.has_name(held, path)
    files.unlink(path)
    assert not files.has_name(held, path)
    files.close(files.create(path))  # created again: a different file with the same name
    assert not files.has_name(held, path)
    for fd in (taken, held):
        files.close(fd)


def test_a_journal_whose_file_lost_its_name_is_refused(tmp_path, monkeypatch):
    with Journal.create(tmp_path, NOTES) as journal:
        path = journal.path
    opened = files.open_for_writing

    def too_late(name):
        fd = opened(name)
        if name == path:
            path.unlink()
        return fd

    monkeypatch.setattr(files, "open_for_writing", too_late)
    assert code_of(StoreError, Journal.reopen, path) == "match-in-use"


def test_a_failed_creation_unlinks_before_it_releases_the_lock(tmp_path):
    """This way, a process that gets the lock on a log knows that the file will keep its name."""
    folder = tmp_path / "matches"
    folder.mkdir()
    unlocked = []

    def before(operation):
        if operation.kind == "write" and operation.path.suffix == ".tmp":
            raise OSError(errno.ENOSPC, "no space")
        if operation.kind == "unlink" and operation.path.suffix == ".ginlog":
            fd = os.open(operation.path, os.O_RDWR)
            unlocked.append(files.try_lock(fd))
            os.close(fd)

    with faulty(Disk(folder, before=before)), pytest.raises(StoreError):
        Journal.create(folder, NOTES)
    assert unlocked == [False]
    assert list(folder.iterdir()) == []


def test_without_hard_links_no_process_writes_between_check_and_rename(tmp_path):
    """Between the two, another process that wants the same name must wait."""
    target = tmp_path / "file"
    waits = []

    def before(operation):
        if operation.kind == "link":
            raise OSError(errno.EPERM, "no links here")
        if operation.kind == "rename":
            said, _ = forked(lambda tell: tell(b"free" if _is_free(tmp_path) else b"held"))
            waits.append(said)

    with faulty(Disk(tmp_path, before=before)):
        assert files.write_atomically(target, b"one", replace=False)
        assert not files.write_atomically(target, b"two", replace=False)
    assert waits == [b"held"]
    assert target.read_bytes() == b"one"


def _is_free(folder):
    fd = os.open(folder / ".file.lock", os.O_RDWR)
    try:
        return files.try_lock(fd)
    finally:
        os.close(fd)


# Impossible homes


def test_a_read_only_disk_is_reported_as_missing_permission(tmp_path):
    read_only = Mock(side_effect=OSError(errno.EROFS, "read-only file system"))
    with faulty(Disk(tmp_path, before=read_only)):
        for attempt in (
            lambda: Home(tmp_path / "home").identity(random.Random(1).randbytes),
            lambda: Journal.create(tmp_path / "matches", NOTES),
            lambda: Home(tmp_path).known_peers(lambda: 1).remember(b"k" * 32, "h:1"),
        ):
            assert code_of(StoreError, attempt) == "no-permission"
