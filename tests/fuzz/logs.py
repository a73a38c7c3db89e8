"""Make broken log files, and check the verdict on each.

The expected verdict comes from the document and from an independent reader (`split_log`), which
splits the file into entries: the named entry must be the first that isn't from the match, or the
place where the file itself breaks off. `judged_file` judges a file on disk with the functions that
`ginpeer verify` calls.
"""

import re
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from ginpeer.record import judge_log
from ginpeer.referee import referee
from ginpeer.referee.referee import Finding, Referee
from ginpeer.store import UnreadableLog, open_log, read_log
from ginpeer.store.log import log_bytes
from tests.cheating.cheat import RecordedMatch
from tests.fuzz.entries import signer_of
from tests.fuzz.odd import Odd
from tests.fuzz.protobuf import BODY, mutant, spoilt, tree

MAX_RECORD, MAX_FILE, MAX_ENTRIES = 131_072, 64 * 2**20, 131_072
LENGTHS = (0, 1, 64, 65, 65_601, 131_072, 131_073, 2**24, 2**31, 2**32 - 1)


@dataclass(frozen=True)
class Sound:
    """A valid log: the match (tests/cheating/cheat.py), its entries, the bytes of its file."""

    match: RecordedMatch
    entries: tuple[bytes, ...]
    data: bytes

    @classmethod
    def of(cls, match):
        if not match.steps[-1].after.finished:
            raise ValueError("only a whole match is a valid log")
        return cls(match, match.entries, log_bytes(match.entries))

    @classmethod
    def read(cls, path):
        """Return the match in a log file, without the players' keys and seeds."""
        entries, watched = read_log(path).entries, []
        referee.judge(entries, watched.append)
        return cls.of(RecordedMatch((), ({}, {}), entries, tuple(watched)))


class Remembering(Referee):
    """A referee that remembers the outcome of each entry of some logs. It uses that as long as the
    entries are unchanged from the beginning, and judges everything else as usual."""

    logs = ()

    def admit(self, raw):
        place = len(self.entries)
        for log in self.logs:
            if place < len(log.entries) and raw == log.entries[place]:
                step = log.match.steps[place]
                if place == 0 or step.before is self.table:
                    self.table = step.after
                    self.entries.append(raw)
                    return step
        return super().admit(raw)


@contextmanager
def remembered(logs):
    """Judge with a Remembering referee inside this context: the same verdicts, but faster."""
    known = type("Known", (Remembering,), {"logs": tuple(logs)})
    with mock.patch.object(referee, "Referee", known):
        yield


def judged_file(path):
    """Return the product's verdict on a log file: finding, code, named entry, culprit, good
    entries."""
    try:
        with open_log(path) as log:
            found = judge_log(log)
    except UnreadableLog as error:
        return Finding.UNREADABLE, error.code, error.entry, None, 0
    return found.finding, found.code, found.failing_entry, found.culprit, found.entries


def broken(log, others, rng):
    """Return the file of this log, broken in some way that needs no key."""
    kind = rng.randrange(12)
    entries = list(log.entries)
    at = rng.randrange(len(entries))
    match kind:
        case 0:
            return spoilt(log.data, rng)
        case 1:
            return log.data[: rng.randrange(len(log.data))]
        case 2:
            return log.data + rng.choice((b"\0" * rng.randrange(1, 90), rng.randbytes(9), log.data))
        case 3:
            del entries[at : at + rng.choice((1, 1, 2))]
        case 4:
            entries.insert(at, rng.choice((*entries, *rng.choice(others).entries)))
        case 5:
            entries[at] = rng.choice((*entries, *rng.choice(others).entries))
        case 6:
            other = rng.randrange(len(entries))
            entries[at], entries[other] = entries[other], entries[at]
        case 7:
            raw = entries[at]
            entries[at] = mutant(tree(raw[:-64], BODY), rng) + raw[-64:]
        case 8:
            entries[at] = spoilt(entries[at], rng)
        case 9:
            return _lying_length(log, at, rng)
        case 10:
            return _spliced(log, rng.choice(others), rng)
        case 11:
            head = rng.choice((b"ginlog2\n", b"ginlog1", b"GINLOG1\n", b"\0" * 8, rng.randbytes(8)))
            return rng.choice((head, head + log.data[8:], log.data[rng.randrange(9) :]))
    return log_bytes(entries)


def _lying_length(log, at, rng):
    place = 8 + sum(4 + len(raw) for raw in log.entries[:at])
    length = rng.choice((*LENGTHS, max(len(log.entries[at]) + rng.randrange(-9, 10), 0)))
    end = rng.choice((len(log.data), place + 4))
    return log.data[:place] + length.to_bytes(4, "big") + log.data[place + 4 : end]


def _spliced(log, other, rng):
    if rng.random() < 0.5:
        cut = rng.randrange(len(log.entries))
        return log_bytes((*log.entries[:cut], *other.entries[cut:]))
    cut = rng.randrange(len(log.data))
    return log.data[:cut] + other.data[cut:]


def with_signed_entry(log, forger, k):
    """Return the file with entry k replaced, and the player who signed the new entry, or None."""
    raw, _ = forger.entry(k)
    entries = (*log.entries[:k], raw, *log.entries[k + 1 :])
    signer = signer_of(log.match, raw)
    return log_bytes(entries), (0 if k == 0 and signer is not None else signer)


def check_signed(data, found, log, k, signer):
    """Check that nobody is convicted except the player who signed a second entry, and that this
    entry is refused, or is legal and the next entry doesn't follow from it. Raises Odd."""
    finding, _, named, culprit, _ = found
    if data == log.data:
        _expect(finding is Finding.VALID, found, data)
    elif k == len(log.entries) - 1 and finding is Finding.INCOMPLETE:
        # Place k holds an empty entry, or the file is torn there.
        _expect(named in (None, k) and culprit is None, found, data)
    elif named == k:
        _expect(finding in (Finding.FORGED, Finding.UNREADABLE), found, data)
        _expect(culprit is None or culprit == signer, found, data)
    else:
        _expect((finding, named, culprit) == (Finding.FORGED, k + 1, None), found, data)
    return f"with a signed entry: {'illegal' if culprit is not None else finding.name.lower()}"


class NoLog(Exception):
    """The file isn't a log. The message is the code (PROTOCOL 2.7)."""


def split_log(data):
    """Return the entries of a log file, and what follows them: nothing, "torn", "bad-record" or
    "log-too-large" (PROTOCOL 2.7, 7.2). Written from the document; raises NoLog."""
    if data == b"":
        raise NoLog("empty-log")
    if len(data) > MAX_FILE:
        raise NoLog("log-too-large")
    if re.match(rb"ginlog[2-9]\n", data):
        raise NoLog("too-new")
    if data[:8] != b"ginlog1\n"[: len(data)]:
        raise NoLog("not-a-log")
    entries, place = [], 8
    while place + 4 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        if length == 0 and not any(data[place:]):
            break
        if not 1 <= length <= MAX_RECORD:
            return entries, "bad-record"
        if len(entries) == MAX_ENTRIES:
            return entries, "log-too-large"
        if place + 4 + length > len(data):
            break
        entries.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    return entries, "torn" if place != len(data) else None


def check(data, found, logs):
    """Check that this verdict is right for these bytes, which contain no newly signed entry. Return
    the finding in a word. Raises Odd."""
    finding, code, named, culprit, holding = found
    try:
        entries, behind = split_log(data)
    except NoLog as refusal:
        _expect((finding, code) == (Finding.UNREADABLE, str(refusal)), found, data)
        return code
    log, same = max(((log, _same(entries, log.entries)) for log in logs), key=lambda pair: pair[1])
    _expect(culprit is None and holding == same, found, data)
    if same < len(entries):
        # A version above ours in the first entry is noticed before its signature is checked.
        too_new = (Finding.UNREADABLE, "too-new") if same == 0 else None
        _expect((finding is Finding.FORGED or (finding, code) == too_new), found, data)
        _expect(named == same, found, data)
    elif behind == "bad-record":
        _expect((finding, code, named) == (Finding.UNREADABLE, "bad-record", same), found, data)
    elif behind == "torn":
        over = Finding.FORGED if same == len(log.entries) else Finding.INCOMPLETE
        _expect((finding, code, named) == (over, "torn", same), found, data)
    elif data == log.data:
        _expect((finding, named) == (Finding.VALID, None), found, data)
    else:
        _expect((finding, code, named) == (Finding.INCOMPLETE, "incomplete", None), found, data)
    return f"{finding.name.lower()} {code}"


def _same(entries, others):
    count = 0
    for one, other in zip(entries, others, strict=False):
        if one != other:
            break
        count += 1
    return count


def odd_file(what, data):
    """Return an Odd that says what happened, with the file that caused it."""
    return Odd(f"{what} on a file of {len(data)} bytes: {data.hex()[:2_000]}")


def _expect(held, found, data):
    if not held:
        raise odd_file(found, data)
