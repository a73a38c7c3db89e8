"""Matches with a friend, written to an archive file and read back; and hostile archives."""

import contextlib
import errno
import io
import os
import random
import struct
import warnings
import zipfile
from dataclasses import replace
from unittest.mock import Mock

import pytest

from cli.commands.archive import about, left_out_line
from cli.main import main
from ginpeer.match_store import active_matches, noted_matches
from ginpeer.match_store.archive import (
    ArchiveChoice,
    RestoreReport,
    archived_files,
    choose_matches,
    restore_archive,
)
from ginpeer.store import Home, MatchNotes, UnreadableLog
from ginpeer.store.archive_file import ABOUT, BadArchive, pack_archive, unpack_archive
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import ClosingNote, write_closing_note
from tests.faults.disk import Disk, faulty
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded
from tests.refusals import code_of

ENTRIES = recorded().entries
BEN = recorded().identities[1].public
TABLE = recorded().table.table_id
STEM = TABLE.hex()[:16]
OLD = 1_600_000_000


def stored(folder, stem, entries, peer=BEN, when=OLD):
    """Store a match in this home, with notes, seeds and an address. Return the log's path."""
    (folder / "matches").mkdir(parents=True, exist_ok=True)
    path = recorded().write(folder / "matches" / f"{stem}.ginlog", entries)
    notes = MatchNotes(TABLE, "host", "Ada", peer, ("192.0.2.7:1",), OLD)
    path.with_suffix(".match").write_bytes(notes.encode())
    path.with_suffix(".seeds").write_bytes(b"seeds: secret")
    os.utime(path, (when, when))
    return path


@pytest.fixture
def home(tmp_path):
    """Return a home with a finished match against Ben, evidence beside it, and one in progress."""
    folder = tmp_path / "home"
    log = stored(folder, STEM, ENTRIES)
    recorded().write(log.with_suffix(".evidence.ginlog"), ENTRIES[:9])
    stored(folder, "b" * 16, ENTRIES[:20])
    stored(folder, "c" * 16, ENTRIES, peer=bytes(32))
    home = Home(folder)
    home.known_peers(lambda: OLD).remember(BEN, "", "Ben")
    return home


def archive_of(home, about="about"):
    return pack_archive(about, archived_files(home, choose_matches(home, BEN)))


@pytest.fixture
def other(tmp_path):
    return Home(tmp_path / "other")


def read_back(data, home, tmp_path):
    file, done = tmp_path / "given.zip", RestoreReport()
    file.write_bytes(data)
    restore_archive(home, unpack_archive(file), done)
    if done.refused:
        raise BadArchive(done.refused[0])
    return done


def held(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*")}


def test_only_finished_matches_with_the_friend_are_packed_without_secrets(home):
    chosen = choose_matches(home, BEN)
    assert [one.match.name for one in chosen.packed] == [STEM]
    assert [one.match.name for one in chosen.unfinished] == ["b" * 16]
    data = archive_of(home)
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        assert made.namelist() == [
            ABOUT,
            f"matches/{STEM}.evidence.ginlog",
            f"matches/{STEM}.ginlog",
        ]
        assert made.read(f"matches/{STEM}.ginlog") == log_bytes(ENTRIES)
        assert made.testzip() is None
    assert b"secret" not in data
    assert b"192.0.2.7" not in data


def test_the_same_matches_give_the_same_archive_and_are_restored_exactly(home, other, tmp_path):
    data = archive_of(home)
    assert isinstance(data, bytes)
    assert archive_of(Home(home.path)) == data
    done = read_back(data, other, tmp_path)
    assert done.written == [f"{STEM}.ginlog", f"{STEM}.evidence.ginlog"]
    assert held(other.matches) == {
        name: content for name, content in held(home.matches).items() if name in done.written
    }
    path = other.matches / f"{STEM}.ginlog"
    assert (path.stat().st_mtime, path.stat().st_mode & 0o777) == (OLD, 0o600)
    assert archive_of(other) == data


def test_the_same_matches_are_described_alike_wherever_they_are_stored(home, other, tmp_path):
    log = stored(home.path, STEM, ENTRIES[:20])
    write_closing_note(log, ClosingNote(20, "host", "a discard", OLD, OLD, "left", 1, (0, 0)))
    told = about(choose_matches(home, BEN))
    assert "stopped" in told
    read_back(archive_of(home), other, tmp_path)
    assert about(choose_matches(other, BEN)) == told
    (listed,) = choose_matches(other, BEN).packed
    alike = [
        replace(listed, match=replace(listed.match, name=name * 16, modified=OLD + seconds))
        for name, seconds in (("a", 1.5), ("b", 0.5))  # a ZIP file keeps no such difference
    ]
    assert about(ArchiveChoice(alike)).rindex("a" * 16) < about(ArchiveChoice(alike)).rindex(
        "b" * 16
    )


def test_no_file_is_restored_with_a_later_time_than_now(home, other, tmp_path):
    os.utime(home.matches / f"{STEM}.ginlog", (4e9, 4e9))
    read_back(archive_of(home), other, tmp_path)
    assert (other.matches / f"{STEM}.ginlog").stat().st_mtime < 4e9


def test_identical_files_are_left_alone_and_different_ones_refused(home, other, tmp_path):
    data = archive_of(home)
    read_back(data, other, tmp_path)
    again = read_back(data, other, tmp_path)
    assert (again.written, len(again.identical), again.conflicting) == ([], 2, [])
    log = other.matches / f"{STEM}.ginlog"
    log.write_bytes(b"mine")
    last = read_back(data, other, tmp_path)
    assert last.conflicting == [f"{STEM}.ginlog"]
    assert log.read_bytes() == b"mine"


def test_restored_matches_are_not_continued(home, other, tmp_path):
    unfinished = pack_archive("", archived_files(home, choose_all(home)))
    assert read_back(unfinished, other, tmp_path).written
    assert noted_matches(other) == ()
    assert list(active_matches(other)) == []


def choose_all(home):
    """Choose all matches, as a player does who wants to continue a match on another computer."""
    chosen = choose_matches(home, BEN)
    (going_on,) = chosen.unfinished
    path = going_on.match.path.rename(going_on.match.path.with_name(f"{STEM}.ginlog"))
    assert path.exists()
    (home.matches / f"{STEM}.evidence.ginlog").unlink()
    return chosen


def test_no_log_is_restored_beside_notes_that_would_resume_it(other, tmp_path):
    """A player who resumed it from the middle could sign a second entry for the same place."""
    log = stored(other.path, STEM, ENTRIES[:10])
    middle = zipped((f"matches/{STEM}.ginlog", log_bytes(ENTRIES[:10])))
    assert read_back(middle, other, tmp_path).identical == [f"{STEM}.ginlog"]
    log.unlink()  # the log is lost, but the notes and seeds still exist
    done = read_back(middle, other, tmp_path)
    assert (done.conflicting, done.continuing) == ([], [f"{STEM}.ginlog"])
    assert "might continue" in left_out_line(done)
    assert not log.exists()
    assert tuple(active_matches(other, None, BEN)) == ()
    whole = zipped((f"matches/{STEM}.ginlog", log_bytes(ENTRIES)))
    assert read_back(whole, other, tmp_path).written == [f"{STEM}.ginlog"]


def test_no_evidence_is_restored_beside_a_match_of_our_own(home, other, tmp_path):
    """Evidence would end a match in progress."""
    data = archive_of(home)
    log = stored(other.path, STEM, ENTRIES)
    done = read_back(data, other, tmp_path)
    assert (done.written, done.identical) == ([], [f"{STEM}.ginlog"])
    assert (done.conflicting, done.without_log) == ([], [f"{STEM}.evidence.ginlog"])
    assert other.evidence_beside(log) == ()


# --- hostile files --------------------------------------------------------------------------


def zipped(*members, mode=zipfile.ZIP_STORED, **how):
    out = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", mode) as made:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = mode
            info.external_attr = how.get("attributes", 0)
            made.writestr(info, data)
    return out.getvalue()


LOG = log_bytes(ENTRIES)
NAME = f"matches/{STEM}.ginlog"


def overlapping():
    """Return an archive in which two members share the same bytes, which count twice."""
    data = zipped((NAME, LOG), (f"matches/{'f' * 16}.ginlog", b""))
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        _, second = made.infolist()
    table = data.index(b"PK\x01\x02", second.header_offset)
    other = data.index(b"PK\x01\x02", table + 4)
    size = len(LOG).to_bytes(4, "little") * 2
    return data[: other + 20] + size + data[other + 28 :]


def patched(data, *fields):
    """Return the archive with each of *fields*, (offset, bytes), written over the first entry of
    its central directory."""
    table, out = data.index(b"PK\x01\x02"), bytearray(data)
    for at, value in fields:
        out[table + at : table + at + len(value)] = value
    return bytes(out)


def by_larger_records(data):
    """Return the archive with the ZIP64 records that larger archives have."""
    size, table = (int.from_bytes(data[at:][:4], "little") for at in (-10, -6))
    counts = (56 - 12, 45, 45, 0, 0, 2, 2, size, table)
    larger = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", *counts)
    found = struct.pack("<4sLQL", b"PK\x06\x07", 0, table + size, 1)
    return data[:-22] + larger + found + data[-22:]


ONE = zipped((NAME, LOG))
TWO = zipped((NAME, LOG), (f"matches/{STEM}.evidence.ginlog", LOG))
OTHERS = (FOLDER / "standard.ginlog").read_bytes()


HOSTILE = {
    "not a zip": b"what is this",
    "up": zipped(("../evil.ginlog", LOG)),
    "below": zipped((f"matches/../matches/{STEM}.ginlog", LOG)),
    "backslash": zipped((f"matches\\{STEM}.ginlog", LOG)),
    "nul": zipped((f"{NAME}_.txt", LOG)).replace(b"_.txt", b"\0.txt"),
    "seeds": zipped((f"matches/{STEM}.seeds", b"x")),
    "folder": zipped(("matches/", b"")),
    "upper case": zipped((f"matches/{STEM.upper()}X.ginlog", LOG)),
    "twice": zipped((NAME, LOG), (NAME, LOG)),
    "compressed": zipped((NAME, LOG), mode=zipfile.ZIP_DEFLATED),
    "overlapping": overlapping(),
    "another match": zipped((f"matches/{'a' * 16}.ginlog", LOG)),
    "no log": zipped((NAME, b"what is this")),
    "cut off log": zipped((NAME, LOG[:-3])),
    "empty log": zipped((NAME, b"ginlog1\n")),
    "a link": zipped((NAME, b"/etc/passwd"), attributes=0o120777 << 16),
    "comment": zipped((NAME, LOG))[:-2] + b"\x04\x00oops",
    "many": zipped((NAME, LOG))[:-12] + b"\xff\xff" + zipped((NAME, LOG))[-10:],
    "long table": zipped((NAME, LOG))[:-10] + b"\xff\xff\xff\x7f" + zipped((NAME, LOG))[-6:],
    "a comment of zeros": zipped((NAME, LOG))[:-2] + b"\x04\x00\0\0\0\0",
    "a comment that is not there": ONE[:-2] + b"\x04\x00",
    "larger records": by_larger_records(TWO),
    "only its end's magic": b"PK\x05\x06" + bytes(4),
    "encrypted": patched(ONE, (8, b"\x01\x00")),
    "another method": patched(ONE, (10, b"\x08\x00")),
    "another size": patched(ONE, (20, (len(LOG) + 3).to_bytes(4, "little"))),
    "beyond its end": patched(ONE, (20, len(ONE).to_bytes(4, "little") * 2)),
    "a later version": patched(ONE, (6, b"\xff\x00")),
    "a patch": patched(ONE, (8, b"\x20\x00")),
    "no text for a name": patched(ONE, (8, b"\x00\x08"), (46, b"\xff")),
    "a length that is none": zipped((NAME, LOG + b"\xff\xff\xff\xff")),
    "no entry": zipped((NAME, log_bytes([b"what is this"]))),
    "noted": zipped((NAME, b'[Gin "1"]\n')),
    "flipped": zipped((NAME, LOG)).replace(LOG[500:520], bytes(20)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_gives_one_code_and_writes_nothing(other, tmp_path, what):
    (tmp_path / "other").mkdir()
    with pytest.raises(BadArchive) as caught:
        read_back(HOSTILE[what], other, tmp_path)
    assert caught.value.code == "bad-archive"
    assert "\n" not in caught.value.sentence
    assert ("twice" in caught.value.sentence) == (what == "twice")
    assert not other.matches.exists() or held(other.matches) == {}
    assert {path.name for path in tmp_path.iterdir()} == {"other", "given.zip"}


def test_a_changed_archive_restores_only_what_was_packed(home, tmp_path):
    rng = random.Random(3)
    whole = archive_of(home)
    good = held(home.matches)
    for number in range(60):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 2, 30))):
            place = rng.randrange(len(data) - 600, len(data)) if number % 2 else None
            data[rng.randrange(len(data)) if place is None else place] = rng.randrange(256)
        into = Home(tmp_path / f"into-{number}")
        with contextlib.suppress(BadArchive):
            read_back(bytes(data[: rng.choice((len(data), len(data), 700))]), into, tmp_path)
        if into.matches.exists():
            for name, content in held(into.matches).items():
                assert content == good[name]


def test_evidence_is_restored_only_with_its_own_log(other, tmp_path):
    name = f"matches/{STEM}.evidence.ginlog"
    done = read_back(zipped((name, LOG)), other, tmp_path)
    assert (done.written, done.conflicting) == ([], [])
    assert done.without_log == [f"{STEM}.evidence.ginlog"]
    with pytest.raises(BadArchive, match="belongs to a different match than its name says"):
        read_back(zipped((NAME, LOG), (name, OTHERS)), other, tmp_path)
    assert [*held(other.matches)] == [f"{STEM}.ginlog"]
    assert read_back(TWO, other, tmp_path).written == [f"{STEM}.evidence.ginlog"]


@pytest.mark.parametrize("bound", ["_MAX_DIRECTORY", "_MAX_MEMBERS", "MAX_LOG_BYTES"])
def test_an_archive_over_the_limits_is_not_read(other, tmp_path, monkeypatch, bound):
    monkeypatch.setattr(f"ginpeer.store.archive_file.{bound}", 1)
    with pytest.raises(BadArchive):
        read_back(TWO, other, tmp_path)
    assert held(other.matches) == {}


def test_a_disk_error_while_reading_an_archive_is_reported_as_one(other, tmp_path, monkeypatch):
    failed = OSError(errno.EIO, os.strerror(errno.EIO))
    monkeypatch.setattr("zipfile.ZipFile.read", Mock(side_effect=failed))
    assert code_of(UnreadableLog, read_back, ONE, other, tmp_path) == "disk-error"


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("nowhere", "no-such-log"),
        ("folder", "not-a-file"),
        ("no\0name", "no-such-log"),
        ("file/below", "no-such-log"),
    ],
)
def test_a_path_that_is_not_a_readable_file_is_reported(other, tmp_path, what, code):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(ONE)
    with pytest.raises(UnreadableLog) as caught:
        restore_archive(other, unpack_archive(tmp_path / what), RestoreReport())
    assert caught.value.code == code


def test_matches_over_the_limits_are_not_packed(home, monkeypatch):
    for bound, least in (("_MAX_MEMBERS", 2), ("_MAX_BYTES", 100)):
        with monkeypatch.context() as less:
            less.setattr(f"ginpeer.store.archive_file.{bound}", least)
            with pytest.raises(BadArchive, match="at most"):
                archive_of(home)


# --- the command ----------------------------------------------------------------------------


def test_the_command_packs_and_restores_and_reports_what_it_left_out(home, other, tmp_path, capsys):
    file = tmp_path / "ben.zip"

    def archive(where, *arguments):
        status = main(["--home", str(where.path), "archive", *arguments])
        return status, *capsys.readouterr()

    status, out, _ = archive(home, "Ben", str(file))
    assert (status, out.splitlines()) == (
        0,
        [
            f"1 match packed into {file}",
            "Left out as unfinished: bbbbbb. A match you can continue must be in one place only.",
        ],
    )
    with zipfile.ZipFile(file) as made:
        said = made.read(ABOUT).decode()
    assert f'{STEM}  2020-09-13  "Ada" with "Ben": finished, "Ada" won' in said
    for wrong, code in (
        (("Ben", str(file)), "file-exists"),
        (("Dora",), "friend-unknown"),
        ((), "usage"),
        (("Ben", "--restore", str(file)), "usage"),
        (("--restore", str(home.path / "identity.pem")), "no-such-log"),
    ):
        status, _, err = archive(home, *wrong)
        assert (status, f"({code})" in err) == (2, True), err
    status, out, err = archive(home, "Ben", str(tmp_path / "none" / "ben.zip"))
    assert (status, out, "Couldn't write" in err) == (70, "", True)
    assert archive(home, "Ben", str(file), "--replace")[0] == 0
    assert archive(other, "--restore", str(file))[:2] == (0, "2 files restored.\n")
    (other.matches / f"{STEM}.ginlog").write_bytes(b"mine")
    status, out, err = archive(other, "--restore", str(file))
    assert status == 2
    assert "1 identical file was already here." in out
    assert f"already here: {STEM}.ginlog. The files here are unchanged. (archive-differs)" in err


def test_evidence_without_its_log_is_left_out_with_this_reason(other, tmp_path, capsys):
    file = tmp_path / "evidence.zip"
    file.write_bytes(zipped((f"matches/{STEM}.evidence.ginlog", LOG)))
    assert main(["--home", str(other.path), "archive", "--restore", str(file)]) == 2
    err = capsys.readouterr().err
    assert f"Evidence that was not restored: {STEM}.evidence.ginlog." in err
    assert "Evidence needs the log of its match from the same archive" in err
    assert "different files are already here" not in err
    assert "(archive-differs)" in err
    assert held(other.matches) == {}


def test_a_restore_that_fails_at_the_first_file_leaves_an_empty_home(home, tmp_path, capsys):
    file, into = tmp_path / "ben.zip", tmp_path / "into"
    file.write_bytes(archive_of(home))

    def fails(operation):
        if ".ginlog" in operation.path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    into.mkdir()
    with faulty(Disk(into, before=fails)):
        assert main(["--home", str(into), "archive", "--restore", str(file)]) == 70
    assert capsys.readouterr().err.endswith("(disk-full)\n")
    assert held(into) == {}


def test_files_restored_before_a_failure_are_reported_and_kept_on_retry(home, tmp_path, capsys):
    file = tmp_path / "ben.zip"
    file.write_bytes(archive_of(home))
    into = tmp_path / "into"

    def fails_at_the_evidence(operation):
        if ".evidence" in operation.path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    into.mkdir()
    disk = Disk(into, before=fails_at_the_evidence)
    with faulty(disk):
        assert main(["--home", str(into), "archive", "--restore", str(file)]) == 70
    out, err = capsys.readouterr()
    assert out.startswith(f"Restored before the error: {STEM}.ginlog. Run")
    assert err.endswith("(disk-full)\n")
    assert main(["--home", str(into), "archive", "--restore", str(file)]) == 0
    said = "1 file restored.\n1 identical file was already here.\n"
    assert capsys.readouterr().out == said
    assert len(held(into / "matches")) == 2
    evidence = log_bytes(ENTRIES[:9])
    file.write_bytes(file.read_bytes().replace(evidence, evidence[:-4] + bytes(4), 1))
    for put in (True, False):
        assert main(["--home", str(tmp_path / "third"), "archive", "--restore", str(file)]) == 2
        out, err = capsys.readouterr()
        assert out.startswith("1 file restored." if put else "0 files restored.")
        assert f"{STEM}.evidence.ginlog in the archive is damaged" in err
        assert "(bad-archive)" in err


def test_damaged_files_in_an_archive_do_not_prevent_restoring_the_others(other, tmp_path, capsys):
    damaged = zipped(
        (f"matches/{'0' * 16}.ginlog", LOG), (f"matches/{'1' * 16}.ginlog", b""), (NAME, LOG)
    )
    file = tmp_path / "given.zip"
    file.write_bytes(damaged)
    assert main(["--home", str(other.path), "archive", "--restore", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == "1 file restored.\n"
    assert [*held(other.matches)] == [f"{STEM}.ginlog"]
    assert (
        f"{'0' * 16}.ginlog in the archive belongs to a different match than its name says." in err
    )
    assert "1 other file in it has the same problem. (bad-archive)" in err
    log = other.matches / f"{STEM}.ginlog"
    log.write_bytes(b"mine")
    assert main(["--home", str(other.path), "archive", "--restore", str(file)]) == 2
    assert "Not restored, because different files are already here" in capsys.readouterr().out


def test_without_a_finished_match_there_is_nothing_to_pack(home, monkeypatch, capsys):
    monkeypatch.chdir(home.path)
    (home.matches / f"{STEM}.ginlog").unlink()
    assert main(["--home", str(home.path), "archive", "Ben"]) == 2
    assert "(nothing-to-pack)" in capsys.readouterr().err
