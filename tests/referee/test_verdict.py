"""The verdict on a log: valid, incomplete, forged or unreadable, and never more than is proven."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import HOST, Awaiting, Table
from ginpeer.store.log import log_bytes, read_log
from protocol import messages as m
from protocol.entry import offered_version
from tests.cheating.cheat import one_hand, tiny
from tests.matches.golden_logs import FOLDER as GOLDEN
from tests.matches.recorded_logs import LOGS, path_of, played


def test_a_finished_match_is_valid() -> None:
    match = one_hand()
    verdict = judge(match.entries)
    assert (verdict.finding, verdict.code, verdict.entries) == (Finding.VALID, "valid", len(match))
    assert verdict.failing_entry is None
    assert verdict.culprit is None
    assert verdict.table == match.table_at(len(match))
    assert verdict.table.names == ("Ada", "Ben")
    assert verdict.table.keys == tuple(identity.public for identity in match.identities)


def test_an_empty_log_awaits_an_offer() -> None:
    verdict = judge([])
    assert (verdict.finding, verdict.code, verdict.entries) == (Finding.INCOMPLETE, "incomplete", 0)
    assert verdict.table == Table()
    assert verdict.sentence.endswith("so far are valid; still missing from the host: the offer.")
    accepting = judge(tiny().entries[:1])  # the guest has no name yet
    assert accepting.sentence.endswith("the guest: the acceptance of the offer.")


def test_a_score_signed_by_one_player_is_not_valid() -> None:
    verdict = judge(read_log(GOLDEN / "never-disclosed.ginlog").entries[:-1])
    assert verdict.finding is Finding.INCOMPLETE
    assert verdict.table.awaiting is Awaiting.SETTLE


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "too-new"),
        ({"rules": "standard mahjong=yes"}, "rules-unsupported"),
        ({"rules": "standard misdeal=yes"}, "rules-unsupported"),
    ],
)
def test_a_match_of_another_version_cannot_be_read(change: dict, code: str) -> None:
    """The verdict isn't FORGED, because this program can't judge that version."""
    match = tiny()
    offer = replace(match.steps[0].message, **change)
    raw = match.cheat(HOST).sign(Table(), offer, table=match.table_at(1).table_id)
    verdict = judge([raw, *match.entries[1:]])
    assert (verdict.finding, verdict.code, verdict.entries) == (Finding.UNREADABLE, code, 0)
    assert verdict.culprit is None


OFFER, VERSION = b"\x52", b"\x08"  # field 10 of the body, field 1 of the offer


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (OFFER + b"\x02" + VERSION + b"\x02", 2),
        (OFFER + b"\x05" + VERSION + b"\x02" + b"\x1a\x01\xff", 2),  # a name that isn't UTF-8
        (OFFER + b"\x03" + VERSION + b"\x82\x00", 2),  # a padded number
        (OFFER + b"\x02" + VERSION + b"\x02" + OFFER + b"\x02" + VERSION + b"\x03", 3),
        (b"\x52" + b"\x04" + VERSION + b"\x02" + VERSION + b"\x07", 7),
        (OFFER + b"\x02" + VERSION + b"\x02" + b"\x5a\x00", 2),  # an acceptance as well
        (b"\x79" + bytes(8) + OFFER + b"\x02" + VERSION + b"\x02" + b"\x7d" + bytes(4), 2),
        (OFFER + b"\x06" + VERSION + b"\x82\x80\x80\x80\x10", 2),  # taken modulo 2^32
        (b"\x08\x01" * 63 + OFFER + b"\x02" + VERSION + b"\x02", 2),
        (OFFER + b"\x00", 0),
        (OFFER + b"\x02" + b"\x0a\x00", 0),  # a version that isn't a number
        (b"", None),
        (b"\x5a\x00", None),
        (b"\x50\x02", None),  # an offer that is a number
        (OFFER + b"\x03" + VERSION + b"\x02", None),  # longer than the body
        (OFFER + b"\x02" + VERSION + b"\x02" + b"\x0b\x0c", None),  # a group
        (OFFER + b"\x04" + VERSION + b"\x02" + b"\x0b\x0c", None),
        (OFFER + b"\x02" + VERSION + b"\x02" + b"\x00\x00", None),  # a field with the number 0
        (OFFER + b"\x02" + VERSION + b"\x02" + b"\x80" * 10 + b"\x01\x00", None),
        (b"\x08\x01" * 64 + OFFER + b"\x02" + VERSION + b"\x02", None),
        (OFFER + b"\x80\x01" + b"\x08\x02" * 64, 2),
        (OFFER + b"\x82\x01" + b"\x08\x02" * 65, None),
        (OFFER + b"\x08" + VERSION + b"\x02" + b"\x80\x80\x80\x80\x10\x01", None),  # field 2^29
        (OFFER + b"\x05" + VERSION + b"\x02" + b"\x12\x05x", None),  # a field without an end
    ],
)
def test_the_version_of_an_offer_is_read_in_one_way(body: bytes, version: int | None) -> None:
    """Implementations of protobuf would disagree on the version (PROTOCOL 7.4)."""
    assert offered_version(body) == version
    verdict = judge([body + bytes(64)])
    is_newer = version is not None and version > 1
    assert (verdict.code == "too-new") is is_newer
    assert (verdict.finding is Finding.UNREADABLE) is is_newer


def test_the_first_refused_entry_decides() -> None:
    """Nothing after the first refused entry is examined, valid or not."""
    match = tiny()
    broken = bytearray(match.entries[4])
    broken[5] ^= 1
    verdict = judge([*match.entries[:4], bytes(broken), *match.entries[4:], b"noise"])
    assert (verdict.finding, verdict.failing_entry) == (Finding.FORGED, 4)


def test_an_illegal_entry_names_its_signer_and_an_unsigned_one_nobody() -> None:
    match = tiny()
    k = match.find(m.Knock)
    cheat, table = match.author(k), match.table_at(k)
    raw = cheat.sign(table, m.DrawStock())
    signed = judge([*match.entries[:k], raw])
    assert (signed.finding, signed.code) == (Finding.FORGED, "not-allowed-now")
    assert (signed.failing_entry, signed.culprit) == (k, cheat.seat)
    unsigned = judge([*match.entries[:k], raw[:-1] + bytes([raw[-1] ^ 1])])
    assert (unsigned.finding, unsigned.code) == (Finding.FORGED, "bad-signature")
    assert (unsigned.failing_entry, unsigned.culprit) == (k, None)


# --- the logs in tests/vectors/logs, which today's seats sign byte for byte --------------------


@pytest.mark.parametrize("name", LOGS)
def test_a_recorded_log_is_valid(name: str) -> None:
    verdict = judge(read_log(path_of(name)).entries)
    assert verdict.finding is Finding.VALID


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.deep(keep=1)
def test_the_same_seats_sign_the_same_bytes_again(name: str) -> None:
    pair = played(name)
    assert log_bytes(tuple(pair.host.seat.entries)) == path_of(name).read_bytes()
    assert pair.guest.seat.entries == pair.host.seat.entries
